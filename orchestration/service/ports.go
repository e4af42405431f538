package service

import (
	"context"
	"os"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Each refusal of a port is an *orchestration.Error. It tells the user what is wrong and
// what to do. If something does not exist, its code is CodeNotFound.

// Quests is the part of the engine that pages and API need.
type Quests interface {
	// Create begins a quest. It fills in ID, At, Backoff and empty Limits.
	Create(ctx context.Context, n orchestration.NewQuest) (*orchestration.Quest, error)
	// Submit applies an input and returns once it is committed. With a refusal it also
	// returns the current quest, if there is one.
	Submit(ctx context.Context, quest, actor string, input orchestration.InputKind) (*orchestration.Quest, error)
	Quest(ctx context.Context, id string) (*orchestration.Quest, error)
	// Active returns the quests that are not over, newest first.
	Active() []*orchestration.Quest
	// Undelivered returns the quests that are over and wait for delivery, with their
	// own fields only. It is quick.
	Undelivered() []*orchestration.Quest
	// Ended lists quests that are over, newest end first.
	Ended(ctx context.Context, f orchestration.EndedFilter) ([]orchestration.Ended, error)
	// Tally counts the outcomes of all quests that are over.
	Tally(ctx context.Context) (orchestration.Tally, error)
	// Usual says what complete quests of each size took. It is quick.
	Usual(ctx context.Context) (map[orchestration.Size]orchestration.Usual, error)
	// Quests returns all quests complete, including those that are over. It is slow.
	Quests(ctx context.Context) ([]*orchestration.Quest, error)
	// Events returns the history entries of a quest that the filter chooses.
	Events(ctx context.Context, quest string, f orchestration.EventFilter) ([]orchestration.Event, error)
	// Delete removes a quest that is over, and its history. For any other quest it
	// returns a conflict.
	Delete(ctx context.Context, id string) error
	// Deletions lists what deleted quests have left elsewhere, until Deleted is called.
	// Beside an error it returns those that can be read.
	Deletions(ctx context.Context) ([]orchestration.Deletion, error)
	Deleted(ctx context.Context, quest string) error
	// Slots returns how many agents run at once, Checks how many checks, beside the slots.
	Slots() int
	Checks() int
	// Turns returns how many turns of new steps each priority has had.
	Turns() orchestration.Turns
	// SetSlots changes the number of slots, 1 to 64. Lowering it ends no run.
	SetSlots(ctx context.Context, n int) error
	Holds() []orchestration.AccountHold
	// Ledger returns what all quests have used, and SharedBudgets the budgets that they share.
	Ledger() orchestration.Ledger
	SharedBudgets() []orchestration.SharedBudget
	// LastLine returns the newest line of a live run for its card, or "".
	LastLine(run string) string
	// Spending returns what a live run of an agent has used so far. Beside an error it returns
	// what the run itself told.
	Spending(ctx context.Context, q *orchestration.Quest, r *orchestration.Run) (orchestration.Spending, error)
	// Compactions counts how many times the conversation of a live run was summarised,
	// because its context was full.
	Compactions(run string) int
}

// Settings keeps what belongs to the server and not to a quest.
type Settings interface {
	Settings(ctx context.Context) (record.Settings, error)
	// ChangeSettings commits everything that change does, or nothing. change must not
	// wait for anything, and must replace lists instead of writing into them.
	ChangeSettings(ctx context.Context, change func(*record.Settings)) error
}

// Outbox has what channels send.
type Outbox interface {
	// Standing says how a channel does.
	Standing(ctx context.Context, channel string) (record.Standing, error)
	// Failed returns up to n messages of a channel that were given up, newest first.
	Failed(ctx context.Context, channel string, n int) ([]record.Message, error)
}

// Drafts keeps quests that have not begun.
type Drafts interface {
	// Drafts returns all drafts, the last changed first.
	Drafts(ctx context.Context) ([]record.Draft, error)
	Draft(ctx context.Context, id string) (record.Draft, error)
	// SaveDraft stores a draft. One with version 0 is new and gets an id; any other
	// replaces the stored draft if that has the same version.
	SaveDraft(ctx context.Context, d record.Draft) (record.Draft, error)
	// DeleteDraft removes a draft from the list; RestoreDraft brings it back.
	DeleteDraft(ctx context.Context, id string, at time.Time) error
	RestoreDraft(ctx context.Context, id string) error
	// DropOldDrafts removes for good the deleted drafts that can no longer be restored.
	// KeptDrafts returns all others, deleted or not.
	DropOldDrafts(ctx context.Context, now time.Time) error
	KeptDrafts(ctx context.Context) ([]record.Draft, error)
}

// Audit reads who did what from where.
type Audit interface {
	Audit(ctx context.Context, f record.AuditFilter) ([]record.AuditEntry, error)
}

// Output reads what runs wrote; agents/runlog keeps it. A run without output gives
// fs.ErrNotExist.
type Output interface {
	// Page returns up to n lines from line from (counted from 0), without their
	// newlines, and the total number of lines. If lines are very long, a page has fewer
	// than n, but at least one.
	Page(run string, from, n int) (lines [][]byte, total int, err error)
	// Watch signals new lines of the run until stop is called.
	Watch(run string) (rings <-chan struct{}, stop func())
	// Prompt returns what the agent of a run was told. fs.ErrNotExist: none was kept.
	Prompt(run string) (KeptPrompt, error)
	// Raw opens the whole file.
	Raw(run string) (*os.File, error)
	// Remove deletes all output of a run.
	Remove(run string) error
}

// Repos looks at repositories.
type Repos interface {
	// Look returns what a quest in dir must know. If dir cannot be used, Fault says
	// why.
	Look(ctx context.Context, dir string) (Repository, error)
	// WithDefaults completes a request. It cleans Repo, chooses Workspace if that is
	// empty, and replaces Branch, the requested base or "", with what the quest stores.
	// A refusal names the fields repo, workspace and base.
	WithDefaults(ctx context.Context, n orchestration.NewQuest) (orchestration.NewQuest, error)
	// Expand replaces a leading ~ with the home directory of the server's user.
	Expand(typed string) string
	// Folders returns the folders that could complete a path that is being typed.
	Folders(typed string) []string
	// Browse lists the folders in dir. If dir cannot be read, Fault says why.
	Browse(ctx context.Context, dir string) Listing
	// RepoConfig reads what a directory asks agents' programs to run or to load. It
	// runs nothing.
	RepoConfig(dir string) (record.RepoConfig, error)
	// RepoFile reads the repository's own file from a branch or a commit; an empty base
	// means what is checked out. A repository without a commit has none. A refusal names
	// the field base.
	RepoFile(ctx context.Context, dir, base string) (RepoFile, error)
	// CachedRepoConfig is RepoConfig, but up to some seconds old, for boards, which are
	// rendered at every change.
	CachedRepoConfig(dir string) (record.RepoConfig, error)
}

// Repository is what the form for a new quest shows about a folder.
type Repository struct {
	Path       string // clean
	Fault      string // why no quest can work there; the other fields are empty then
	Branch     string // the branch that is checked out; empty: the head is detached
	NoTrees    string // why steps cannot have worktrees; empty: they can
	Changed    int    // files that differ from the last commit
	Submodules bool
	LFS        bool
	Checks     []string // possible check commands for the project, best first
}

// Listing is what Browse found in a folder.
type Listing struct {
	Dir, Parent string // clean; no Parent: Dir is the root
	Folders     []Folder
	Left        int    // folders that are not in the list
	More        bool   // there are more entries than were read
	Fault       string // why the folder cannot be read; there are no Folders then
}

// Folder is one entry of a Listing.
type Folder struct {
	Name, Path string
	Repository bool // there is something named .git in it
	Silent     bool // it did not say so in time
}

// Trees is the git side of a quest in worktree mode.
type Trees interface {
	// Deliver merges a complete quest's work into its base branch; how is fast-forward,
	// merge or squash. Repeating it is harmless. With a refusal it also returns the
	// current quest, if there is one.
	Deliver(ctx context.Context, q *orchestration.Quest, actor, how, message string) (*orchestration.Quest, error)
	// Push pushes a complete quest's branch and opens a pull request if it can.
	Push(ctx context.Context, q *orchestration.Quest) (record.Pushed, error)
	// Patch returns the quest's change, for "git apply".
	Patch(ctx context.Context, q *orchestration.Quest) ([]byte, error)
	// Diff returns what a step changed or, with an empty step, what has been merged of
	// the whole quest: a git patch of at most 16 MiB. cut says that there is more. It
	// refuses with CodeNotFound if there is nothing yet, and with CodeUnavailable if
	// the repository cannot be read.
	Diff(ctx context.Context, q *orchestration.Quest, step string) (patch []byte, cut bool, err error)
	// Extent measures what Diff returns of the whole quest, with the same refusals. It may
	// be slow.
	Extent(ctx context.Context, q *orchestration.Quest) (record.Extent, error)
	// DiffOf returns the part of Diff that is about some files, with this many unchanged
	// lines around each change. A file is named as it was and as it is.
	DiffOf(ctx context.Context, q *orchestration.Quest, step string, around int, names []string) (patch []byte, cut bool, err error)
	// Writers returns the commit that wrote each line of a file of the quest's branch, from
	// line 1 on. It may be slow.
	Writers(ctx context.Context, q *orchestration.Quest, name string) (commits []string, err error)
	// Kept lists the quest's commits that only a ref of ours holds, such as uncommitted or
	// unmerged work, oldest first.
	Kept(ctx context.Context, q *orchestration.Quest) ([]record.Kept, error)
	// Restore makes a new branch from an entry of Kept.
	Restore(ctx context.Context, q *orchestration.Quest, ref, branch string) error
	// Root returns the folder of the quest's worktrees, Place the folder where a step
	// works. Both are empty in a shared tree. They are quick.
	Root(q *orchestration.Quest) string
	Place(q *orchestration.Quest, step string) record.Place
	// Disk returns the size of the quest's worktrees in bytes. It may be slow.
	Disk(ctx context.Context, q *orchestration.Quest) (int64, error)
	// Forget removes the worktrees and branches of a deleted quest. Unmerged work is
	// kept in the repository. late means that the deletion was some time ago. A missing
	// repository is then an error, because it may come back; and a branch that moved
	// since stays, because somebody uses it.
	Forget(ctx context.Context, d orchestration.Deletion, late bool) error
}

// Trials runs check commands in a repository to see what they do. No quest knows of them,
// and there is one at a time.
type Trials interface {
	// Begin runs the command. It ends at the limit.
	Begin(at TrialPlace, command string, limit time.Duration) error
	// End stops the command of a place if it is still running.
	End(place string)
	// Last returns the newest trial of a place.
	Last(place string) (Trial, bool)
}

// TrialPlace is where a command is tried: in the folder of a quest, or of one that is being
// written. Its Name keeps their trials apart.
type TrialPlace struct {
	Name  string
	Quest string // whose home in the sandbox it gets; empty: the trial gets one of its own
	Dir   string
	Ports int
}

// PlaceOf is where a quest's command is tried. In the sandbox the command can write the checkout, so
// it does not get the home of agents that cannot.
func PlaceOf(q *orchestration.Quest) TrialPlace {
	at := TrialPlace{Name: q.ID, Dir: q.Repo, Ports: q.Ports()}
	if !inTrees(q) {
		at.Quest = q.ID
	}
	return at
}

// PlaceOfNew is where the command of a quest that is being written is tried.
func PlaceOfNew(repo string) TrialPlace {
	return TrialPlace{Name: "new " + repo, Dir: repo, Ports: orchestration.DefaultPorts}
}

// Trial is one run of a command.
type Trial struct {
	Run          string // the name of its output
	Command, Dir string
	Began        time.Time
	Going        bool
	Passed       bool
	Why          string // the result
	Took         time.Duration
}

// Doctor checks everything that quests need on this machine.
type Doctor interface {
	// Examine starts all checks, unless they are in progress, and does not wait. done
	// is closed once all results are known.
	Examine() (done <-chan struct{})
	// Report returns the results so far. Its At is zero before the first Examine.
	Report() DoctorReport
}

// DoctorReport is the result of the checks.
type DoctorReport struct {
	At       time.Time // when the checks began
	Findings []Finding
}

// Finding is the result of one check. A bad one includes the remedy.
type Finding struct {
	What, Says   string
	Bad, Running bool
	Needed       bool   // no quest can run without it
	Idle         string // neither good nor bad, in a word: "off" or "none"
	Took         time.Duration
}
