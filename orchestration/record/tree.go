package record

import (
	"time"
)

// What git holds of a quest in worktree mode, as pages show it. No rule reads it.

// Place is the folder where a step works.
type Place struct {
	Step   string
	Host   string // the machine; empty: the server's own
	Dir    string // absolute
	Exists bool   // it is there now
}

// Extent is how much a quest has changed against its base.
type Extent struct {
	Files          int
	Added, Removed int  // lines
	Uncounted      int  // of the files: binary or large, without their lines
	More           bool // there are more files than were counted
}

// Kept is work that is not on any branch.
type Kept struct {
	Ref     string // names it, for example for restoring
	Step    string
	Label   string // the run, or why it was kept: uncommitted, unmerged, …
	Commit  string
	Subject string
	At      time.Time
}

// Pushed is the result of a push.
type Pushed struct {
	Branch, Remote string
	PullRequest    string // its address; empty: none was opened
	Command        string // the command with which a person can do the same
	Note           string // why no pull request was opened
}
