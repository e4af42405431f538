package handlers

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
)

// guestRun is a run whose output the guest may read.
func (p *Pages) guestRun(c echo.Context, g *guest, q *orchestration.Quest) (*orchestration.Run, error) {
	r := q.Run(c.Param("run"))
	if r == nil || !g.Output {
		return nil, notFound("There is no such output here.")
	}
	return r, nil
}

func (p *Pages) sharedOutput(c echo.Context, g *guest, q *orchestration.Quest) error {
	r, err := p.guestRun(c, g, q)
	if err != nil {
		return err
	}
	return p.outputPage(c, g, r)
}

func (p *Pages) sharedText(c echo.Context, g *guest, q *orchestration.Quest) error {
	r, err := p.guestRun(c, g, q)
	if err != nil {
		return err
	}
	return p.outputText(c, g, r)
}

func (p *Pages) sharedLine(c echo.Context, g *guest, q *orchestration.Quest) error {
	r, err := p.guestRun(c, g, q)
	if err != nil {
		return err
	}
	page, err := p.outputLine(c, g, q, r)
	if err != nil {
		return err
	}
	page.Frame, page.Raw = p.guestFrame(g, fmt.Sprintf("Line %d", page.Number)), ""
	return p.renderShared(c, http.StatusOK, views.OutputLinePage(page))
}

// outputLine is one line in full, without its frame.
func (p *Pages) outputLine(c echo.Context, g *guest, q *orchestration.Quest, r *orchestration.Run) (views.OutputLine, error) {
	n, err := strconv.Atoi(c.Param("line"))
	if err != nil || n < 1 {
		return views.OutputLine{}, notFound("Lines are numbered from 1.")
	}
	lines, total, err := p.Output.Page(r.ID, n-1, 1)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return views.OutputLine{}, fmt.Errorf("read output of %s: %w", r.ID, err)
	}
	if len(lines) == 0 {
		return views.OutputLine{}, notFound("The output has %d lines; there is no line %d.", total, n)
	}
	to := p.presentTo(g, q).to
	l := p.reader(g, r.ID, n-1).read(lines[0])
	page := views.OutputLine{Run: r.ID, Number: n, Total: total, Head: l.Head,
		Text: clean(stripANSI(l.Text)), Raw: clean(pretty(lines[0])),
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
