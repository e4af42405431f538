package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/orchestration/record"
)

// auditJSON is one entry of the audit.
type auditJSON struct {
	ID     int64      `json:"id"`
	At     *time.Time `json:"at"`
	Actor  string     `json:"actor"`
	Via    string     `json:"via"`
	Action string     `json:"action"`
	Quest  *string    `json:"quest"`
	Target *string    `json:"target"`
	Status int        `json:"status"`
	Remote string     `json:"remote"`
	Agent  string     `json:"userAgent"`
}

// listAudit answers with a page of the audit, oldest first. The caller passes last as
// ?after= to get the next page.
func (h handlers) listAudit(c echo.Context) error {
	after, n, err := page(c, "after")
	if err != nil {
		return err
	}
	entries, err := h.Audit.Audit(c.Request().Context(), record.AuditFilter{After: after, N: n,
		Action: c.QueryParam("action"), Quest: c.QueryParam("quest")})
	if err != nil {
		return err
	}
	last, out := after, make([]auditJSON, len(entries))
	for i, e := range entries {
		last = e.ID
		out[i] = auditJSON{ID: e.ID, At: instant(e.At), Actor: e.Actor, Via: e.Via, Action: e.Action, Quest: orNull(e.Quest),
			Target: orNull(e.Target), Status: e.Status, Remote: e.Remote, Agent: e.Agent}
	}
	return c.JSON(http.StatusOK, map[string]any{"entries": out, "last": last})
}
