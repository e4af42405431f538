package web

import (
	"github.com/labstack/echo/v4"

	"questboard/web/live"
)

// socket serves the sockets of the owner's tabs. The tabs of one session share a limit,
// so that a script in one browser leaves room for others.
func (o *owner) socket(hub *live.Hub) echo.HandlerFunc {
	return func(c echo.Context) error {
		key := "owner"
		if session, ok := o.session(c.Request()); ok {
			key = "session/" + o.sessions.hash(session)
		}
		hub.Serve(c.Response(), c.Request(), live.Audience{Key: key})
		return nil
	}
}
