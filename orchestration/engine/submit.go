package engine

import (
	"context"
	"errors"
	"fmt"

	"questboard/orchestration"
)

// Create begins a quest. ID, At and Backoff are filled in where they are
// empty, and each limit that is 0 with the server's for new quests.
func (e *Engine) Create(ctx context.Context, n orchestration.NewQuest) (*orchestration.Quest, error) {
	o := &order{done: make(chan answer, 1)}
	o.act = func(r *round) error {
		again := o.quest != ""
		if !again {
			n = e.complete(n, r)
			o.quest = n.ID
		}
		q, err := r.quest(n.ID)
		switch {
		case orchestration.CodeOf(err) == orchestration.CodeNotFound:
			return r.create(n)
		case err != nil:
			return err
		case again && q.CreatedAt.Equal(n.At) && q.Request == n.Request:
			return nil // the attempt before took place although it reported an error
		default:
			return &orchestration.Error{Code: orchestration.CodeConflict, Message: fmt.Sprintf("there is already a quest %s", n.ID)}
		}
	}
	q, err := e.wait(ctx, o)
	if err != nil {
		return nil, err
	}
	return q, nil
}

// complete fills in what the caller left to the server.
func (e *Engine) complete(n orchestration.NewQuest, r *round) orchestration.NewQuest {
	if n.ID == "" {
		n.ID = newQuestID()
	}
	if n.At.IsZero() {
		n.At = r.at
	}
	if n.Backoff.First <= 0 {
		n.Backoff = e.backoff()
	}
	n.Limits = n.Limits.Or(r.settings().Limits)
	return n
}

// Submit applies a fact and returns once that is committed: with the quest as
// it then is, beside a refusal, too. A refusal is an *orchestration.Error; an
// unknown quest is one with CodeNotFound. When ctx ends, only the waiting does:
// the fact may still come into force.
func (e *Engine) Submit(ctx context.Context, quest, actor string, fact orchestration.Fact) (*orchestration.Quest, error) {
	if _, err := e.Quest(ctx, quest); err != nil {
		return nil, err
	}
	return e.wait(ctx, applying(quest, actor, fact))
}

// post applies what only the engine knows of: it is tried until it is
// committed, or refused.
func (e *Engine) post(quest string, fact orchestration.Fact) {
	o := applying(quest, serverActor, fact)
	o.keep = true
	e.inbox.post(o)
}

// wait hands an order to the loop and waits for its answer.
func (e *Engine) wait(ctx context.Context, o *order) (*orchestration.Quest, error) {
	if !e.inbox.post(o) {
		return nil, ErrStopped
	}
	select {
	case a := <-o.done:
		return a.quest, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Delete removes a quest that is over, or damaged, with its history.
func (e *Engine) Delete(ctx context.Context, id string) error {
	_, err := e.wait(ctx, &order{quest: id, done: make(chan answer, 1), alone: func() error {
		q, err := e.newRound().quest(id)
		if err != nil {
			return err
		}
		if err := q.MayDelete(); err != nil {
			return err
		}
		// One that is not there any more: the attempt before took place although it
		// reported an error.
		if err := e.cfg.Store.Delete(context.Background(), orchestration.DeletionOf(q)); err != nil && !errors.Is(err, ErrNotFound) {
			if Unwritable(err) {
				e.refused(err)
			}
			return fmt.Errorf("delete quest %s: %w", id, err)
		}
		e.drop(id)
		e.cfg.Doorbell.QuestChanged(id, nil)
		return nil
	}})
	return err
}
