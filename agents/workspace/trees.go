// Package workspace makes, merges, delivers and removes the working trees of quests, and
// answers questions about repositories. Only this package changes our git directories and
// the files in the trees. When it runs git, git reads only a configuration that we wrote
// (view.go) and obeys nothing that a repository or an agent configured. Package
// agents/git starts the git processes, and the engine decides when to do what.
//
// Where to find what; this file has what callers see.
//   - A merge: bring.go and advance.go, with commit.go, stage.go, keep.go and
//     follow.go, which they call.
//   - A delivery: deliver.go and checkout.go; push.go.
//   - The beginning of a quest: begin.go, fetch.go. Its end: remove.go, forget.go,
//     shrink.go, orphans.go.
//   - What all of them use: repository.go (the quest's git directory), tree.go (a
//     worktree), refs.go (the names of its refs), commands.go (how git is called).
//   - What a commit holds, without a check-out: contents.go.
//   - What protects git from files that others wrote: find.go, plain.go and look.go
//     before it starts, settings.go and view.go for what it reads, users.go for the
//     user's repository.
package workspace

import (
	"context"
	"errors"
	"sync"

	"questboard/agents/git"
	"questboard/orchestration"
	"questboard/patience"
)

// Trees gives every step of a quest its own working tree (worktree mode). The trees
// belong to a git directory of ours, one for each quest, below Git.Dir (view.go). What
// a quest starts from comes from the user's repository, and the quest's branch goes
// there. All state is in git's refs and in the folders below Root and Git.Dir, so every
// call may be repeated after a crash at any point. Use one value for the whole server.
// It is safe for concurrent use; calls on one quest run one after the other. No agent
// may be at work in a step's tree while one of its methods runs.
//
// Names: the quest's branch is quest/<id>, a step's is quest-steps/<id>/<step>. (git
// cannot have quest/<id> and quest/<id>/<step> together: the first would be a file
// where the second needs a folder.) Kept work is below
// refs/questboard/kept/<id>/<step>/.
//
// Trees obeys nothing that the repository configures. The user's own git-lfs runs if
// the user trusts the repository; files that are not on this machine stay pointers.
// Submodules are not checked out.
type Trees struct {
	Git  Git
	Root string // absolute; <data>/worktrees
	// LFS reports whether the user trusts a repository with git-lfs. It may be nil:
	// then worktrees have pointers.
	LFS func(repo string) bool
	// Elsewhere: the user is at another machine, which has the repository that is delivered
	// to. Nothing is written into the one here.
	Elsewhere bool

	locks   git.Locks
	look    func(dir string) string // within, but for tests
	looks   patience.Calls
	parts   sync.Map // by repository: where it was within its checkout at the last look
	carried sync.Map // quests, by repository, with nothing to carry over from the user's repository
}

// Ref names a quest in its repository.
type Ref struct {
	Quest string // the quest's id
	Repo  string // the user's checkout, or a folder within
	Base  string // branch or commit the quest starts from; empty: HEAD
	Start string // the commit of Base that the quest starts from; empty: the newest when it begins
	Work  string // a commit of the quest's runs, without which it does not begin; empty: there is none yet
}

// Stamp says for which run a commit is made.
type Stamp struct {
	Run, Role string
	Summary   string // first line: the commit's subject; an agent's words, used as data
}

// Committed is the result of Commit.
type Committed struct {
	From    string   // where the step's branch stood before
	Commit  string   // empty: nothing had changed
	Files   []string // what the run changed, relative to the tree's root; of a merge, what was resolved by hand
	Markers []string // files that still hold conflict markers
	Nested  []string // nested repositories, which stay uncommitted
	Merge   bool     // a merge was concluded
	Tip     string   // where the step's branch is now
}

// Outcome is the result of updating a step.
type Outcome string

const (
	// UpToDate: there is nothing new for ward to check.
	UpToDate Outcome = "up-to-date"
	// Updated: the quest's branch was merged into the step's.
	Updated Outcome = "updated"
	// Conflict: the merge waits in the step's tree, markers in the files.
	Conflict Outcome = "conflict"
)

// BringResult is the result of Bring.
type BringResult struct {
	Outcome Outcome
	Files   []string // conflict: the files to resolve; updated: what came in
	Quest   string   // the quest's branch, a commit
	Tip     string   // the step's branch, a commit
}

// DiffMax is the most that Diff and QuestDiff return, in bytes.
const DiffMax = 16 << 20

// How is the way in which a quest's branch is merged into the base branch.
type How string

const (
	FastForward How = "fast-forward" // refused if the base has moved on
	MergeCommit How = "merge"
	Squash      How = "squash" // one commit without the quest's history
)

// Refusals. The error that wraps one is a sentence for the user.
var (
	ErrNoCommit    = errors.New("the repository has no commit")
	ErrBare        = errors.New("the repository is bare")
	ErrBranchTaken = errors.New("the branch name is taken")
	ErrName        = errors.New("not a usable name")
	ErrWorkGone    = errors.New("the work of this quest is not in this data directory")
	ErrNotBegun    = errors.New("the quest has no branch")
	ErrDiverged    = errors.New("the step's branch does not contain the quest's branch")
	ErrUnseen      = errors.New("ward has not run on what the merge made")
	ErrDirty       = errors.New("the checkout has uncommitted changes")
	ErrConflict    = errors.New("conflict with the base branch")
	ErrNoBranch    = errors.New("the base is not a branch")
	ErrGone        = errors.New("the repository is gone")
	ErrInUse       = errors.New("still in use")
	ErrFull        = errors.New("the disk is full")
	ErrNotGit      = git.ErrNotGit
	ErrEnding      = git.ErrEnding
	ErrNoGh        = git.ErrNoGh
)

// QuestError says what could not be done for a quest. Err says why, without the quest's
// id, for a caller that names the quest itself.
type QuestError struct {
	Doing, Quest string
	Err          error
}

// Error implements error.
func (e *QuestError) Error() string { return e.Doing + " quest " + e.Quest + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *QuestError) Unwrap() error { return e.Err }

func ofQuest(doing, quest string, err error) error { return &QuestError{doing, quest, err} }

// ConflictError is ErrConflict with the names of the files.
type ConflictError struct {
	Files string // for a person: only the first of very many
}

// Error implements error.
func (e *ConflictError) Error() string {
	return ErrConflict.Error() + " in " + e.Files + ": bring the quest up to date first"
}

// Unwrap makes errors.Is(err, ErrConflict) work.
func (e *ConflictError) Unwrap() error { return ErrConflict }

// Shared is the workspace of quests whose agents all work in the repository itself. Two
// steps that share a file never run at the same time there.
type Shared struct{ Git }

// Dir returns the quest's repository for every step.
func (Shared) Dir(_ context.Context, q *orchestration.Quest, _ string) (string, error) {
	return q.Repo, nil
}
