package handlers

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/views"
)

// GuestRoute is one thing that a link opens.
type GuestRoute struct {
	Method, Path string
	Handle       echo.HandlerFunc
}

// GuestRoutes are all that a link opens: paths below paths.SharedPrefix. There
// is no other door for guests, and none of these for the owner's token.
func (p *Pages) GuestRoutes(socket Sockets) []GuestRoute {
	get := func(path string, act guestAct) GuestRoute { return GuestRoute{http.MethodGet, path, p.shared(act)} }
	return []GuestRoute{
		get("/s/:token", p.sharedBoard),
		get("/s/:token/steps/:step", p.sharedStep),
		get("/s/:token/questions/:question", p.guestQuestion),
		{http.MethodPost, "/s/:token/questions/:question", p.shared(p.guestAnswer)},
		get("/s/:token/ws", p.sharedSocket(socket)),
		get("/s/:token/runs/:run/output", p.sharedOutput),
		get("/s/:token/runs/:run/output.txt", p.sharedText),
		get("/s/:token/runs/:run/log", p.sharedLog),
		get("/s/:token/runs/:run/lines/:line", p.sharedLine),
	}
}

// renderShared writes a page for guests: redacted as a whole.
func (p *Pages) renderShared(c echo.Context, g *guest, status int, view templ.Component) error {
	var page bytes.Buffer
	if err := view.Render(looking(c), &page); err != nil {
		return fmt.Errorf("render page: %w", err)
	}
	safe, err := p.redactorFor(g).HTML(page.Bytes())
	if err != nil {
		return err
	}
	c.Response().Header().Set("Vary", "HX-Request-Type")
	return c.HTMLBlob(status, safe)
}

func (p *Pages) sharedBoard(c echo.Context, g *guest, q *orchestration.Quest) error {
	return p.guestBoard(c, g, q, nil)
}

func (p *Pages) sharedStep(c echo.Context, g *guest, q *orchestration.Quest) error {
	s := q.Line(c.Param("step"))
	if s == nil {
		return notFound("There is no such step here. A re-split may have replaced it.")
	}
	v := p.presentTo(g, q).step(s, c.QueryParam("run"))
	p.measure(v.Log)
	if partial(c) {
		return p.renderShared(c, g, http.StatusOK, views.StepPanel(v))
	}
	return p.guestBoard(c, g, q, &v)
}

func (p *Pages) guestBoard(c echo.Context, g *guest, q *orchestration.Quest, step *views.Step) error {
	title := q.Title
	if step != nil {
		title = step.Title + " · " + q.Title
	}
	frame := p.guestFrame(g, title)
	frame.Topic, frame.Version = boardTopic(q.ID), q.Version
	present := p.presentTo(g, q)
	return p.renderShared(c, g, http.StatusOK, views.BoardPage(views.Board{Frame: frame, Head: present.head(), Strip: present.strip(),
		Alerts: present.alerts(), Whole: p.withTotal(present.whole()), Step: step,
		Columns: present.columns(c.QueryParam("done") == "open")}))
}
