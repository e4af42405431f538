package handlers

import (
	"context"

	"questboard/orchestration"
)

// Quests is what the pages need of the engine. Refusals are
// *orchestration.Error; an unknown quest is one with CodeNotFound.
type Quests interface {
	// Create begins a quest. ID, At and empty Limits are filled in by the callee.
	Create(ctx context.Context, n orchestration.NewQuest) (*orchestration.Quest, error)
	// Submit applies a fact and returns once it is committed.
	Submit(ctx context.Context, quest, actor string, fact orchestration.Fact) (*orchestration.Quest, error)
	Quest(ctx context.Context, id string) (*orchestration.Quest, error)
	// Quests returns all, newest first, those that are over too.
	Quests(ctx context.Context) ([]*orchestration.Quest, error)
	// Slots is how many runs may go on at once.
	Slots() int
	Holds() []orchestration.AccountHold
	// LastLine is the newest line of a live run for its card, or "".
	LastLine(run string) string
}

// Output reads what runs wrote; agents/runlog keeps it.
type Output interface {
	// Page returns up to n lines from line from (counted from 0), without
	// their newlines, and how many lines there are; fewer than n where they
	// are long. fs.ErrNotExist: nothing was written.
	Page(run string, from, n int) (lines [][]byte, total int, err error)
	// Watch rings when the run has new lines, until stop is called.
	Watch(run string) (rings <-chan struct{}, stop func())
}

// Repos looks at repositories.
type Repos interface {
	// Check returns the branch that is checked out in dir, which is absolute;
	// its error says in words why dir will not do for a quest.
	Check(ctx context.Context, dir string) (branch string, err error)
}
