package service

import (
	"context"
	"os"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// A refusal of any port is an *orchestration.Error, in words for the user and
// with the remedy; what is not there is one with CodeNotFound.

// Quests is the engine, as far as pages and API need it.
type Quests interface {
	// Create begins a quest. ID, At, Backoff and empty Limits are filled in by
	// the callee.
	Create(ctx context.Context, n orchestration.NewQuest) (*orchestration.Quest, error)
	// Submit applies a fact and returns once it is committed. With a refusal it
	// returns the fresh quest too, where there is one.
	Submit(ctx context.Context, quest, actor string, fact orchestration.Fact) (*orchestration.Quest, error)
	Quest(ctx context.Context, id string) (*orchestration.Quest, error)
	// Active returns what is not over, newest first.
	Active() []*orchestration.Quest
	// Undelivered returns what is over and waits for the user to deliver its
	// work, with the quests' own fields alone. It is quick.
	Undelivered() []*orchestration.Quest
	// Ended lists what is over, the newest end first.
	Ended(ctx context.Context, f orchestration.EndedFilter) ([]orchestration.Ended, error)
	// Tally counts what the quests that are over came to.
	Tally(ctx context.Context) (orchestration.Tally, error)
	// Quests returns all of them whole, those that are over too: it is slow.
	Quests(ctx context.Context) ([]*orchestration.Quest, error)
	// Events returns the history entries of a quest that the filter chooses.
	Events(ctx context.Context, quest string, f orchestration.EventFilter) ([]orchestration.Event, error)
	// Delete removes a quest that is over and its history; any other is a
	// conflict.
	Delete(ctx context.Context, id string) error
	// Deletions lists what deleted quests have left elsewhere, until Deleted is
	// called. Beside an error it has those that can be read.
	Deletions(ctx context.Context) ([]orchestration.Deletion, error)
	Deleted(ctx context.Context, quest string) error
	// Slots is how many runs may go on at once.
	Slots() int
	// SetSlots changes that, to 1 to 64; lowering it ends nobody.
	SetSlots(ctx context.Context, n int) error
	Holds() []orchestration.AccountHold
	// LastLine is the newest line of a live run for its card, or "".
	LastLine(run string) string
}

// Settings keeps what belongs to the server and to no quest.
type Settings interface {
	Settings(ctx context.Context) (record.Settings, error)
	// ChangeSettings commits all that change does, or nothing. It must not wait
	// for anything, and replace what lies within lists.
	ChangeSettings(ctx context.Context, change func(*record.Settings)) error
}

// Drafts keeps quests that have not begun.
type Drafts interface {
	// Drafts returns all, the last changed first.
	Drafts(ctx context.Context) ([]record.Draft, error)
	Draft(ctx context.Context, id string) (record.Draft, error)
	// SaveDraft stores a draft: a new one, with an id, where its version is 0,
	// else in place of that version and of no other.
	SaveDraft(ctx context.Context, d record.Draft) (record.Draft, error)
	// DeleteDraft takes a draft off the list; RestoreDraft brings it back.
	DeleteDraft(ctx context.Context, id string, at time.Time) error
	RestoreDraft(ctx context.Context, id string) error
}

// Audit reads who did what from where.
type Audit interface {
	Audit(ctx context.Context, f record.AuditFilter) ([]record.AuditEntry, error)
}

// Output reads what runs wrote; agents/runlog keeps it. A run without output is
// fs.ErrNotExist.
type Output interface {
	// Page returns up to n lines from line from (counted from 0), without
	// their newlines, and how many lines there are. Where lines are very long a
	// page has fewer than n, but at least one.
	Page(run string, from, n int) (lines [][]byte, total int, err error)
	// Watch rings when the run has new lines, until stop is called.
	Watch(run string) (rings <-chan struct{}, stop func())
	// Raw opens the whole file.
	Raw(run string) (*os.File, error)
	// Remove deletes all output of a run.
	Remove(run string) error
}

// Repos looks at repositories.
type Repos interface {
	// Look says what a quest that works in dir must know; what a path does not
	// say stands in Fault.
	Look(ctx context.Context, dir string) (Repository, error)
	// Settle completes an order: its Repo is made clean, its Workspace is
	// chosen where it is empty, and its Branch, until then the base that was
	// asked for or "", becomes what the quest remembers. A refusal names the
	// fields repo, workspace and base.
	Settle(ctx context.Context, n orchestration.NewQuest) (orchestration.NewQuest, error)
	// Folders are those that a path which is being typed may go on to.
	Folders(typed string) []string
	// Wants reads what a directory asks agents' programs to run or load. It
	// runs nothing.
	Wants(dir string) (record.Wants, error)
	// LatelyWanted is Wants as it was at most some seconds ago: for boards, which
	// are rendered at every change.
	LatelyWanted(dir string) (record.Wants, error)
}

// Repository is what the form for a new quest tells of a folder.
type Repository struct {
	Path       string // clean
	Fault      string // why no quest can work there; all else is empty then
	Branch     string // that is checked out; empty: the head is detached
	NoTrees    string // why steps cannot have trees of their own; empty: they can
	Changed    int    // files that differ from the last commit
	Submodules bool
	LFS        bool
	Checks     []string // commands that may check the project, best first
}

// Trees is git's part of a quest in worktree mode.
type Trees interface {
	// Deliver brings a complete quest's work to its base branch: how is
	// fast-forward, merge or squash. Repeating it is harmless. With a refusal
	// it returns the fresh quest too, where there is one.
	Deliver(ctx context.Context, q *orchestration.Quest, actor, how, message string) (*orchestration.Quest, error)
	// Push pushes a complete quest's branch and opens a pull request if it can.
	Push(ctx context.Context, q *orchestration.Quest) (record.Pushed, error)
	// Patch is the quest's change, for "git apply".
	Patch(ctx context.Context, q *orchestration.Quest) ([]byte, error)
	// Diff is what a line changed, or, with an empty line, what of the whole
	// quest has been merged: a patch of git's, at most 16 MiB of it; cut says
	// that there is more. A refusal is CodeNotFound where there is nothing yet,
	// CodeUnavailable where the repository cannot be read.
	Diff(ctx context.Context, q *orchestration.Quest, line string) (patch []byte, cut bool, err error)
	// Kept lists the work that is in no branch any more, oldest first.
	Kept(ctx context.Context, q *orchestration.Quest) ([]record.Kept, error)
	// Restore makes a new branch of what Kept names.
	Restore(ctx context.Context, q *orchestration.Quest, ref, branch string) error
	// Root is the folder of the quest's worktrees, Place where a line works;
	// both are empty in a shared tree. They are quick.
	Root(q *orchestration.Quest) string
	Place(q *orchestration.Quest, line string) record.Place
	// Disk is what the quest's worktrees take, in bytes. It may be slow.
	Disk(ctx context.Context, q *orchestration.Quest) (int64, error)
	// Forget removes the worktrees and branches of a quest that is deleted;
	// what is unmerged is kept in the repository. late: the deletion was some time
	// ago. A repository that is not there may come back then, which is an error,
	// and a branch that moved since is somebody's, and stays.
	Forget(ctx context.Context, d orchestration.Deletion, late bool) error
}

// Trials run a check command in a repository to see what it does. No quest
// knows of them; there is one at a time.
type Trials interface {
	// Begin runs the command for a quest. It ends by itself at its limit.
	Begin(quest, dir, command string, limit time.Duration) error
	// End stops it, if it still goes on.
	End(quest string)
	// Last is the newest one of a quest.
	Last(quest string) (Trial, bool)
}

// Trial is one run of a command.
type Trial struct {
	Run          string // of its output
	Command, Dir string
	Began        time.Time
	Going        bool
	Passed       bool
	Why          string // what came of it
	Took         time.Duration
}

// Doctor checks all that a quest needs on this machine.
type Doctor interface {
	// Examine begins all checks, unless they go on already, and does not wait:
	// done is closed once all is known.
	Examine() (done <-chan struct{})
	// Report is what is known by now; its At is zero before the first Examine.
	Report() DoctorReport
}

// DoctorReport is what was found.
type DoctorReport struct {
	At       time.Time // when the checks began
	Findings []Finding
}

// Finding is what one check found; what is bad says its remedy, too.
type Finding struct {
	What, Says   string
	Bad, Running bool
	Idle         string // neither fine nor bad, in a word: "off" or "none"
	Took         time.Duration
}
