package handlerstest

import "questboard/orchestration"

// Damage puts in a quest's place what stands in for one that cannot be read.
func (e *Engine) Damage(quest string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, q := range e.quests {
		if q.ID == quest {
			e.quests[i] = orchestration.StandIn(q, q.Over(), "a page is torn")
		}
	}
}
