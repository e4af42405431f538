package engine

import "questboard/orchestration"

// publish lets readers see what was committed.
func (e *Engine) publish(r *round) {
	if r.server != nil {
		e.server.Store(r.server)
	}
	for _, q := range r.quests {
		e.remember(q)
	}
}

// remember takes a committed quest into memory.
func (e *Engine) remember(q *orchestration.Quest) {
	e.shelf.put(q)
	if q.Damaged() && !e.damaged[q.ID] {
		e.damaged[q.ID] = true
		e.cfg.Log.Error("a quest is damaged; it is left as it is, and the others go on", "quest", q.ID, "why", q.Wait.Reason)
		// Nothing that its agents say can be stored, and others wait for their slots.
		e.dispatch.Interrupt(q.ID, "what is stored of the quest cannot be read")
		e.cfg.Doorbell.QuestChanged(q.ID, nil)
	}
	runs := q.OpenRuns()
	delete(e.wakeAt, q.ID)
	if q.Over() && len(runs) == 0 {
		delete(e.active, q.ID)
		return
	}
	e.active[q.ID] = q
	for _, run := range runs {
		wake, set := e.wakeAt[q.ID]
		if at := run.NotBefore; run.State == orchestration.RunQueued && at.After(e.lookedAt) && (!set || at.Before(wake)) {
			e.wakeAt[q.ID] = at
		}
	}
}

// drop forgets a quest that is not in the store.
func (e *Engine) drop(id string) {
	e.shelf.forget(id)
	delete(e.active, id)
	delete(e.wakeAt, id)
	delete(e.damaged, id)
	delete(e.aside, id)
}

// ring wakes those who watch what the round changed.
func (e *Engine) ring(r *round) {
	lines := map[string]*changed{}
	var order []string
	for _, t := range r.transitions {
		c := lines[t.Quest.ID]
		if c == nil {
			c = &changed{seen: map[string]bool{}}
			lines[t.Quest.ID] = c
			order = append(order, t.Quest.ID)
		}
		c.by(t)
	}
	for _, quest := range order {
		e.cfg.Doorbell.QuestChanged(quest, lines[quest].lines)
	}
	if r.server == nil {
		return
	}
	for quest := range e.active { // slots and holds show on every board
		if lines[quest] == nil {
			e.cfg.Doorbell.QuestChanged(quest, nil)
		}
	}
}

// changed collects the lines that transitions of one quest touched, each once.
type changed struct {
	lines []string
	seen  map[string]bool
}

func (c *changed) by(t orchestration.Transition) {
	for _, i := range t.Changed.Whole {
		c.add(orchestration.WholeLines[i])
	}
	for _, i := range t.Changed.Steps {
		c.add(t.Quest.Steps.At(i).ID)
	}
	for _, i := range t.Changed.Runs {
		c.add(t.Quest.Runs.At(i).Line)
	}
	for _, i := range t.Changed.Questions {
		c.add(t.Quest.Questions.At(i).Line)
	}
}

func (c *changed) add(line string) {
	if !c.seen[line] {
		c.seen[line] = true
		c.lines = append(c.lines, line)
	}
}
