package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// The largest bodies. The API and MCP have smaller limits with their own messages. These
// are the limits for everything.
const (
	formBody = 1 << 20
	jsonBody = 8 << 20
	// strangeBody is the limit for clients without a login: for a login, a guest's
	// answer, and the forms of the page that asks for the token.
	strangeBody = 256 << 10
)

// bodies answers a body that is too large with 413. It looks at the declared length, or
// else counts while reading. It parses forms at once, because FormValue would drop the
// error and half a form would look like an empty one.
func (o *owner) bodies(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		forms := r.URL.Path != "/mcp" && !strings.HasPrefix(r.URL.Path, "/api/")
		limit := int64(jsonBody)
		switch {
		case !o.knows(r) && r.URL.Path != "/mcp":
			limit = strangeBody
		case forms:
			limit = formBody
		}
		if r.ContentLength > limit {
			return echo.ErrStatusRequestEntityTooLarge
		}
		r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
		if !forms {
			return next(c)
		}
		err := r.ParseForm()
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			return echo.ErrStatusRequestEntityTooLarge
		case err != nil:
			return echo.NewHTTPError(http.StatusBadRequest, "The form cannot be read.")
		}
		return next(c)
	}
}
