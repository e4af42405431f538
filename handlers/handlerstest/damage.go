package handlerstest

import "questboard/orchestration"

// Damage replaces a quest with the placeholder for one that cannot be read.
func (e *Engine) Damage(quest string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, q := range e.quests {
		if q.ID == quest {
			e.quests[i] = orchestration.Placeholder(q, q.Over(), "a page is torn")
		}
	}
}
