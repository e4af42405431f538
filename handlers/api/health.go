package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// readyWait limits one check of the database, because a probe must get an answer.
const readyWait = 3 * time.Second

// Healthz says that the process is alive.
func Healthz(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// Readyz says whether quests can be served. ready is the store's: it checks whether the
// database can be written right now. The reason is logged and not shown to strangers.
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
