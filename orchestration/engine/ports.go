// Package engine is the imperative shell around package orchestration: one
// goroutine that owns the order of events. It stamps the time, calls Apply,
// commits, and only then replies, publishes and acts.
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
	// Commit writes the transitions in one transaction, in order; several may
	// belong to one quest. Each quest's first Before must be the version in
	// the database (0: it must not exist), else ErrStale and nothing is written.
	// server, if not nil, replaces the server's own rows in the same transaction;
	// there may be no transitions beside it. It has the transitions' account
	// holds already.
	Commit(ctx context.Context, transitions []orchestration.Transition, server *Server) error
	// Quest loads one quest whole; ErrNotFound.
	Quest(ctx context.Context, id string) (*orchestration.Quest, error)
	// Quests loads every quest that is not over (over=false), or all that are.
	// A quest with a run that has not ended counts as not over: its processes
	// may still be leaving, and a restart must find them.
	Quests(ctx context.Context, over bool) ([]*orchestration.Quest, error)
	// Ended lists quests that are over, as far as a list shows them, the newest
	// end first.
	Ended(ctx context.Context, f orchestration.EndedFilter) ([]orchestration.Ended, error)
	// Tally counts what the quests that are over came to.
	Tally(ctx context.Context) (orchestration.Tally, error)
	// Events returns the history entries of a quest that the filter chooses.
	Events(ctx context.Context, quest string, f orchestration.EventFilter) ([]orchestration.Event, error)
	// Delete removes a quest and its history, and keeps the deletion until Deleted
	// is called or the quest comes back; ErrNotFound.
	Delete(ctx context.Context, d orchestration.Deletion) error
	// Deletions lists those that are kept, by quest. Beside an error it has those
	// that can be read.
	Deletions(ctx context.Context) ([]orchestration.Deletion, error)
	// Deleted: nothing is left of the quest. Repeating it is harmless.
	Deleted(ctx context.Context, quest string) error
	// Server loads the server's own rows; the zero value where there are none.
	Server(ctx context.Context) (Server, error)
	// Ready reports whether the database can be written right now.
	Ready(ctx context.Context) error
}

// Server is the state that belongs to the server and to no quest.
type Server struct {
	record.Settings
	Holds []orchestration.AccountHold // at most one a kind and agent
}

// Doorbell wakes whoever watches: a ring says that something changed, never
// what; the watcher reads again. It must not block.
type Doorbell interface {
	// QuestChanged: the quest and these of its lines changed (step ids or
	// requirements, plan, review). No lines: only the quest itself.
	QuestChanged(quest string, lines []string)
	// Progressed: a live run's newest line for the card changed.
	Progressed(quest, line string)
	// ReadOnlyChanged: from now on nothing can be stored, or all can be again.
	ReadOnlyChanged()
}

// Doorbells are several, of which each is rung. They are all there before the
// engine starts.
type Doorbells []Doorbell

// QuestChanged implements Doorbell.
func (all *Doorbells) QuestChanged(quest string, lines []string) {
	for _, bell := range *all {
		bell.QuestChanged(quest, lines)
	}
}

// Progressed implements Doorbell.
func (all *Doorbells) Progressed(quest, line string) {
	for _, bell := range *all {
		bell.Progressed(quest, line)
	}
}

// ReadOnlyChanged implements Doorbell.
func (all *Doorbells) ReadOnlyChanged() {
	for _, bell := range *all {
		bell.ReadOnlyChanged()
	}
}

// Workspace answers what the engine must know of a working tree. Slow calls:
// made from a dispatch goroutine, never from the loop.
type Workspace interface {
	// Tidy makes good what a server that went away left half done, and names the
	// lines that have a tree of their own. It is called once for each quest,
	// before anything else is asked of the quest's trees.
	Tidy(ctx context.Context, q *orchestration.Quest) (lines []string, err error)
	// Dir is where a line of the quest works, made if need be.
	Dir(ctx context.Context, q *orchestration.Quest, line string) (string, error)
	// Prepare gives the tree in which a run is about to work what its repository
	// says that new ones need. What takes a command is left to the caller.
	Prepare(ctx context.Context, q *orchestration.Quest, r *orchestration.Run, needs record.RepoSettings) (Setup, error)
	// Changes describes what is not committed yet, for the prompt of a run
	// that continues another's work; at most 64 KiB, cut with a mark.
	Changes(ctx context.Context, dir string) (string, error)
	// Settle is called once nothing of a run's process lives. In worktree mode
	// what the run changed is committed to its line's branch, or, where its role
	// only reads, kept elsewhere and undone. Shared trees stay as they are.
	Settle(ctx context.Context, q *orchestration.Quest, r *orchestration.Run) (Settled, error)
	// Merge brings a line's work to the quest's branch, as far as it goes
	// without an agent. It may be called again after a crash at any point.
	Merge(ctx context.Context, q *orchestration.Quest, line string) orchestration.MergeEnded
	// Release removes a line's working tree, if it has one of its own; what was
	// not merged is kept first. It may be called again at any time.
	Release(ctx context.Context, q *orchestration.Quest, line string) error
}

// Setup is what a tree still needs before somebody works in it.
type Setup struct {
	// Command is a shell command line to be run in the tree; empty: nothing is
	// needed any more.
	Command string
	// Done is called once Command has succeeded, so that it is not needed again.
	Done func(ctx context.Context) error
}

// Settled names the files that a run had changed, relative to the tree. In
// Markers are those that still hold the markers of a conflict.
type Settled struct{ Changed, Undone, Markers []string }

// Clock is the time; real in production, a synctest bubble needs no other.
type Clock func() time.Time

// Runners are the kinds of programs that runs start: by agent name ("claude",
// "simulated"), "ward" and SetupRunner.
type Runners map[string]agents.Runner

// SetupRunner is the runner of the commands that set up new trees. It ends
// clean, or with EndSetupFailed.
const SetupRunner = "setup"
