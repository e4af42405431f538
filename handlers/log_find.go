package handlers

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/agents/transcript"
	"questboard/web/paths"
)

// What one look through a run's output may take: whoever wants to know more
// goes on from where it stopped.
const (
	findLines = 20_000
	findHits  = 1000
)

// found is one look through a run's output.
type found struct {
	Hits  []int             `json:"hits"` // the lines, from 0
	Rows  []json.RawMessage `json:"rows"` // theirs, where only errors are asked for
	Next  int               `json:"next"` // the line to go on from
	Total int               `json:"total"`
}

// FindInOutput looks for a text in a run's output, whatever its case, or for
// what went wrong: ?q=TEXT or ?errors=1, from line ?from=.
func (p *Pages) FindInOutput(c echo.Context) error {
	_, r, err := p.run(c)
	if err != nil {
		return err
	}
	from, err := number(c, "from", 0)
	if err != nil {
		return err
	}
	f := found{Hits: []int{}, Rows: []json.RawMessage{}, Next: from}
	want := strings.ToLower(c.QueryParam("q"))
	fits := func(t *turn) bool { return strings.Contains(strings.ToLower(t.Head+" "+t.Text), want) }
	errorsOnly := c.QueryParam("errors") != ""
	lines := "" // only errors are shown by themselves
	if errorsOnly {
		lines = paths.Site{}.OutputLines(r.ID)
		fits = func(t *turn) bool { return t.Kind == transcript.KindError }
	}
	for f.Next-from < findLines && len(f.Hits) < findHits && (want != "" || errorsOnly) {
		list, total, err := p.turns(source{run: r.ID}, f.Next, pageLines)
		if err != nil {
			return err
		}
		if f.Total = total; len(list) == 0 {
			break
		}
		for i := range list {
			if !fits(&list[i]) || list[i].Kind == transcript.KindQuiet {
				continue
			}
			if err := f.add(&list[i], lines); err != nil {
				return err
			}
		}
		f.Next += len(list)
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.JSON(http.StatusOK, f)
}

// add takes the line, or for a row the call whose result it is.
func (f *found) add(t *turn, lines string) error {
	if lines != "" {
		if t.call != nil {
			t = t.call
		}
		row, err := encoded(t, lines, -1, nil)
		if err != nil {
			return err
		}
		f.Rows = append(f.Rows, row)
	}
	f.Hits = append(f.Hits, t.n)
	return nil
}
