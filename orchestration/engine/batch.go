package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"questboard/orchestration"
)

// batch collects the requests of one commit: the quests and the server's rows as they
// will be. Dropping the batch undoes everything.
type batch struct {
	e  *Engine
	at time.Time

	quests      map[string]*orchestration.Quest // the quests that change
	loaded      map[string]*orchestration.Quest // those that were not in memory
	transitions []orchestration.Transition
	server      *Server           // nil: unchanged
	runEnded    bool              // an agent's run ended that had used something
	onBoards    bool              // every board shows what changed in server
	secrets     map[string]string // the secrets of runs that got a slot, by run
	tended      []string          // the quest of each input that nobody has asked for
	one         bool              // tend changes at most one quest
	moved       map[string]string // the hosts that quests have left, by quest
	results     []error           // the result of each request, in their order
}

func (e *Engine) newBatch() *batch {
	e.lookedAt = e.now()
	return &batch{e: e, at: e.lookedAt, quests: map[string]*orchestration.Quest{}, loaded: map[string]*orchestration.Quest{},
		secrets: map[string]string{}, moved: map[string]string{}}
}

// take carries out a request. If it panics, only this request fails: a transition is
// kept only when it is complete.
func (r *batch) take(o *request) {
	r.results = append(r.results, guard(o.quest, func() error { return o.act(r) }))
}

// idle reports whether there is nothing to commit.
func (r *batch) idle() bool { return len(r.transitions) == 0 && r.server == nil }

// quest returns the quest as the batch sees it. A quest that is over may have to be
// loaded.
func (r *batch) quest(id string) (*orchestration.Quest, error) {
	if q := r.known(id); q != nil {
		return q, nil
	}
	q, err := r.e.load(context.Background(), id)
	if err == nil {
		r.loaded[id] = q
	}
	return q, err
}

// known is quest without asking the store. It has every quest that a request looked at, even
// if memory has no room for it.
func (r *batch) known(id string) *orchestration.Quest {
	return cmp.Or(r.quests[id], r.e.cache.get(id), r.loaded[id])
}

// load reads a quest from the store. An unknown quest gives a refusal.
func (e *Engine) load(ctx context.Context, id string) (*orchestration.Quest, error) {
	q, err := e.cfg.Store.Quest(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, &orchestration.Error{Code: orchestration.CodeNotFound, Message: fmt.Sprintf("there is no quest %s", id)}
	case err != nil:
		return nil, fmt.Errorf("load quest %s: %w", id, err)
	}
	return e.loadable(q), nil
}

// apply applies one input to a quest.
func (r *batch) apply(quest, actor string, input orchestration.InputKind) error {
	q, err := r.quest(quest)
	if err != nil {
		return err
	}
	t, err := orchestration.Apply(q, orchestration.Input{At: r.at, Actor: actor, Kind: input})
	if err != nil {
		return err
	}
	r.add(t)
	r.account(q, t, input)
	r.enterInLedger(q, t, input)
	if t.Refusal != nil {
		return t.Refusal
	}
	return nil
}

// enterInLedger writes what an ended run has used into the ledger.
func (r *batch) enterInLedger(q *orchestration.Quest, t orchestration.Transition, input orchestration.InputKind) {
	ended, is := input.(orchestration.RunExited)
	if !is || t.Empty() || q.Run(ended.Run).State == orchestration.RunEnded {
		return
	}
	used := t.Quest.Run(ended.Run).Used()
	if used == (orchestration.Amount{}) {
		return
	}
	r.runEnded = true
	s := r.settings()
	s.Ledger = s.Ledger.Enter(used, r.at)
	r.server = &s
}

// create begins a quest.
func (r *batch) create(n orchestration.NewQuest) error {
	t, err := orchestration.Create(n)
	if err != nil {
		return err
	}
	r.add(t)
	return nil
}

func (r *batch) add(t orchestration.Transition) {
	if t.Empty() {
		return
	}
	r.quests[t.Quest.ID] = t.Quest
	r.transitions = append(r.transitions, t)
}

// settings returns the server's rows as the batch sees them. The caller must not change
// them.
func (r *batch) settings() Server {
	if r.server != nil {
		return *r.server
	}
	return *r.e.server.Load()
}

// edit changes the server's settings and holds. change must replace lists and not write
// into them, because readers hold the old ones.
func (r *batch) edit(change func(*Server)) {
	s := r.settings()
	change(&s)
	r.server, r.onBoards = &s, true
}

// takeTurn stores the turns after a grant.
func (r *batch) takeTurn(turns orchestration.Turns) {
	if s := r.settings(); s.Turns != turns {
		s.Turns = turns
		r.server = &s
	}
}
