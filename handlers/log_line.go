package handlers

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"questboard/agents/transcript"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/views"
)

// OutputLine is the page of one line, with all there is to it; for <log-view>,
// what an opened row shows.
func (p *Pages) OutputLine(c echo.Context) error {
	q, r, err := p.run(c)
	if err != nil {
		return err
	}
	page, err := p.outputLine(c, nil, q, r)
	if err != nil {
		return err
	}
	if partial(c) {
		if c.QueryParam("raw") != "" {
			page.Detail = views.LineDetail{Parts: []views.LinePart{{Pieces: []views.Piece{{Text: page.Raw}}}}}
		}
		return render(c, http.StatusOK, views.LineDetailView(page.Detail))
	}
	page.Frame, err = p.frame(c.Request().Context(), fmt.Sprintf("Line %d of %s", page.Number, r.ID), views.SectionQuests)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.OutputLinePage(page))
}

// outputLine is one line in full, without its frame.
func (p *Pages) outputLine(c echo.Context, g *guest, q *orchestration.Quest, r *orchestration.Run) (views.OutputLine, error) {
	n, err := strconv.Atoi(c.Param("line"))
	if err != nil || n < 1 {
		return views.OutputLine{}, notFound("Lines are numbered from 1.")
	}
	raw, total, err := p.Output.Page(r.ID, n-1, 1)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return views.OutputLine{}, fmt.Errorf("read output of %s: %w", r.ID, err)
	}
	list, _, err := p.turns(source{guest: g, run: r.ID}, n-1, 1)
	if err != nil {
		return views.OutputLine{}, err
	}
	if len(list) == 0 || len(raw) == 0 {
		return views.OutputLine{}, notFound("The output has %d lines; there is no line %d.", total, n)
	}
	to, t := g.place(), &list[0]
	page := views.OutputLine{Run: r.ID, Number: n, Total: total, Head: clean(t.Head), Raw: clean(transcript.Indent(raw[0])),
		Detail:  views.LineDetail{Parts: detail{p.redactorFor(g)}.of(t, raw[0])},
		StepURL: to.StepRun(q.ID, r.Line, r.ID) + fmt.Sprintf("#L%d", n), Words: roleName(r.Role) + ", the whole output"}
	if page.Head == "" {
		page.Head = "Output"
	}
	if n > 1 {
		page.PreviousURL = to.OutputLines(r.ID) + strconv.Itoa(n-1)
	}
	if n < total {
		page.NextURL = to.OutputLines(r.ID) + strconv.Itoa(n+1)
	}
	return page, nil
}

// redactorFor is nil for the owner. For a guest it also knows what the files of
// the quest's repository hold, as they are now.
func (p *Pages) redactorFor(g *guest) *redact.Redactor {
	if g == nil {
		return nil
	}
	return p.Redactor.In(g.repo)
}
