package views

import "time"

// Audit is a page of who did what from where.
type Audit struct {
	Frame         Frame
	Action, Quest string // chosen; empty: all
	Rows          []AuditRow
	OlderURL      string // empty: there is nothing older
	NewestURL     string
	Later         bool // this is not the first page
}

// AuditRow is one entry.
type AuditRow struct {
	At                            time.Time
	Actor, Via, Action, ActionURL string
	Quest, QuestURL, Target       string
	Failed                        string // what became of it; empty: it was done
	Remote, Agent                 string
}
