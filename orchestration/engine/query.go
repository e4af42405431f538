package engine

import (
	"context"
	"fmt"
	"slices"

	"questboard/orchestration"
)

// Quest returns the newest committed state of a quest. It never waits for the
// loop. An unknown id is an *orchestration.Error with CodeNotFound.
func (e *Engine) Quest(ctx context.Context, id string) (*orchestration.Quest, error) {
	q, seen := e.shelf.look(id)
	if q != nil {
		return q, nil
	}
	q, err := e.load(ctx, id)
	if err != nil {
		return nil, err
	}
	e.shelf.keep(q, seen)
	return q, nil
}

// Active returns the quests that are not over, newest first, without asking
// the store.
func (e *Engine) Active() []*orchestration.Quest { return e.shelf.active() }

// Undelivered returns the quests that are over and wait for the user to deliver
// their work, the oldest end first, without asking the store. They have their own
// fields alone.
func (e *Engine) Undelivered() []*orchestration.Quest { return e.shelf.waiting() }

// Quests returns all quests whole, newest first. Those that are over are loaded
// for this call: where a list of them will do, ask Ended.
func (e *Engine) Quests(ctx context.Context) ([]*orchestration.Quest, error) {
	list := e.shelf.active()
	over, err := e.cfg.Store.Quests(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("load the quests that are over: %w", err)
	}
	for _, q := range e.soundOnes(over) { // one that ended meanwhile is in both
		if !slices.ContainsFunc(list, func(known *orchestration.Quest) bool { return known.ID == q.ID }) {
			list = append(list, q)
		}
	}
	newestFirst(list)
	return list, nil
}

// Ended lists quests that are over, as far as a list shows them, the newest end
// first.
func (e *Engine) Ended(ctx context.Context, f orchestration.EndedFilter) ([]orchestration.Ended, error) {
	list, err := e.cfg.Store.Ended(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list the quests that are over: %w", err)
	}
	return list, nil
}

// Tally counts what the quests that are over came to.
func (e *Engine) Tally(ctx context.Context) (orchestration.Tally, error) {
	t, err := e.cfg.Store.Tally(ctx)
	if err != nil {
		return t, fmt.Errorf("count the quests that are over: %w", err)
	}
	return t, nil
}

// Events returns the history entries of a quest that the filter chooses.
func (e *Engine) Events(ctx context.Context, quest string, f orchestration.EventFilter) ([]orchestration.Event, error) {
	if _, err := e.Quest(ctx, quest); err != nil {
		return nil, err
	}
	events, err := e.cfg.Store.Events(ctx, quest, f)
	if err != nil {
		return nil, fmt.Errorf("load the history of %s: %w", quest, err)
	}
	return events, nil
}

// RunOf finds the run whose bearer token this is, also when it has ended. A
// token that is nobody's is an *orchestration.Error with CodeNotFound.
func (e *Engine) RunOf(ctx context.Context, token string) (*orchestration.Quest, *orchestration.Run, error) {
	nobody := &orchestration.Error{Code: orchestration.CodeNotFound, Message: "this token belongs to no run"}
	id, secret, ok := splitToken(token)
	if !ok {
		return nil, nil, nobody
	}
	q, err := e.Quest(ctx, orchestration.QuestOf(id))
	if orchestration.CodeOf(err) == orchestration.CodeNotFound {
		return nil, nil, nobody
	}
	if err != nil {
		return nil, nil, err
	}
	r := q.Run(id)
	if r == nil || !proves(r, secret) {
		return nil, nil, nobody
	}
	return q, r, nil
}

// LastLine returns a live run's newest line for the card, or "".
func (e *Engine) LastLine(run string) string { return e.dispatch.LastLine(run) }

// Slots returns how many runs may go on at once.
func (e *Engine) Slots() int { return e.slots(*e.server.Load()) }

func (e *Engine) slots(s Server) int {
	if s.Slots > 0 {
		return s.Slots
	}
	return e.cfg.Slots
}

// Holds returns what keeps agents from getting slots.
func (e *Engine) Holds() []orchestration.AccountHold { return slices.Clone(e.server.Load().Holds) }

// Deletions lists what deleted quests have left outside of the store. Beside an
// error it has those that can be read.
func (e *Engine) Deletions(ctx context.Context) ([]orchestration.Deletion, error) {
	return e.cfg.Store.Deletions(ctx)
}

// Deleted notes that nothing is left of a deleted quest.
func (e *Engine) Deleted(ctx context.Context, quest string) error {
	return e.cfg.Store.Deleted(ctx, quest)
}
