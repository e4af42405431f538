package engine

import (
	"questboard/failpoint"
	"questboard/orchestration"
)

// Merge implements Dispatcher. The goroutine ends when the outcome is
// committed, or the engine has stopped.
func (h *Host) Merge(q *orchestration.Quest, step string) {
	h.mu.Lock()
	busy := h.merging[q.ID] != nil
	if !busy {
		h.merging[q.ID] = make(chan struct{})
	}
	h.mu.Unlock()
	if !busy {
		h.trees.Go(func() { h.merge(q, step) })
	}
}

// merge works through the queue until the quest has no merge to do. It also finds the
// merges that were requested while one was in progress.
func (h *Host) merge(q *orchestration.Quest, step string) {
	quest := q.ID
	h.Tidy(q)
	for step != "" && h.ctx.Err() == nil {
		outcome := h.attempt(q, step)
		for outcome.Outcome == orchestration.MergeBroke && h.center.WaitStorable(h.ctx) {
			outcome = h.attempt(q, step)
		}
		failpoint.Pass(failpoint.MergeAfter)
		if h.ctx.Err() != nil {
			break // the next start merges again; nothing half-done is reported
		}
		h.cfg.Log.Info("merge", "quest", quest, "step", step, "outcome", string(outcome.Outcome), "why", outcome.Why)
		<-h.center.Post(quest, outcome)
		q, step = h.next(quest) // q is nil if it is gone
	}
	h.mu.Lock()
	close(h.merging[quest])
	delete(h.merging, quest)
	h.mu.Unlock()
	// An effect may have come between the last look and the delete.
	if q, step := h.next(quest); step != "" && h.ctx.Err() == nil {
		h.Merge(q, step)
	}
}

func (h *Host) next(quest string) (*orchestration.Quest, string) {
	q := h.center.Newest(quest)
	if q == nil {
		return nil, ""
	}
	return q, q.MergeTurn()
}

// attempt merges once. If it panics, the merge has failed, but the server continues.
func (h *Host) attempt(q *orchestration.Quest, step string) (outcome orchestration.MergeEnded) {
	err := guard(q.ID, func() error {
		if err := failpoint.At(failpoint.MergeBefore); err != nil {
			return err
		}
		outcome = h.cfg.Workspace.Merge(h.ctx, q, step)
		return nil
	})
	if err != nil {
		return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeBroke, Why: err.Error()}
	}
	return outcome
}
