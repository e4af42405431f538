package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// readyWait bounds one look at the database: a probe that hangs is an answer.
const readyWait = 3 * time.Second

// Healthz says that the process lives and serves.
func Healthz(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// Readyz says whether quests can be served: ready is the store's, and asks
// whether the database can be written right now. Why it cannot is for the log
// and not for a stranger.
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
