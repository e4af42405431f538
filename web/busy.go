package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/web/paths"
)

// How many requests are answered at once. Runs of agents (/mcp) and probes are
// no part of it: they get through whatever pages are asked for.
const (
	maxRequests = 256
	// maxHeavy bounds those whose answer may hold megabytes.
	maxHeavy = 8
	// turnTime is how long one of those waits for its turn.
	turnTime = 10 * time.Second
)

var (
	errBusy = echo.NewHTTPError(http.StatusServiceUnavailable,
		"The server is busy with other requests. Nothing was changed and nothing is lost: try again in a few seconds.")

	// heavy are the routes that read a whole history, a diff or a page of
	// output, whose lines may be megabytes long.
	heavy = map[string]bool{
		"/api/v1/quests/:quest/export": true, "/api/v1/quests/:quest/events": true, "/api/v1/runs/:run/output": true,
		"/api/v1/quests/:quest/diff": true, "/api/v1/quests/:quest/steps/:step/diff": true,
		"/quests/:quest/patch": true, "/quests/:quest/diff": true, "/quests/:quest/steps/:step/diff": true,
		"/quests/:quest/history.csv": true, "/quests/:quest/history.json": true, "/quests/:quest/cost.csv": true,
		"/quests/:quest/trial/output.txt": true, "/quests/:quest/steps/:step/raw": true,
		"/runs/:run/output": true, "/runs/:run/output.txt": true, "/runs/:run/log": true, "/runs/:run/find": true, "/runs/:run/lines/:line": true,
		paths.SharedPrefix + ":token/runs/:run/output": true, paths.SharedPrefix + ":token/runs/:run/output.txt": true,
		paths.SharedPrefix + ":token/runs/:run/log": true, paths.SharedPrefix + ":token/runs/:run/lines/:line": true,
	}

	// unbounded routes cost next to nothing, or count for themselves (sockets).
	unbounded = map[string]bool{"/mcp": true, "/healthz": true, "/readyz": true, "/metrics": true,
		paths.WebSocket: true, paths.SharedPrefix + ":token/ws": true}
)

// busy bounds what requests hold in memory together: what is one too many waits,
// or is refused with 503.
type busy struct {
	all, heavy chan struct{} // hold one for each request
	turn       time.Duration
}

func newBusy() *busy {
	return &busy{all: make(chan struct{}, maxRequests), heavy: make(chan struct{}, maxHeavy), turn: turnTime}
}

func (b *busy) bounded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if unbounded[c.Path()] {
			return next(c)
		}
		select {
		case b.all <- struct{}{}:
			defer func() { <-b.all }()
		default:
			return refuseBusy(c)
		}
		if !heavy[c.Path()] {
			return next(c)
		}
		ctx, cancel := context.WithTimeout(c.Request().Context(), b.turn)
		defer cancel()
		select {
		case b.heavy <- struct{}{}:
			defer func() { <-b.heavy }()
			return next(c)
		case <-ctx.Done():
			return refuseBusy(c)
		}
	}
}

func refuseBusy(c echo.Context) error {
	c.Response().Header().Set("Retry-After", "5")
	return errBusy
}
