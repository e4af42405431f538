package record

import "time"

// AuditEntry records who did what from where. It is for people; no rule reads it.
type AuditEntry struct {
	ID     int64
	At     time.Time
	Actor  string // owner, or stranger
	Via    string // browser, token, or open: no login was required
	Action string // for example "approve or send back"; without a name, the route
	Quest  string // empty: none
	Target string // the step, run, question or gate, or the name of a channel; empty: none
	Status int    // of the answer; from 400 on: refused or failed
	Remote string // address of the client
	Agent  string // the client's User-Agent, shortened
}

// AuditLoginRefused is the only action that strangers can add to the audit.
const AuditLoginRefused = "login refused"

// AuditNote is the key under which the handler of a request leaves what its audit entry says
// beside the target: a decision about a call, and the rule that matched, or the name of a
// channel.
const AuditNote = "audit-note"

// AuditFilter chooses entries; zero fields choose all.
type AuditFilter struct {
	After, Before int64 // ids, both exclusive
	Action, Quest string
	Newest        bool // newest first; else oldest first
	N             int
}
