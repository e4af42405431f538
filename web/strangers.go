package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

const (
	// smallBody is what anybody may send: it fits where a connection's bytes are
	// read into anyway.
	smallBody = 4 << 10
	// strangeBodies bounds the larger bodies of all strangers together, in bytes.
	strangeBodies = 4 << 20
	// strangeTime is how long a stranger may take to send one.
	strangeTime = 10 * time.Second
)

// room bounds what strangers have read into memory, before a byte of it is. It
// stands around all that answers them: an error's page may show a form's fields.
func (o *owner) room(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.ContentLength == 0 || r.URL.Path == "/mcp" || o.knows(r) {
			return next(c)
		}
		_ = http.NewResponseController(c.Response().Writer).SetReadDeadline(time.Now().Add(strangeTime)) // a test's recorder has none
		size := r.ContentLength
		if size < 0 {
			size = strangeBody // it is not told
		}
		if size <= smallBody || size > strangeBody { // what is too large is refused unread
			return next(c)
		}
		defer o.strange.Add(-size)
		if o.strange.Add(size) > strangeBodies {
			c.Response().Header().Set(echo.HeaderConnection, "close") // else the rest would be waited for
			return refuseBusy(c)
		}
		return next(c)
	}
}
