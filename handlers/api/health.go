package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// readyWait limits the check of the database, because a probe must get an answer.
const readyWait = 3 * time.Second

// Healthz says that the process is alive.
func Healthz(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// Readyz says whether the server can serve quests. ready returns an error if the database
// cannot be written now. The error is logged but not sent, because anyone may ask.
func Readyz(ready func(ctx context.Context) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx, cancel := context.WithTimeout(c.Request().Context(), readyWait)
		defer cancel()
		if err := ready(ctx); err != nil {
			return c.String(http.StatusServiceUnavailable, "the database cannot be written\n")
		}
		return c.String(http.StatusOK, "ready\n")
	}
}
