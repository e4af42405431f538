// Package engine runs the rules of package orchestration: one goroutine takes inputs in
// order, stamps the time, calls Apply, commits, and only then replies, publishes and
// acts. It owns slots, timers, the start and end of runs, and recovery after a restart.
// It leaves the rules to package orchestration, rows to the store, and processes and
// trees to the packages below agents.
package engine

import (
	"context"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Store keeps quests. Conformance: storetest.Exercise.
type Store interface {
	// Commit writes the transitions in one transaction, in order; several may belong to
	// one quest. Each quest's first Before must be the version in the database (0: the
	// quest must not exist). Otherwise nothing is written and the error is ErrStale.
	// server, if not nil, replaces the server's own rows in the same transaction, even
	// without transitions. It already contains the transitions' account holds.
	Commit(ctx context.Context, transitions []orchestration.Transition, server *Server) error
	// Quest loads one complete quest, or returns ErrNotFound.
	Quest(ctx context.Context, id string) (*orchestration.Quest, error)
	// Quests loads every quest that is over, or every quest that is not. A quest with a
	// run that has not ended counts as not over: its processes may still be ending, and
	// a restart must find them.
	Quests(ctx context.Context, over bool) ([]*orchestration.Quest, error)
	// Ended lists quests that are over, with the fields that lists show, newest end
	// first.
	Ended(ctx context.Context, f orchestration.EndedFilter) ([]orchestration.Ended, error)
	// Tally counts the outcomes of all quests that are over.
	Tally(ctx context.Context) (orchestration.Tally, error)
	// Past returns what the newest complete quests took: at most orchestration.PastMost of
	// each size.
	Past(ctx context.Context) ([]orchestration.Past, error)
	// Paid returns what ended runs have used: the newest of each model, at most
	// orchestration.PaidMost.
	Paid(ctx context.Context) ([]orchestration.Paid, error)
	// Events returns the history entries of a quest that the filter chooses.
	Events(ctx context.Context, quest string, f orchestration.EventFilter) ([]orchestration.Event, error)
	// Delete removes a quest and its history, or returns ErrNotFound. It keeps the
	// deletion until Deleted is called or the quest comes back.
	Delete(ctx context.Context, d orchestration.Deletion) error
	// Deletions lists the kept deletions, by quest. Beside an error it returns those
	// that can be read.
	Deletions(ctx context.Context) ([]orchestration.Deletion, error)
	// Deleted drops a deletion, because nothing is left of the quest. Repeating it is
	// harmless.
	Deleted(ctx context.Context, quest string) error
	// Server loads the server's own rows, or returns the zero value if there are none.
	Server(ctx context.Context) (Server, error)
	// Ready reports whether the database can be written right now.
	Ready(ctx context.Context) error
}

// Server is the state that belongs to the server and not to a quest.
type Server struct {
	record.Settings
	Holds []orchestration.AccountHold // at most one for each kind and agent
	Turns orchestration.Turns         // of new steps, by priority
	// Notices are what people are told of this change. Commit stores them to be sent; they
	// are no part of the state.
	Notices []orchestration.Notice
	// Ledger is what all quests have used.
	Ledger orchestration.Ledger
}

// shared budgets returns the budgets that the quests share, with what is used of them.
func (s Server) sharedBudgets(at time.Time) []orchestration.SharedBudget {
	return s.Ledger.SharedBudgets(s.Budgets.Day, s.Budgets.Server, at)
}

// Notifier wakes watchers. A call says that something changed, not what; the watcher
// reads again. It must not block.
type Notifier interface {
	// QuestChanged: the quest and these of its steps changed (ids of the plan's steps,
	// or requirements, plan, review). No steps: only the quest itself changed.
	QuestChanged(quest string, steps []string)
	// Progressed: a live run's newest line for the card changed.
	Progressed(quest, step string)
	// Spending: runs at work told what they use. It has their steps by quest, and is called
	// at most twice in a second.
	Spending(steps map[string][]string)
	// ReadOnlyChanged: from now on nothing can be stored, or everything can again.
	ReadOnlyChanged()
}

// Notifiers calls each of several notifiers. All must be added before the engine
// starts.
type Notifiers []Notifier

// QuestChanged implements Notifier.
func (all *Notifiers) QuestChanged(quest string, steps []string) {
	for _, bell := range *all {
		bell.QuestChanged(quest, steps)
	}
}

// Progressed implements Notifier.
func (all *Notifiers) Progressed(quest, step string) {
	for _, bell := range *all {
		bell.Progressed(quest, step)
	}
}

// Spending implements Notifier.
func (all *Notifiers) Spending(steps map[string][]string) {
	for _, bell := range *all {
		bell.Spending(steps)
	}
}

// ReadOnlyChanged implements Notifier.
func (all *Notifiers) ReadOnlyChanged() {
	for _, bell := range *all {
		bell.ReadOnlyChanged()
	}
}

// Workspace is what the engine needs of the working trees. Its calls are slow, so the
// loop never makes them: the goroutines of the dispatcher do.
type Workspace interface {
	// Tidy repairs what an earlier server left half-done and returns the steps that
	// have a tree of their own. It is called once for each quest, before all other
	// calls about the quest's trees.
	Tidy(ctx context.Context, q *orchestration.Quest) (steps []string, err error)
	// Dir returns the directory where a step works, and makes it if needed.
	Dir(ctx context.Context, q *orchestration.Quest, step string) (string, error)
	// Place returns the directory where a step works, worked or would work. It makes
	// nothing.
	Place(q *orchestration.Quest, step string) string
	// Prepare gives a new tree what its repository's settings ask for, before a run
	// works in it. If that takes a command, the caller runs it. Before a run whose brief
	// says ByHand, it commits what a person has changed.
	Prepare(ctx context.Context, q *orchestration.Quest, r *orchestration.Run, needs record.RepoSettings) (Setup, error)
	// Look returns a fingerprint of the tree where a step works, or "" if there is none.
	// It changes nothing, so it may be called while agents work there.
	Look(ctx context.Context, q *orchestration.Quest, step string) (string, error)
	// Seek looks in a step's tree for the tests and places of evidence, and returns one
	// answer for each. It changes nothing, so it may be called while agents work there.
	Seek(ctx context.Context, q *orchestration.Quest, step string, evidence []orchestration.Evidence) []orchestration.Sought
	// Changes describes what is not committed yet, for the prompt of a run that
	// continues another's work. It is at most 64 KiB; a mark shows where it was cut.
	Changes(ctx context.Context, dir string) (string, error)
	// SaveWork is called once the run's process tree has ended. In worktree mode it
	// commits the run's changes to the step's branch or, for a role that only reads,
	// saves them elsewhere and undoes them, unless a person has the step now (see
	// Quest.InHand). Shared trees stay as they are.
	SaveWork(ctx context.Context, q *orchestration.Quest, r *orchestration.Run) (SavedWork, error)
	// Merge merges a step's work into the quest's branch, as far as that works without
	// an agent. It may be called again after a crash at any point.
	Merge(ctx context.Context, q *orchestration.Quest, step string) orchestration.MergeEnded
	// Release removes a step's own working tree, if it has one. Unmerged work is saved
	// first. It may be called again at any time.
	Release(ctx context.Context, q *orchestration.Quest, step string) error
}

// NotCommittedError is the error of Prepare for what a person left in the tree and
// could not be committed. Markers are the files with conflict markers, if that is why.
type NotCommittedError struct {
	Err     error
	Markers []string
}

// Error implements error.
func (n *NotCommittedError) Error() string { return n.Err.Error() }

// Unwrap gives the cause.
func (n *NotCommittedError) Unwrap() error { return n.Err }

// Setup is what a tree still needs before a run works in it.
type Setup struct {
	// Command is a shell command line to run in the tree; empty: nothing is needed.
	Command string
	// Done is called after Command has succeeded, so that it does not run again.
	Done func(ctx context.Context) error
	// Undo is called after Command has failed or was ended: what changes in the tree from then
	// on is not its work.
	Undo func(ctx context.Context) error
}

// SavedWork lists the files that a run had changed, relative to the tree. Markers lists
// those that still have conflict markers. For a role that writes, From is the commit
// before the run, and Commit that of its work; "": it changed nothing. Tip is the tip of
// the step's branch afterwards; "": unknown, or a shared tree.
type SavedWork struct {
	From, Commit, Tip        string
	Changed, Undone, Markers []string
	// Touched are the files that git tracks and that the command before a merge changed.
	Touched []string
}

// Clock returns the time. A synctest bubble needs no other clock.
type Clock func() time.Time

// Runners holds the runner for each kind of program: agents by name ("claude", "opencode",
// "simulated"), "ward" and SetupRunner.
type Runners map[string]agents.Runner

// SetupRunner names the runner of set-up commands for new trees. It ends clean or with
// EndSetupFailed.
const SetupRunner = "setup"
