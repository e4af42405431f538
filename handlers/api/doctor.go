package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration/service"
)

// findingJSON is the result of one check. If it is not OK, Says includes the remedy.
type findingJSON struct {
	What    string  `json:"what"`
	OK      bool    `json:"ok"`
	State   string  `json:"state"` // fine, missing, off or none
	Says    string  `json:"says"`
	Seconds float64 `json:"seconds"`
}

func presentFinding(f service.Finding) findingJSON {
	out := findingJSON{What: f.What, OK: !f.Bad, State: cmp.Or(f.Idle, "fine"), Says: f.Says, Seconds: f.Took.Seconds()}
	if f.Bad {
		out.State = "missing"
	}
	return out
}

// examine runs all checks, and answers when the last one is done.
func (h handlers) examine(c echo.Context) error {
	ctx := c.Request().Context()
	select {
	case <-h.Doctor.Examine():
	case <-ctx.Done():
		return ctx.Err()
	}
	report := h.Doctor.Report()
	well, found := true, make([]findingJSON, len(report.Findings))
	for i, f := range report.Findings {
		found[i] = presentFinding(f)
		well = well && !f.Bad
	}
	return c.JSON(http.StatusOK, map[string]any{"ok": well, "checkedAt": instant(report.At), "checks": found})
}

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
