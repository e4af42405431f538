package handlers

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/views"
	"questboard/web/paths"
)

// auditPage is how many entries a page has.
const auditPage = 100

// AuditPage shows who did what from where, newest first: ?action=, ?quest=, and
// ?before=ID for the next page.
func (p *Pages) AuditPage(c echo.Context) error {
	ctx := c.Request().Context()
	frame := p.frame("Audit", views.SectionSettings)
	f := record.AuditFilter{Action: c.QueryParam("action"), Quest: c.QueryParam("quest"), Newest: true, N: auditPage + 1}
	f.Before, _ = strconv.ParseInt(c.QueryParam("before"), 10, 64) // an invalid value begins at the top
	entries, err := p.Audit.Audit(ctx, f)
	if err != nil {
		return fmt.Errorf("read the audit: %w", err)
	}
	page := views.Audit{Frame: frame, Action: views.Visible(f.Action), Quest: views.Visible(f.Quest), Later: f.Before > 0}
	if len(entries) > auditPage {
		entries = entries[:auditPage]
		page.OlderURL = paths.AuditOf(f.Action, f.Quest, entries[auditPage-1].ID)
	}
	page.NewestURL = paths.AuditOf(f.Action, f.Quest, 0)
	for _, e := range entries {
		page.Rows = append(page.Rows, auditRow(e))
	}
	return render(c, http.StatusOK, views.AuditPage(page))
}

func auditRow(e record.AuditEntry) views.AuditRow {
	row := views.AuditRow{At: e.At, Actor: views.Visible(e.Actor), Via: views.Visible(e.Via), Action: views.Visible(e.Action),
		ActionURL: paths.AuditOf(e.Action, "", 0), Quest: views.Visible(e.Quest), Target: views.Visible(e.Target),
		Remote: views.Visible(e.Remote), Agent: views.Visible(e.Agent)}
	if e.Quest != "" {
		row.QuestURL = paths.AuditOf("", e.Quest, 0)
	}
	if e.Status >= http.StatusBadRequest {
		row.Failed = fmt.Sprintf("refused (%d)", e.Status)
	}
	return row
}

// AuditEntry records who did what from where.
type AuditEntry = record.AuditEntry

// AuditLoginRefused is the action of a refused login.
const AuditLoginRefused = record.AuditLoginRefused

// AuditNote is what the handler of a request has left for its audit entry; empty: nothing.
func AuditNote(c echo.Context) string {
	note, _ := c.Get(record.AuditNote).(string)
	return note
}

// QuestOf returns the quest of a run or a question.
func QuestOf(id string) string { return orchestration.QuestOf(id) }
