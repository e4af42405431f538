package engine

import (
	"questboard/failpoint"
	"questboard/orchestration"
)

// Merge implements Dispatcher. The goroutine ends when the outcome is
// committed, or the engine has stopped.
func (l *local) Merge(q *orchestration.Quest, step string) {
	l.mu.Lock()
	busy := l.merging[q.ID]
	l.merging[q.ID] = true
	l.mu.Unlock()
	if !busy {
		l.trees.Go(func() { l.merge(q, step) })
	}
}

// merge works through the queue until the quest has no merge to do. It also finds the
// merges that were requested while one was in progress.
func (l *local) merge(q *orchestration.Quest, step string) {
	l.Tidy(q)
	for step != "" && l.ctx.Err() == nil {
		outcome := l.attempt(q, step)
		for outcome.Outcome == orchestration.MergeBroke && l.e.waitForDisk(l.ctx) {
			outcome = l.attempt(q, step)
		}
		failpoint.Pass(failpoint.MergeAfter)
		if l.ctx.Err() != nil {
			break // the next start merges again; nothing half-done is reported
		}
		l.e.cfg.Log.Info("merge", "quest", q.ID, "step", step, "outcome", string(outcome.Outcome), "why", outcome.Why)
		o := applying(q.ID, serverActor, outcome)
		o.keep = true
		if !l.e.inbox.post(o) {
			break
		}
		<-o.done
		q, step = l.next(q.ID)
	}
	l.mu.Lock()
	delete(l.merging, q.ID)
	l.mu.Unlock()
	// An effect may have come between the last look and the delete.
	if q, step := l.next(q.ID); step != "" && l.ctx.Err() == nil {
		l.Merge(q, step)
	}
}

func (l *local) next(quest string) (*orchestration.Quest, string) {
	q := l.e.cache.get(quest)
	if q == nil {
		return nil, ""
	}
	return q, q.MergeTurn()
}

// attempt merges once. If it panics, the merge has failed, but the server continues.
func (l *local) attempt(q *orchestration.Quest, step string) (outcome orchestration.MergeEnded) {
	err := guard(q.ID, func() error {
		if err := failpoint.At(failpoint.MergeBefore); err != nil {
			return err
		}
		outcome = l.e.cfg.Workspace.Merge(l.ctx, q, step)
		return nil
	})
	if err != nil {
		return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeBroke, Why: err.Error()}
	}
	return outcome
}
