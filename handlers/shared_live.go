package handlers

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/web/live"
)

// Sockets serves sockets to somebody who may not see everything; live.Hub does.
type Sockets interface {
	Serve(w http.ResponseWriter, r *http.Request, a live.Audience)
}

// sharedSocket is the socket of a share's pages. It is bound to the share: what
// is asked for beyond its quest, or beyond what it includes, is not heard.
func (p *Pages) sharedSocket(sockets Sockets) guestAct {
	return func(c echo.Context, g *guest, _ *orchestration.Quest) error {
		side := Live{pages: p, guest: g}
		ctx := context.WithoutCancel(c.Request().Context()) // asked again when the request has become a socket
		sockets.Serve(c.Response(), c.Request(), live.Audience{Renderer: side, Logs: side, Allows: g.allows,
			Guest: true, Key: SocketsOf(g.ID), Lasts: g.ExpiresAt.Sub(p.Clock()),
			Still: func() bool { _, err := p.admit(ctx, g.token); return err == nil }})
		return nil
	}
}

// SocketsOf names the sockets of a share for live.Hub.End.
func SocketsOf(share string) string { return "share/" + share }

// allows reports whether a guest may subscribe to a topic or log: the board and
// the lines of the own quest, and the output of its runs where it is included.
func (g *guest) allows(key string) bool {
	if run, is := strings.CutPrefix(key, live.LogPrefix); is {
		return g.Output && !strings.HasSuffix(run, rawLog) && orchestration.QuestOf(run) == g.Quest
	}
	kind, quest, _ := cutTopic(key)
	return quest == g.Quest && (kind == "board" || kind == "step")
}
