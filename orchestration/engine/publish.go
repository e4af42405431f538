package engine

import (
	"maps"
	"slices"
	"time"

	"questboard/orchestration"
)

// publish shows readers what was committed.
func (e *Engine) publish(r *batch) {
	if r.server != nil {
		e.server.Store(r.server)
		if r.onBoards {
			e.inbox.ring() // quests may have to leave a host
		}
	}
	for _, q := range r.quests {
		e.remember(q)
	}
	if r.runEnded {
		e.cache.rates.changed()
	}
}

// remember puts a committed quest into memory.
func (e *Engine) remember(q *orchestration.Quest) {
	if was := e.cache.get(q.ID); q.Damaged() && q.Workplace.IsZero() && was != nil {
		q.Workplace = was.Workplace // its agents are to be ended there
	}
	e.cache.put(q)
	if q.Damaged() && !e.damaged[q.ID] {
		e.damaged[q.ID] = true
		if !q.Over() { // else it needs nobody
			e.untold = append(e.untold, q.DamageNotice(e.now()))
		}
		e.cfg.Log.Error("a quest is damaged and stays as it is; the others continue", "quest", q.ID, "why", q.Wait.Reason)
		// The server can store nothing from its agents, and others wait for the slots.
		e.dispatch.Interrupt(q.ID, "what is stored of the quest cannot be read")
		e.cfg.Notifier.QuestChanged(q.ID, nil)
	}
	runs := q.OpenRuns()
	delete(e.wakeAt, q.ID)
	if q.Over() && len(runs) == 0 {
		delete(e.active, q.ID)
		return
	}
	e.active[q.ID] = q
	wakeAt := func(at time.Time) {
		if wake, set := e.wakeAt[q.ID]; at.After(e.lookedAt) && (!set || at.Before(wake)) {
			e.wakeAt[q.ID] = at
		}
	}
	for _, run := range runs {
		if run.State == orchestration.RunQueued {
			wakeAt(run.NotBefore)
		}
	}
	if q.Asks.Timeout > 0 {
		for _, question := range q.Questions.All() {
			wakeAt(q.OverdueAt(question))
		}
	}
}

// drop forgets a quest that is not in the store.
func (e *Engine) drop(id string) {
	e.cache.forget(id)
	delete(e.active, id)
	delete(e.wakeAt, id)
	delete(e.damaged, id)
	delete(e.aside, id)
}

// ring wakes the watchers of what the batch changed.
func (e *Engine) ring(r *batch) {
	budgets := e.budgetsChanged(r)
	if r.idle() && !budgets {
		return
	}
	steps := map[string]*changed{}
	var order []string
	of := func(quest string) *changed {
		if steps[quest] == nil {
			steps[quest] = &changed{seen: map[string]bool{}}
			order = append(order, quest)
		}
		return steps[quest]
	}
	for _, t := range r.transitions {
		of(t.Quest.ID).by(t)
	}
	for _, q := range e.behindChanged(r) {
		for _, s := range q.Steps.All() {
			if s.Stage == orchestration.StageReady { // its card says whether others go first
				of(q.ID).add(s.ID)
			}
		}
	}
	for _, quest := range order {
		e.cfg.Notifier.QuestChanged(quest, steps[quest].steps)
	}
	if r.onBoards || budgets {
		e.ringBoards(steps)
	}
}

// ringBoards wakes the watchers of all quests but those that are told already, because every
// board shows slots and holds.
func (e *Engine) ringBoards(told map[string]*changed) {
	for quest := range e.active {
		if told[quest] == nil {
			e.cfg.Notifier.QuestChanged(quest, nil)
		}
	}
}

// ringQuest wakes the watchers of a quest that was read again: what changed is not known.
func (e *Engine) ringQuest(q *orchestration.Quest) {
	steps := slices.Clone(orchestration.QuestWideSteps)
	for _, s := range q.Steps.All() {
		steps = append(steps, s.ID)
	}
	e.cfg.Notifier.QuestChanged(q.ID, steps)
}

// budgetsChanged reports whether boards now say something else of the budgets that all
// quests share than at the last ring: a run has begun or ended, or a new day has begun.
func (e *Engine) budgetsChanged(r *batch) bool {
	shared := r.settings().sharedBudgets(r.at)
	var words []string
	for _, b := range shared {
		words = append(words, b.Warning())
	}
	for _, h := range orchestration.BudgetHolds(shared, slices.Collect(maps.Values(e.active))) {
		words = append(words, h.Reason)
	}
	was := e.budgets
	e.budgets = words
	return !slices.Equal(was, words)
}

// behindChanged returns the quests that now wait for those of a higher priority and did
// not at the last ring, and those that no longer wait.
func (e *Engine) behindChanged(r *batch) (quests []*orchestration.Quest) {
	s, was := r.settings(), e.behind
	pool := orchestration.Pool{Now: r.at, Checks: e.checks(s), Holds: s.Holds, Turns: s.Turns, Quests: slices.Collect(maps.Values(e.active))}
	if err := guard("", func() error { e.behind = pool.Behind(); return nil }); err != nil {
		return nil // assign finds the quest that causes it
	}
	for _, q := range pool.Quests {
		if e.behind[q.ID] != was[q.ID] {
			quests = append(quests, q)
		}
	}
	return quests
}

// changed collects each step that the transitions of one quest touched, without
// repeats.
type changed struct {
	steps []string
	seen  map[string]bool
}

func (c *changed) by(t orchestration.Transition) {
	for _, i := range t.Changed.Whole {
		c.add(orchestration.QuestWideSteps[i])
	}
	for _, i := range t.Changed.Steps {
		c.add(t.Quest.Steps.At(i).ID)
	}
	for _, i := range t.Changed.Runs {
		c.add(t.Quest.Runs.At(i).Step)
	}
	for _, i := range t.Changed.Questions {
		c.add(t.Quest.Questions.At(i).Step)
	}
}

func (c *changed) add(step string) {
	if !c.seen[step] {
		c.seen[step] = true
		c.steps = append(c.steps, step)
	}
}
