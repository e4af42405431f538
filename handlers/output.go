package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/agents/transcript"
	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// pageLines is the largest number of lines in one answer.
const pageLines = 500

// OutputPage answers with readable lines of a run's output as JSON.
func (p *Pages) OutputPage(c echo.Context) error {
	_, r, err := p.run(c)
	if err != nil {
		return err
	}
	return p.outputPage(c, nil, r)
}

func (p *Pages) outputPage(c echo.Context, g *guest, r *orchestration.Run) error {
	from, err := number(c, "from", 0)
	if err != nil {
		return err
	}
	n, err := number(c, "n", pageLines)
	if err != nil {
		return err
	}
	id := r.ID
	if c.QueryParam("raw") != "" {
		id += rawLog
	}
	lines, total, err := p.readableLines(g, id, from, min(n, pageLines))
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.JSON(http.StatusOK, struct {
		From  int               `json:"from"`
		Lines []json.RawMessage `json:"lines"`
		Total int               `json:"total"`
	}{from, lines, total})
}

func number(c echo.Context, name string, otherwise int) (int, error) {
	value := c.QueryParam(name)
	if value == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return 0, echo.NewHTTPError(http.StatusBadRequest, name+" must be a number from 0")
	}
	return n, nil
}

// readableLines returns rows of a run's output. rawLog after the run's id asks for the
// raw lines, which guests never get.
func (p *Pages) readableLines(g *guest, run string, from, n int) ([]json.RawMessage, int, error) {
	if id, raw := strings.CutSuffix(run, rawLog); raw {
		if g != nil {
			return nil, 0, nil
		}
		return p.rawLines(id, from, n)
	}
	s := source{guest: g, run: run}
	if g == nil { // only the owner's rows are cached: they hide nothing and link to the owner's pages
		s.made = p.made
	}
	list, total, err := p.turns(s, from, n)
	if err != nil {
		return nil, 0, err
	}
	lines, err := rows(list, g.place().OutputLines(run), p.redactorFor(g))
	if err != nil {
		return nil, 0, err
	}
	s.made.keep(run, list, lines)
	return lines, total, nil
}

// OutputText answers with the whole readable output as plain text, the equivalent of
// the log.
func (p *Pages) OutputText(c echo.Context) error {
	_, r, err := p.run(c)
	if err != nil {
		return err
	}
	return p.outputText(c, nil, r)
}

func (p *Pages) outputText(c echo.Context, g *guest, r *orchestration.Run) error {
	response := c.Response()
	response.Header().Set("Content-Type", "text/plain; charset=utf-8")
	response.Header().Set("Cache-Control", "no-store")
	response.WriteHeader(http.StatusOK)
	reader := p.reader(g, r.ID, 0)
	for from := 0; ; {
		lines, total, err := p.Output.Page(r.ID, from, pageLines)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read output of %s: %w", r.ID, err)
		}
		for i, line := range lines {
			l := reader.read(line)
			if l.By != "" {
				l.Text = "[" + l.By + "] " + l.Text
			}
			if _, err := fmt.Fprintf(response, "%6d  %-8s %s\n", from+i+1, views.Visible(l.Head),
				views.Visible(transcript.Plain(l.Text))); err != nil {
				return nil // the browser has gone
			}
		}
		if from += len(lines); len(lines) == 0 || from >= total {
			return nil
		}
	}
}

// rawLog after the id of a run names its raw output.
const rawLog = "/raw"

// rawLines returns rows of the raw lines. An opened row shows formatted JSON.
func (p *Pages) rawLines(run string, from, n int) ([]json.RawMessage, int, error) {
	lines, total, err := p.Output.Page(run, from, n)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("read output of %s: %w", run, err)
	}
	list := make([]json.RawMessage, len(lines))
	for i, line := range lines {
		text, cut := upTo(string(line), rowText)
		row := views.LogRow{Number: from + i + 1, URL: paths.Site{}.OutputLines(run) + strconv.Itoa(from+i+1) + "?raw=1",
			Kind:   string(transcript.KindRaw),
			Pieces: []views.Piece{{Text: views.Visible(text)}}, More: cut || len(line) > 0 && line[0] == '{'}
		var html bytes.Buffer
		if err := views.LogRowView(row, false).Render(context.Background(), &html); err != nil {
			return nil, 0, fmt.Errorf("render line %d: %w", from+i+1, err)
		}
		if list[i], err = json.Marshal(html.String()); err != nil {
			return nil, 0, fmt.Errorf("encode line %d: %w", from+i+1, err)
		}
	}
	return list, total, nil
}
