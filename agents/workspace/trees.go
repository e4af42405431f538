package workspace

import (
	"context"
	"errors"
	"time"
)

// Trees gives every line of a quest a working tree of its own (worktree mode).
// All state is in git's refs and in the folders below Root, so every call may
// be repeated after a crash at any point. Use one value for the whole server;
// safe for concurrent use, calls on one repository take turns. A line's tree
// must have no agent at work while one of its methods runs.
//
// Names: the quest's branch is quest/<id>, a line's is quest-steps/<id>/<line>.
// (git cannot hold quest/<id> and quest/<id>/<line> at once: the one would be a
// file where the other needs a folder.) What is kept is below
// refs/questboard/kept/<id>/<line>/.
//
// Nothing that the repository brings along is executed: hooks, fsmonitor, its
// own filters and merge drivers are off. Filters of the user's own
// configuration (git-lfs installed globally) do run, as without them a checkout
// would hold pointers instead of files. Submodules are not checked out.
type Trees struct {
	Git  Git
	Root string // absolute; <data>/worktrees

	turns turns
}

// Ref names a quest in its repository.
type Ref struct {
	Quest string // the quest's id
	Repo  string // the user's checkout, or a folder within
	Base  string // branch or commit the quest starts from; empty: HEAD
}

// Stamp says on whose behalf a commit is made.
type Stamp struct {
	Run, Role string
	Summary   string // first line: the commit's subject; an agent's words, taken as data
}

// Committed is what became of a run's changes.
type Committed struct {
	Commit  string   // empty: nothing had changed
	Files   []string // what the run changed, relative to the tree's root; of a merge, what was settled by hand
	Markers []string // files that still hold conflict markers
	Nested  []string // repositories within the tree, which stay uncommitted
	Merge   bool     // a merge was concluded
}

// Outcome is what bringing a line up to date led to.
type Outcome string

const (
	// UpToDate: there is nothing new that ward would have to see.
	UpToDate Outcome = "up-to-date"
	// Updated: the quest's branch was merged into the line's.
	Updated Outcome = "updated"
	// Conflict: the merge waits in the line's tree, markers in the files.
	Conflict Outcome = "conflict"
)

// Brought is the result of Bring.
type Brought struct {
	Outcome Outcome
	Files   []string // conflict: the files to settle
	Quest   string   // the quest's branch, a commit
	Tip     string   // the line's branch, a commit
}

// Kept is work that is in no branch any more.
type Kept struct {
	Ref     string // for Restore
	Line    string
	Label   string // the run, or why it was kept: uncommitted, unmerged, …
	Commit  string
	Subject string
	At      time.Time
}

// DiffMax is the most that Diff and QuestDiff return, in bytes.
const DiffMax = 16 << 20

// How says how a quest's branch arrives in the base branch.
type How string

const (
	FastForward How = "fast-forward" // refused where the base moved on
	MergeCommit How = "merge"
	Squash      How = "squash" // one commit without the quest's history
)

// Refusals; the error that wraps one is a sentence for the user.
var (
	ErrNoCommit    = errors.New("the repository has no commit")
	ErrBare        = errors.New("the repository is bare")
	ErrBranchTaken = errors.New("the branch name is taken")
	ErrName        = errors.New("not a usable name")
	ErrNotBegun    = errors.New("the quest has no branch")
	ErrDiverged    = errors.New("the line does not contain the quest's branch")
	ErrDirty       = errors.New("the checkout has uncommitted changes")
	ErrConflict    = errors.New("conflict with the base branch")
	ErrNoBranch    = errors.New("the base is not a branch")
)

var errLater = errors.New("not written yet")

// Begin makes the quest's branch at the base commit, and the quest's own
// worktree; it returns the base commit. Done already: nothing changes.
func (t *Trees) Begin(ctx context.Context, ref Ref) (base string, err error) { return "", errLater }

// Dir is where a line works, made if need be: for requirements and plan the
// quest's own worktree, which they only read; for every other line a worktree
// and branch of its own, from the quest's branch as it is then.
func (t *Trees) Dir(ctx context.Context, ref Ref, line string) (string, error) { return "", errLater }

// Commit makes one commit of all that changed in the line's worktree, new files
// included and ignored ones not, on the line's branch. A merge in progress is
// concluded, markers or not.
func (t *Trees) Commit(ctx context.Context, ref Ref, line string, stamp Stamp) (Committed, error) {
	return Committed{}, errLater
}

// Discard undoes what a role that only reads has changed, and returns the
// files. They are kept under refs/questboard/kept/<quest>/<line>/<run>.
func (t *Trees) Discard(ctx context.Context, ref Ref, line string, stamp Stamp) ([]string, error) {
	return nil, errLater
}

// Bring merges the quest's branch into the line's, in the line's worktree. What
// is uncommitted there is kept and undone first. After a Conflict the merge
// waits for Commit.
func (t *Trees) Bring(ctx context.Context, ref Ref, line string) (Brought, error) {
	return Brought{}, errLater
}

// Advance moves the quest's branch forward to the line's tip and returns it;
// the quest's worktree follows. ErrDiverged: the quest's branch has moved on,
// Bring first.
func (t *Trees) Advance(ctx context.Context, ref Ref, line string) (commit string, err error) {
	return "", errLater
}

// Remove ends a line's worktree and branch; what is uncommitted or unmerged is
// kept first. Of requirements and plan: the quest's own worktree, while its
// branch stays.
func (t *Trees) Remove(ctx context.Context, ref Ref, line string) error { return errLater }

// Kept lists what was kept of a quest, oldest first.
func (t *Trees) Kept(ctx context.Context, repo, quest string) ([]Kept, error) { return nil, errLater }

// Restore makes a branch of what was kept.
func (t *Trees) Restore(ctx context.Context, repo, kept, branch string) error { return errLater }

// Diff is what the line changed, as a unified diff against the quest's branch
// it stands on; after its work was merged, against the quest's branch before.
// At most DiffMax bytes; cut says that there is more.
func (t *Trees) Diff(ctx context.Context, ref Ref, line string) (diff []byte, cut bool, err error) {
	return nil, false, errLater
}

// QuestDiff is what the quest changed against its base; see Diff.
func (t *Trees) QuestDiff(ctx context.Context, ref Ref) (diff []byte, cut bool, err error) {
	return nil, false, errLater
}

// Changed names the files that Diff is about.
func (t *Trees) Changed(ctx context.Context, ref Ref, line string) ([]string, error) {
	return nil, errLater
}

// DiskUse is what the quest's worktrees take on disk, in bytes.
func (t *Trees) DiskUse(ctx context.Context, quest string) (int64, error) { return 0, errLater }

// Sweep tidies up after a restart: lock files of dead processes, worktrees that
// are half made or half removed. It deletes nothing that an agent wrote.
func (t *Trees) Sweep(ctx context.Context, ref Ref) error { return errLater }

// Deliver brings the quest's branch to the base branch and returns the commit
// that the base branch is at then. The user's checkout is touched only where
// the base branch is checked out in it; ErrDirty, naming files, where it has
// changes. Repeating it is harmless.
func (t *Trees) Deliver(ctx context.Context, ref Ref, how How, message string) (commit string, err error) {
	return "", errLater
}

// Patch is the quest's change for "git apply", binary files included.
func (t *Trees) Patch(ctx context.Context, ref Ref) ([]byte, error) { return nil, errLater }

// PushCommand is a command line for the user to copy.
func (t *Trees) PushCommand(ctx context.Context, ref Ref) (string, error) { return "", errLater }

type turns struct{}
