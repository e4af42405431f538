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
	q, seen := e.cache.look(id)
	if q != nil {
		return q, nil
	}
	q, err := e.load(ctx, id)
	if err != nil {
		return nil, err
	}
	e.cache.keep(q, seen)
	return q, nil
}

// Active returns the quests that are not over, newest first, without asking
// the store.
func (e *Engine) Active() []*orchestration.Quest { return e.cache.active() }

// Undelivered returns the quests that are over and wait for delivery, oldest end first,
// without asking the store. They have only their own fields.
func (e *Engine) Undelivered() []*orchestration.Quest { return e.cache.waiting() }

// Quests returns all quests complete, newest first. It loads those that are over for
// this call. Ended is cheaper if a list is enough.
func (e *Engine) Quests(ctx context.Context) ([]*orchestration.Quest, error) {
	list := e.cache.active()
	over, err := e.cfg.Store.Quests(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("load the quests that are over: %w", err)
	}
	for _, q := range e.allLoadable(over) { // a quest that has just ended is in both
		if !slices.ContainsFunc(list, func(known *orchestration.Quest) bool { return known.ID == q.ID }) {
			list = append(list, q)
		}
	}
	newestFirst(list)
	return list, nil
}

// Ended lists quests that are over, with the fields that lists show, newest end first.
func (e *Engine) Ended(ctx context.Context, f orchestration.EndedFilter) ([]orchestration.Ended, error) {
	list, err := e.cfg.Store.Ended(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("list the quests that are over: %w", err)
	}
	return list, nil
}

// Tally counts the outcomes of all quests that are over.
func (e *Engine) Tally(ctx context.Context) (orchestration.Tally, error) {
	t, err := e.cfg.Store.Tally(ctx)
	if err != nil {
		return t, fmt.Errorf("count the quests that are over: %w", err)
	}
	return t, nil
}

// Usual says what complete quests of each size took. It asks the store only if a quest
// has ended since the last call.
func (e *Engine) Usual(ctx context.Context) (map[orchestration.Size]orchestration.Usual, error) {
	return e.cache.usual.get(func() (map[orchestration.Size]orchestration.Usual, error) {
		past, err := e.cfg.Store.Past(ctx)
		if err != nil {
			return nil, fmt.Errorf("look at what quests took: %w", err)
		}
		return orchestration.UsualOf(past), nil
	})
}

// Spending returns what a live run of an agent has used so far; beside an error, without a
// price that others tell. It asks the store only if a run has ended since the last call.
func (e *Engine) Spending(ctx context.Context, q *orchestration.Quest, r *orchestration.Run) (orchestration.Spending, error) {
	rates, err := e.cache.rates.get(func() (map[string]orchestration.Rate, error) {
		paid, err := e.cfg.Store.Paid(ctx)
		if err != nil {
			return nil, fmt.Errorf("look at what runs cost: %w", err)
		}
		return orchestration.RatesOf(paid), nil
	})
	return q.Spending(r, e.dispatch.Told(r.ID), rates), err
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

// RunOf finds the run that a bearer token belongs to, even if the run has ended. An
// unknown token gives an *orchestration.Error with CodeNotFound. A call proves that the
// run's program has reached us.
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
	e.dispatch.Reached(id)
	return q, r, nil
}

// ToolsOf returns the user's changes to what a run may use: those for its role, and what was
// allowed in its quest.
func (e *Engine) ToolsOf(r *orchestration.Run) (allow, deny []string) {
	of := e.server.Load().OfRole(r.Role)
	return slices.Concat(of.Allow, r.Allow), of.Deny
}

// AsksOf returns the rules that say before which calls of a run a person is asked, as they
// were when it started. dir is where the run works; with no rules it is empty.
func (e *Engine) AsksOf(q *orchestration.Quest, r *orchestration.Run) (rules []string, dir string) {
	if len(r.Ask) == 0 {
		return nil, "" // no look at the disk before every call
	}
	return r.Ask, e.dispatch.Place(q, r.Step)
}

// Place returns the folder where a step works, worked or would work, on the quest's host; "": it
// is not known.
func (e *Engine) Place(q *orchestration.Quest, step string) string { return e.dispatch.Place(q, step) }

// LastLine returns a live run's newest line for the card, or "".
func (e *Engine) LastLine(run string) string { return e.dispatch.LastLine(run) }

// Compactions counts how many times the conversation of a live run was summarised since
// the run began, because its context was full.
func (e *Engine) Compactions(run string) int { return e.dispatch.Compactions(run) }

// Slots returns how many agents run at once.
func (e *Engine) Slots() int { return e.slots(*e.server.Load()) }

// Checks returns how many checks run at once, beside the slots.
func (e *Engine) Checks() int { return e.checks(*e.server.Load()) }

func (e *Engine) slots(s Server) int {
	if s.Slots > 0 {
		return s.Slots
	}
	return e.cfg.Slots
}

func (e *Engine) checks(s Server) int {
	if s.Checks > 0 {
		return s.Checks
	}
	return e.cfg.Checks
}

// Holds returns the holds that keep agents from getting slots: those of accounts, those of the
// server's budgets, and those of hosts that are away.
func (e *Engine) Holds() []orchestration.AccountHold {
	s := e.server.Load()
	active := e.Active()
	holds := append(orchestration.LiveHolds(s.Holds, e.now()), orchestration.BudgetHolds(s.sharedBudgets(e.now()), active)...)
	asked := map[string]bool{"": true}
	for _, q := range active {
		if host := q.Workplace.Host; !asked[host] {
			asked[host] = true
			if why := e.cfg.Hosts.Away(host); why != "" {
				holds = append(holds, orchestration.AccountHold{Kind: orchestration.HoldHost, Host: host, Reason: why})
			}
		}
	}
	return holds
}

// Ledger returns what all quests have used.
func (e *Engine) Ledger() orchestration.Ledger { return e.server.Load().Ledger }

// SharedBudgets returns the budgets that the quests share, with what is used of them.
func (e *Engine) SharedBudgets() []orchestration.SharedBudget {
	return e.server.Load().sharedBudgets(e.now())
}

// Turns returns how many turns of new steps each priority has had.
func (e *Engine) Turns() orchestration.Turns { return e.server.Load().Turns }

// Deletions lists what deleted quests have left outside of the store. Beside an error
// it returns those that can be read.
func (e *Engine) Deletions(ctx context.Context) ([]orchestration.Deletion, error) {
	return e.cfg.Store.Deletions(ctx)
}

// Deleted records that nothing is left of a deleted quest.
func (e *Engine) Deleted(ctx context.Context, quest string) error {
	return e.cfg.Store.Deleted(ctx, quest)
}
