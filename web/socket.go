package web

import (
	"github.com/labstack/echo/v4"

	"questboard/web/live"
)

// socket serves the sockets of the owner's tabs. The tabs of one session share a limit,
// so that a script in one browser leaves room for others, and end with their session.
func (o *owner) socket(hub *live.Hub) echo.HandlerFunc {
	return func(c echo.Context) error {
		a := live.Audience{Key: "owner"}
		secret, ok := o.session(c.Request())
		if ok {
			a.Key = socketsOf(o.sessions.hash(secret))
		}
		if c.Get(viaKey) == viaBrowser {
			open, _ := o.sessions.find(secret) // it may have ended since the request was checked
			a.Lasts, a.Still = open.Ends.Sub(o.clock()), func() bool { return o.sessions.has(secret) }
		}
		hub.Serve(c.Response(), c.Request(), a)
		return nil
	}
}

// socketsOf names the sockets of a session, by the hash of its secret.
func socketsOf(session string) string { return "session/" + session }
