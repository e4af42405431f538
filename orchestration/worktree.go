package orchestration

import (
	"regexp"
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

// commitID is what a quest remembers of a base that is no branch.
var commitID = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// FromCommit reports whether the quest started from a commit and not from a branch,
// so that there is none to deliver its work to.
func (q *Quest) FromCommit() bool { return commitID.MatchString(q.Branch) }

// Branches returns the branch that the quest's work is on, and the branch or
// commit that it started from. In a shared tree that is the branch that was
// checked out, and nothing.
func (q *Quest) Branches() (work, base string) {
	if q.Workspace == WorkspaceWorktree {
		return "quest/" + q.ID, q.Branch
	}
	return q.Branch, ""
}
