package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/views"
	"questboard/web/live"
	"questboard/web/paths"
)

// GuestRoute is one route of a share's link.
type GuestRoute struct {
	Method, Path string
	Handle       echo.HandlerFunc
}

// GuestRoutes returns all routes of a link: paths below paths.SharedPrefix. Guests have
// no others, and the owner's token opens none of these.
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

// renderShared writes a page for guests, redacted as a whole.
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
	s := q.Step(c.Param("step"))
	if s == nil {
		return notFound("There is no such step here. Other steps may have replaced it.")
	}
	v := p.presentTo(g, q).Step(s, c.QueryParam("run"))
	p.measure(v.Log)
	if partial(c) {
		return p.renderShared(c, g, http.StatusOK, views.StepPanel(v))
	}
	return p.guestBoard(c, g, q, &v)
}

func (p *Pages) guestBoard(c echo.Context, g *guest, q *orchestration.Quest, step *views.Step) error {
	shown := p.presentTo(g, q)
	board := shown.Board()
	shown.Close(board.Columns, closedColumns(c))
	p.measure(board.Whole.Log)
	board.Frame, board.Step = p.boardFrame(g, q, step), step
	return p.renderShared(c, g, http.StatusOK, views.BoardPage(board))
}

// ErrNoShare: no link has this token.
var ErrNoShare = errors.New("there is no such share")

// ErrShareEnded: the link was revoked, or its time is over.
var ErrShareEnded = errors.New("the share has ended")

// guest is a visitor with the link of a share. A guest sees only its quest, redacted.
type guest struct {
	record.Share
	token string
	repo  string // the quest's repository: secrets in its files are hidden
}

func (g *guest) site() paths.Site { return paths.SharedSite(g.token) }

// place returns site, or the owner's site if g is nil.
func (g *guest) place() paths.Site {
	if g == nil {
		return paths.Site{}
	}
	return g.site()
}

// admit returns the guest of the URL's token.
func (p *Pages) admit(ctx context.Context, token string) (*guest, error) {
	s, err := p.Shares.Find(ctx, token)
	switch {
	case orchestration.CodeOf(err) == orchestration.CodeNotFound:
		return nil, ErrNoShare
	case err != nil:
		return nil, err
	case !s.Open(p.Clock()):
		return nil, ErrShareEnded
	}
	return &guest{Share: s, token: token}, nil
}

// guestAct is an action of a guest. Its quest exists.
type guestAct func(c echo.Context, g *guest, q *orchestration.Quest) error

// shared makes a handler from a guest's action.
func (p *Pages) shared(act guestAct) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		g, err := p.admit(ctx, c.Param("token"))
		if err != nil {
			return err
		}
		q, err := p.Quests.Quest(ctx, g.Quest)
		if err != nil {
			return err
		}
		g.repo = q.Repo
		_ = p.Shares.Viewed(ctx, g.Share) // guests may look even if the disk is full
		return act(c, g, q)
	}
}

// guestFrame returns the frame of a share's page.
func (p *Pages) guestFrame(g *guest, title string) views.Frame {
	return views.Frame{Title: views.Visible(title), Guest: &views.Guest{Home: g.site().Quest(""), Socket: g.site().Socket(),
		Answer: g.Answer,
		Until:  g.ExpiresAt}}
}

// guestRun returns a run whose output the guest may read.
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
	page.Frame = p.lineFrame(g, q, r, page.Number)
	return p.renderShared(c, g, http.StatusOK, views.OutputLinePage(page))
}

// Sockets serves sockets to visitors with limited rights, as live.Hub does.
type Sockets interface {
	Serve(w http.ResponseWriter, r *http.Request, a live.Audience)
}

// sharedSocket serves the socket of a share's pages. It ignores requests for anything
// beyond the share's quest and content.
func (p *Pages) sharedSocket(sockets Sockets) guestAct {
	return func(c echo.Context, g *guest, _ *orchestration.Quest) error {
		side := Live{pages: p, guest: g}
		ctx := context.WithoutCancel(c.Request().Context()) // used again after the request has become a socket
		sockets.Serve(c.Response(), c.Request(), live.Audience{Renderer: side, Logs: side, Allows: g.allows,
			Guest: true, Key: SocketsOf(g.ID), Sees: g.ID, Lasts: g.ExpiresAt.Sub(p.Clock()),
			Still: func() bool { _, err := p.admit(ctx, g.token); return err == nil }})
		return nil
	}
}

// SocketsOf returns the name of a share's sockets for live.Hub.End.
func SocketsOf(share string) string { return "share/" + share }

// allows reports whether a guest may subscribe to a topic or log: the head, the board and
// the steps of its own quest and, if included, the output of its runs.
func (g *guest) allows(key string) bool {
	if run, is := strings.CutPrefix(key, live.LogPrefix); is {
		return g.Output && !strings.HasSuffix(run, rawLog) && orchestration.QuestOf(run) == g.Quest
	}
	kind, quest, _ := cutTopic(key)
	return quest == g.Quest && (kind == "board" || kind == "head" || kind == "step")
}
