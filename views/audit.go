package views

import "time"

// Audit is a page of the audit: who did what from where.
type Audit struct {
	Frame         Frame
	Action, Quest string // the filter; empty: all
	Rows          []AuditRow
	OlderURL      string // empty: there are no older entries
	NewestURL     string
	Later         bool // this is not the newest page
}

// AuditRow is one entry of the audit.
type AuditRow struct {
	At                            time.Time
	Actor, Via, Action, ActionURL string
	Quest, QuestURL, Target       string
	Failed                        string // why it failed; empty: it succeeded
	Remote, Agent                 string
}
