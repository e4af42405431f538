package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

const (
	// smallBody is the size that needs no limit, because it fits into the read buffer
	// that every connection has.
	smallBody = 4 << 10
	// strangeBodies limits all larger bodies of strangers together, in bytes.
	strangeBodies = 4 << 20
	// strangeTime is how long a stranger may take to send a body.
	strangeTime = 10 * time.Second
)

// room limits what strangers make the server read into memory, and does so before the
// first byte. It is around every handler for strangers, because even the page of an error
// may show the fields of a form.
func (o *owner) room(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if r.ContentLength == 0 || r.URL.Path == "/mcp" || o.knows(r) {
			return next(c)
		}
		_ = http.NewResponseController(c.Response().Writer).SetReadDeadline(time.Now().Add(strangeTime)) // fails only in tests
		size := r.ContentLength
		if size < 0 {
			size = strangeBody // the length is not declared
		}
		if size <= smallBody || size > strangeBody { // a body that is too large is refused without reading it
			return next(c)
		}
		defer o.strange.Add(-size)
		if o.strange.Add(size) > strangeBodies {
			c.Response().Header().Set(echo.HeaderConnection, "close") // otherwise the server would wait for the rest of the body
			return refuseBusy(c)
		}
		return next(c)
	}
}
