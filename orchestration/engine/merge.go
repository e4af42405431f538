package engine

import (
	"questboard/failpoint"
	"questboard/orchestration"
)

// Merge implements Dispatcher. The goroutine ends when the outcome is
// committed, or the engine has stopped.
func (l *local) Merge(q *orchestration.Quest, line string) {
	l.mu.Lock()
	busy := l.merging[q.ID]
	l.merging[q.ID] = true
	l.mu.Unlock()
	if !busy {
		l.trees.Go(func() { l.merge(q, line) })
	}
}

// merge goes on with the queue until the quest has no merge whose turn it is:
// an effect that came while one was going on is found here again.
func (l *local) merge(q *orchestration.Quest, line string) {
	l.Tidy(q)
	for line != "" && l.ctx.Err() == nil {
		outcome := l.attempt(q, line)
		for outcome.Outcome == orchestration.MergeBroke && l.e.outlast(l.ctx) {
			outcome = l.attempt(q, line)
		}
		failpoint.Pass(failpoint.MergeAfter)
		if l.ctx.Err() != nil {
			break // the next start merges again; nothing is reported half done
		}
		l.e.cfg.Log.Info("merge", "quest", q.ID, "step", line, "outcome", string(outcome.Outcome), "why", outcome.Why)
		o := applying(q.ID, serverActor, outcome)
		o.keep = true
		if !l.e.inbox.post(o) {
			break
		}
		<-o.done
		q, line = l.next(q.ID)
	}
	l.mu.Lock()
	delete(l.merging, q.ID)
	l.mu.Unlock()
	// Between the last look and the delete an effect may have come and gone.
	if q, line := l.next(q.ID); line != "" && l.ctx.Err() == nil {
		l.Merge(q, line)
	}
}

func (l *local) next(quest string) (*orchestration.Quest, string) {
	q := l.e.shelf.get(quest)
	if q == nil {
		return nil, ""
	}
	return q, q.MergeTurn()
}

// attempt is one try; a panic in it is a failed merge, not the server's end.
func (l *local) attempt(q *orchestration.Quest, line string) (outcome orchestration.MergeEnded) {
	err := guard(q.ID, func() error {
		if err := failpoint.At(failpoint.MergeBefore); err != nil {
			return err
		}
		outcome = l.e.cfg.Workspace.Merge(l.ctx, q, line)
		return nil
	})
	if err != nil {
		return orchestration.MergeEnded{Line: line, Outcome: orchestration.MergeBroke, Why: err.Error()}
	}
	return outcome
}
