package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/agents/transcript"
	"questboard/handlers/present"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// logPage is how many lines a page of the log has.
const logPage = 200

// LogPage shows a run's output in pages: the log without JavaScript.
func (p *Pages) LogPage(c echo.Context) error {
	q, r, err := p.run(c)
	if err != nil {
		return err
	}
	page, err := p.logPage(c, nil, q, r)
	if err != nil {
		return err
	}
	page.Frame = p.questFrame(nil, q, page.Words, views.TabNone, p.runTrail(nil, q, r, page.Words)...)
	return render(c, http.StatusOK, views.LogPageView(page))
}

func (p *Pages) logPage(c echo.Context, g *guest, q *orchestration.Quest, r *orchestration.Run) (views.LogPage, error) {
	from, err := number(c, "from", 0)
	if err != nil {
		return views.LogPage{}, err
	}
	from -= from % logPage
	list, total, err := p.turns(source{guest: g, run: r.ID}, from, logPage)
	if err != nil {
		return views.LogPage{}, err
	}
	if from > 0 && len(list) == 0 {
		return views.LogPage{}, notFound("The output has %d lines; there is no line %d.", total, from+1)
	}
	to := g.place()
	page := views.LogPage{Words: fmt.Sprintf("Output of %s, run %d", present.RoleName(r.Role), r.N+1),
		TextURL: to.OutputText(r.ID), From: from + 1, To: from + len(list), Total: total}
	for i := range list {
		if t := &list[i]; t.Kind != transcript.KindQuiet && (t.call == nil || t.call.n < from) {
			page.Rows = append(page.Rows, t.row(to.OutputLines(r.ID)))
		}
	}
	at := func(line int) string { return to.OutputLog(r.ID) + "?from=" + strconv.Itoa(line) }
	if from > 0 {
		page.First, page.Previous = at(0), at(max(0, from-logPage))
	}
	if next := from + len(list); next < total { // a page of long lines ends early
		page.Next, page.Last = at(from+logPage), at((total-1)/logPage*logPage)
	}
	return page, nil
}

// runTrail leads from a quest to a page about the output of a run.
func (p *Pages) runTrail(g *guest, q *orchestration.Quest, r *orchestration.Run, words string) []views.Link {
	step := p.presentTo(g, q).Link(r.Step)
	step.URL = g.place().StepRun(q.ID, r.Step, r.ID)
	return []views.Link{step, {Words: words}}
}

func (p *Pages) sharedLog(c echo.Context, g *guest, q *orchestration.Quest) error {
	r, err := p.guestRun(c, g, q)
	if err != nil {
		return err
	}
	page, err := p.logPage(c, g, q, r)
	if err != nil {
		return err
	}
	page.Frame = p.questFrame(g, q, page.Words, views.TabNone, p.runTrail(g, q, r, page.Words)...)
	return p.renderShared(c, g, http.StatusOK, views.LogPageView(page))
}

// StepRaw shows the raw output of a step.
func (p *Pages) StepRaw(c echo.Context) error {
	q, s, err := p.stepOf(c)
	if err != nil {
		return err
	}
	step := p.present(q).Step(s, c.QueryParam("run"))
	page := views.RawPage{Step: step}
	if step.Log != nil {
		page.Log = rawLogOf(*step.Log, paths.StepRaw(q.ID, s.ID))
		p.measure(page.Log)
	}
	page.Frame = p.questFrame(nil, q, "Raw output · "+step.Title, views.TabNone, p.present(q).Link(s.ID), views.Link{Words: "Raw"})
	return render(c, http.StatusOK, views.RawPageView(page))
}

// rawLogOf returns the raw log of a run.
func rawLogOf(log views.Log, here string) *views.Log {
	log.ID, log.Key, log.PageURL, log.FindURL, log.Times = "raw-of-"+log.Run, log.Run+rawLog, log.PageURL+"?raw=1", "", false
	log.HereURL = here + "?run=" + log.Run
	return &log
}

// The limits of one search through a run's output. A reader who wants more continues
// from where it stopped.
const (
	findLines = 20_000
	findHits  = 1000
)

// found is the result of one search through a run's output.
type found struct {
	Hits  []int             `json:"hits"` // the lines, from 0
	Rows  []json.RawMessage `json:"rows"` // theirs, where only errors are asked for
	Next  int               `json:"next"` // the line to go on from
	Total int               `json:"total"`
}

// FindInOutput searches a run's output for a text, ignoring case, or for errors:
// ?q=TEXT or ?errors=1, from line ?from=.
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
	lines := "" // only errors are shown as rows
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

// add adds the line or, for a row, the call whose result it is.
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
