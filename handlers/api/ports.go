package api

import (
	"context"
	"log/slog"
	"os"
	"time"

	"questboard/orchestration"
)

// Quests is what the API needs of the engine. A refusal is an
// *orchestration.Error; an unknown quest is one with CodeNotFound.
type Quests interface {
	// Create begins a quest. ID, At, Backoff and empty Limits are filled in by
	// the callee.
	Create(ctx context.Context, n orchestration.NewQuest) (*orchestration.Quest, error)
	// Submit applies a fact and returns once it is committed. With a refusal it
	// returns the fresh quest too, where there is one.
	Submit(ctx context.Context, quest, actor string, fact orchestration.Fact) (*orchestration.Quest, error)
	Quest(ctx context.Context, id string) (*orchestration.Quest, error)
	// Quests returns all of them, those that are over included.
	Quests(ctx context.Context) ([]*orchestration.Quest, error)
	// Events returns up to n history entries with Seq > after, oldest first.
	Events(ctx context.Context, quest string, after int64, n int) ([]orchestration.Event, error)
	// Delete removes a quest that is over and its history; any other is a
	// conflict.
	Delete(ctx context.Context, id string) error
	Slots() int
	SetSlots(ctx context.Context, n int) error
	Holds() []orchestration.AccountHold
}

// Settings keeps what belongs to the server and to no quest.
type Settings interface {
	Settings(ctx context.Context) (orchestration.Settings, error)
	// ChangeSettings commits all that change does, or nothing. It must not wait
	// for anything, and replace what lies within lists.
	ChangeSettings(ctx context.Context, change func(*orchestration.Settings)) error
}

// Output reads what runs wrote (agents/runlog). A run without output is
// fs.ErrNotExist.
type Output interface {
	// Page returns up to n lines from line from (counted from 0), without
	// their newlines, and the number of lines that there are. Where lines are
	// very long a page has fewer than n, but at least one.
	Page(run string, from, n int) (lines [][]byte, total int, err error)
	// Raw opens the whole file.
	Raw(run string) (*os.File, error)
	// Remove deletes all output of a run.
	Remove(run string) error
}

// Repos looks at repositories.
type Repos interface {
	// Check returns the branch that is checked out in dir ("" where none is),
	// or says in words why dir, an absolute path, will not do for a quest.
	Check(ctx context.Context, dir string) (branch string, err error)
}

// Deps is what the API is made of. Every field is needed.
type Deps struct {
	Quests   Quests
	Settings Settings
	Output   Output
	Repos    Repos
	Clock    func() time.Time
	Log      *slog.Logger
	// Agents are the names that a quest may choose; the first is the default.
	Agents []string
	// Version goes into the OpenAPI document.
	Version string
}

// user is the actor of all that comes in here: there is one owner as yet.
const user = "user"
