package engine

import (
	"slices"

	"questboard/failpoint"
	"questboard/orchestration"
)

// releases are the lines of a quest whose trees are to be given up.
type releases struct {
	due  []release
	line string        // the one that is being given up now; "": none
	done chan struct{} // closed when it is
}

type release struct {
	q    *orchestration.Quest
	line string
}

// Release implements Dispatcher. A quest gives up one tree at a time, beside
// its merges; the goroutine ends when none is left that can go now.
func (l *local) Release(q *orchestration.Quest, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.releases[q.ID]
	if r == nil {
		r = &releases{}
		l.releases[q.ID] = r
	}
	due := release{q, orchestration.TreeOf(line)}
	r.due = append(slices.DeleteFunc(r.due, func(d release) bool { return d.line == due.line }), due)
	l.releaseNext(q.ID)
}

// releaseNext begins with the next tree that nothing lives in. The lock is held.
func (l *local) releaseNext(quest string) {
	r := l.releases[quest]
	if r == nil || r.line != "" || l.ctx.Err() != nil {
		return
	}
	at := slices.IndexFunc(r.due, func(d release) bool { return !l.worksIn(quest, d.line) })
	if at < 0 {
		if len(r.due) == 0 {
			delete(l.releases, quest)
		}
		return // the end of the run that lives there comes back here
	}
	due := r.due[at]
	r.due = slices.Delete(r.due, at, at+1)
	r.line, r.done = due.line, make(chan struct{})
	l.trees.Go(func() { l.release(r, due) })
}

func (l *local) worksIn(quest, line string) bool {
	for _, w := range l.works {
		if w.job.Quest.ID == quest && orchestration.TreeOf(w.job.Run.Line) == line {
			return true
		}
	}
	return false
}

// take claims the tree of a line for a run. A release that was due is not any
// more: once the run is done, the quest says so again. The caller, who holds
// the lock, must wait for the channel, if there is one.
func (l *local) take(quest, line string) <-chan struct{} {
	r := l.releases[quest]
	if r == nil {
		return nil
	}
	line = orchestration.TreeOf(line)
	r.due = slices.DeleteFunc(r.due, func(d release) bool { return d.line == line })
	if r.line == line {
		return r.done
	}
	return nil
}

// release gives up one tree. A failure leaves it to the next start.
func (l *local) release(r *releases, due release) {
	l.Tidy(due.q)
	q := due.q
	if newest := l.e.shelf.get(q.ID); newest != nil {
		q = newest
	}
	if q.GivenUp(due.line) {
		failpoint.Pass(failpoint.ReleaseBefore)
		err := guard(q.ID, func() error { return l.e.cfg.Workspace.Release(l.ctx, q, due.line) })
		failpoint.Pass(failpoint.ReleaseAfter)
		if err != nil && l.ctx.Err() == nil {
			l.e.cfg.Log.Warn("give up a working tree", "quest", q.ID, "step", due.line, "error", err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	close(r.done)
	r.line = ""
	l.releaseNext(q.ID)
}

// Tidy implements Dispatcher. Whoever comes while it goes on waits for it, too.
func (l *local) Tidy(q *orchestration.Quest) {
	if q.Workspace != orchestration.WorkspaceWorktree {
		return
	}
	l.mu.Lock()
	done, begun := l.tidied[q.ID]
	if !begun {
		done = make(chan struct{})
		l.tidied[q.ID] = done
	}
	l.mu.Unlock()
	if begun {
		<-done
		return
	}
	defer close(done)
	l.tidy(q)
	failpoint.Pass(failpoint.RecoverTidied)
}

func (l *local) tidy(q *orchestration.Quest) {
	var lines []string
	err := guard(q.ID, func() (err error) {
		lines, err = l.e.cfg.Workspace.Tidy(l.ctx, q)
		return err
	})
	if err != nil {
		l.e.cfg.Log.Warn("tidy up working trees", "quest", q.ID, "error", err)
	}
	for _, line := range lines {
		if newest := l.e.shelf.get(q.ID); newest != nil {
			q = newest
		}
		if q.GivenUp(line) {
			l.Release(q, line)
		}
	}
}
