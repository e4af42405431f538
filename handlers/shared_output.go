package handlers

import (
	"fmt"
	"net/http"

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
	if page.Raw = ""; partial(c) {
		return p.renderShared(c, g, http.StatusOK, views.LineDetailView(page.Detail))
	}
	page.Frame = p.guestFrame(g, fmt.Sprintf("Line %d", page.Number))
	return p.renderShared(c, g, http.StatusOK, views.OutputLinePage(page))
}
