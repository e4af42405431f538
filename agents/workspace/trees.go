// Package workspace gives quests their working trees and answers questions
// about them by asking git. Git that it starts (agents/git) reads a configuration
// which we wrote, in a folder of ours (view.go), and no other: nothing that a
// repository or an agent configures is heeded.
//
// Where to read what; this file has what callers see.
//   - A merge: bring.go and advance.go, with commit.go, stage.go, keep.go and
//     follow.go, which they call.
//   - A delivery: deliver.go and checkout.go; push.go.
//   - The beginning of a quest: begin.go, fetch.go. Its end: remove.go, forget.go,
//     shrink.go, orphans.go.
//   - What they stand on: repository.go (the quest's git directory), tree.go (a
//     worktree), refs.go (the names of its refs), commands.go (how git is asked).
//   - What keeps git from what others wrote: find.go, plain.go and look.go before it
//     starts, settings.go and view.go for what it reads, users.go for the user's
//     repository.
package workspace

import (
	"context"
	"errors"
	"sync"

	"questboard/agents/git"
	"questboard/orchestration"
)

// Trees gives every line of a quest a working tree of its own (worktree mode).
// They belong to a git directory of ours, one for each repository, below Git.Dir
// (view.go); from the user's repository comes what a quest starts from, and to
// it goes the quest's branch. All state is in git's refs and in the folders
// below Root and Git.Dir, so every call may be repeated after a crash at any point.
// Use one value for the whole server; safe for concurrent use, calls on one
// repository take turns. A line's tree must have no agent at work while one of its
// methods runs.
//
// Names: the quest's branch is quest/<id>, a line's is quest-steps/<id>/<line>.
// (git cannot hold quest/<id> and quest/<id>/<line> at once: the one would be a
// file where the other needs a folder.) What is kept is below
// refs/questboard/kept/<id>/<line>/.
//
// Nothing that the repository configures is heeded. The user's own git-lfs runs
// for a repository that the user trusts; what is not on this machine stays a
// pointer. Submodules are not checked out.
type Trees struct {
	Git  Git
	Root string // absolute; <data>/worktrees
	// LFS reports whether the user trusts a repository with git-lfs. May be nil:
	// then there are pointers in worktrees.
	LFS func(repo string) bool

	locks   git.Locks
	carried sync.Map // the quests, by repository, that have nothing in the user's repository to carry over
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

// Shared is the workspace of quests whose agents all work in the repository
// itself; two steps that share a file never run together there.
type Shared struct{ Git }

// Dir is the quest's repository, whatever the line.
func (Shared) Dir(_ context.Context, q *orchestration.Quest, _ string) (string, error) {
	return q.Repo, nil
}
