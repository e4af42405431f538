package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// The largest bodies. The API and MCP check their own, smaller limits and say
// so in their own words; this is the wall behind them.
const (
	formBody = 1 << 20
	jsonBody = 8 << 20
	// strangeBody is for those who have not shown who they are: a login, the
	// answer of a guest, and the forms of the page that asks for the token.
	strangeBody = 256 << 10
)

// bodies refuses what is too large with 413: by its length where it is told,
// else when it was read so far. Forms are read at once: FormValue would drop
// the error, and half a form would look like an empty one.
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
