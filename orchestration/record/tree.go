package record

import (
	"time"
)

// What git holds of a quest in worktree mode. No rule looks at it; it is named
// here for those who show it.

// Place is where a line works.
type Place struct {
	Line   string
	Dir    string // absolute
	Exists bool   // it is there now
}

// Kept is work that is in no branch any more.
type Kept struct {
	Ref     string // names it, say for restoring
	Line    string
	Label   string // the run, or why it was kept: uncommitted, unmerged, …
	Commit  string
	Subject string
	At      time.Time
}

// Pushed is what became of a push.
type Pushed struct {
	Branch, Remote string
	PullRequest    string // its address; empty: none was opened
	Command        string // what a person can run to do the same
	Note           string // why no pull request was opened
}
