package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// Doctor checks all that a quest needs on this machine.
type Doctor interface {
	// Examine returns once all is known, and when the checks began.
	Examine(ctx context.Context) (time.Time, []Finding, error)
}

// Finding is what one check found; what is not OK says its remedy.
type Finding struct {
	What    string  `json:"what"`
	OK      bool    `json:"ok"`
	State   string  `json:"state"` // fine, missing, off or none
	Says    string  `json:"says"`
	Seconds float64 `json:"seconds"`
}

func (h handlers) examine(c echo.Context) error {
	at, findings, err := h.Doctor.Examine(c.Request().Context())
	if err != nil {
		return err
	}
	well := true
	for _, f := range findings {
		well = well && f.OK
	}
	return c.JSON(http.StatusOK, map[string]any{"ok": well, "checkedAt": instant(at), "checks": list(findings)})
}
