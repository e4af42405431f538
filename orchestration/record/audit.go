package record

import "time"

// AuditEntry says who did what from where. It is kept for people; no rule
// looks at it.
type AuditEntry struct {
	ID     int64
	At     time.Time
	Actor  string // owner, or stranger
	Via    string // browser, token, or open: nobody had to log in
	Action string // say "approve or send back"; for what has no name, the route
	Quest  string // empty: none
	Target string // the step, run, question or gate; empty: none
	Status int    // of the answer: from 400 on it was refused or failed
	Remote string // address of the other end
	Agent  string // what its program calls itself, shortened
}

// AuditLoginRefused is the one action that strangers can add to the audit.
const AuditLoginRefused = "login refused"

// AuditFilter chooses entries; zero fields choose all.
type AuditFilter struct {
	After, Before int64 // ids, both exclusive
	Action, Quest string
	Newest        bool // newest first; else oldest first
	N             int
}
