package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"questboard/orchestration"
)

// round is a batch of orders on its way to one commit: what the quests and the
// server will be. Dropping it undoes everything.
type round struct {
	e  *Engine
	at time.Time

	quests      map[string]*orchestration.Quest // those that change
	transitions []orchestration.Transition
	server      *Server           // nil: unchanged
	secrets     map[string]string // of the runs that got a slot, by run
	granted     map[string]bool   // the quests that got a slot
	results     []error           // what each order came to, in their order
}

func (e *Engine) newRound() *round {
	e.lookedAt = e.now()
	return &round{e: e, at: e.lookedAt, quests: map[string]*orchestration.Quest{},
		secrets: map[string]string{}, granted: map[string]bool{}}
}

// take carries out an order. A panic of it costs that order alone: nothing of
// a transition is kept before it is whole.
func (r *round) take(o *order) {
	r.results = append(r.results, guard(o.quest, func() error { return o.act(r) }))
}

// idle reports whether there is nothing to commit.
func (r *round) idle() bool { return len(r.transitions) == 0 && r.server == nil }

// quest returns the quest as the round sees it. One that is over may have to
// be loaded.
func (r *round) quest(id string) (*orchestration.Quest, error) {
	if q := r.quests[id]; q != nil {
		return q, nil
	}
	if q := r.e.shelf.get(id); q != nil {
		return q, nil
	}
	return r.e.load(context.Background(), id)
}

// load reads a quest from the store; an unknown one is a refusal.
func (e *Engine) load(ctx context.Context, id string) (*orchestration.Quest, error) {
	q, err := e.cfg.Store.Quest(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, &orchestration.Error{Code: orchestration.CodeNotFound, Message: fmt.Sprintf("there is no quest %s", id)}
	case err != nil:
		return nil, fmt.Errorf("load quest %s: %w", id, err)
	}
	return e.sound(q), nil
}

// apply does one input to a quest.
func (r *round) apply(quest, actor string, fact orchestration.Fact) error {
	q, err := r.quest(quest)
	if err != nil {
		return err
	}
	t, err := orchestration.Apply(q, orchestration.Input{At: r.at, Actor: actor, Fact: fact})
	if err != nil {
		return err
	}
	r.add(t)
	r.account(q, t, fact)
	if t.Refusal != nil {
		return t.Refusal
	}
	return nil
}

// create begins a quest.
func (r *round) create(n orchestration.NewQuest) error {
	t, err := orchestration.Create(n)
	if err != nil {
		return err
	}
	r.add(t)
	return nil
}

func (r *round) add(t orchestration.Transition) {
	if t.Empty() {
		return
	}
	r.quests[t.Quest.ID] = t.Quest
	r.transitions = append(r.transitions, t)
}

// settings returns the server's rows as the round sees them, to be read.
func (r *round) settings() Server {
	if r.server != nil {
		return *r.server
	}
	return *r.e.server.Load()
}

// edit changes the server's rows. change must replace lists, not write into
// them: readers hold the old ones.
func (r *round) edit(change func(*Server)) {
	s := r.settings()
	change(&s)
	r.server = &s
}
