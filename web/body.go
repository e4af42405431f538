package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"
)

// The largest bodies. The API and MCP check their own, smaller limits and say
// so in their own words; this is the wall behind them.
const (
	formBody = 1 << 20
	jsonBody = 8 << 20
)

// atMost refuses larger bodies with 413: by their length where it is told,
// else when the handler has read so far.
func atMost(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.ContentLength > limit {
				return echo.ErrStatusRequestEntityTooLarge
			}
			r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
			return next(c)
		}
	}
}

// form reads the form at once: FormValue would drop the error, and half a form
// would look like an empty one.
func form(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := c.Request().ParseForm()
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
