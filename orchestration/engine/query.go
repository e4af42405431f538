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
	if q := e.shelf.get(id); q != nil {
		return q, nil
	}
	return e.load(ctx, id)
}

// Quests returns all quests, newest first, those that are over included.
func (e *Engine) Quests(ctx context.Context) ([]*orchestration.Quest, error) {
	list, whole := e.shelf.all()
	if whole {
		return list, nil
	}
	over, err := e.cfg.Store.Quests(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("load the quests that are over: %w", err)
	}
	e.shelf.complete(over)
	list, _ = e.shelf.all()
	return list, nil
}

// Events returns up to n history entries of a quest with Seq > after, oldest first.
func (e *Engine) Events(ctx context.Context, quest string, after int64, n int) ([]orchestration.Event, error) {
	if _, err := e.Quest(ctx, quest); err != nil {
		return nil, err
	}
	events, err := e.cfg.Store.Events(ctx, quest, after, n)
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
