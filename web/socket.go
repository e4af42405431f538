package web

import (
	"github.com/labstack/echo/v4"

	"questboard/web/live"
)

// socket serves the owner's tabs. Those of one session share the limit of the
// hub, so that a script that went wild leaves room for the other browsers.
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
