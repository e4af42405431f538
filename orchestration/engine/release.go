package engine

import (
	"slices"

	"questboard/failpoint"
	"questboard/orchestration"
)

// releases holds the steps of a quest whose trees are to be removed, or made for a
// person.
type releases struct {
	due  []release
	step string        // the step whose tree is being removed or made now; "": none
	done chan struct{} // closed when that is done
}

type release struct {
	q    *orchestration.Quest
	step string
}

// Release implements Dispatcher. A quest removes one tree at a time, in parallel with
// its merges. The goroutine ends when no tree is left that can go now.
func (l *local) Release(q *orchestration.Quest, step string) { l.due(q, step) }

// Prepare implements Dispatcher. It takes turns with Release, and so it never works in a
// tree that is being removed.
func (l *local) Prepare(q *orchestration.Quest, step string) { l.due(q, step) }

func (l *local) due(q *orchestration.Quest, step string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.releases[q.ID]
	if r == nil {
		r = &releases{}
		l.releases[q.ID] = r
	}
	due := release{q, orchestration.TreeOf(step)}
	r.due = append(slices.DeleteFunc(r.due, func(d release) bool { return d.step == due.step }), due)
	l.releaseNext(q.ID)
}

// releaseNext starts with the next tree without a process. The lock is held.
func (l *local) releaseNext(quest string) {
	r := l.releases[quest]
	if r == nil || r.step != "" || l.ctx.Err() != nil {
		return
	}
	at := slices.IndexFunc(r.due, func(d release) bool { return !l.worksIn(quest, d.step) })
	if at < 0 {
		if len(r.due) == 0 {
			delete(l.releases, quest)
		}
		return // the end of the run in that tree calls this again
	}
	due := r.due[at]
	r.due = slices.Delete(r.due, at, at+1)
	r.step, r.done = due.step, make(chan struct{})
	l.trees.Go(func() { l.release(r, due) })
}

func (l *local) worksIn(quest, step string) bool {
	for _, w := range l.works {
		if w.job.Quest.ID == quest && orchestration.TreeOf(w.job.Run.Step) == step {
			return true
		}
	}
	return false
}

// take claims the tree of a step for a run and cancels a release that was due; once the
// run is done, the quest requests it again. The caller holds the lock and must wait for
// the channel, if there is one.
func (l *local) take(quest, step string) <-chan struct{} {
	r := l.releases[quest]
	if r == nil {
		return nil
	}
	step = orchestration.TreeOf(step)
	r.due = slices.DeleteFunc(r.due, func(d release) bool { return d.step == step })
	if r.step == step {
		return r.done
	}
	return nil
}

// release removes one tree, or makes it for a person, as the newest quest says. After a
// removal that failed the next start tries again.
func (l *local) release(r *releases, due release) {
	l.Tidy(due.q)
	q := due.q
	if newest := l.e.cache.get(q.ID); newest != nil {
		q = newest
	}
	if q.GivenUp(due.step) {
		failpoint.Pass(failpoint.ReleaseBefore)
		err := guard(q.ID, func() error { return l.e.cfg.Workspace.Release(l.ctx, q, due.step) })
		failpoint.Pass(failpoint.ReleaseAfter)
		if err != nil && l.ctx.Err() == nil {
			l.e.cfg.Log.Warn("remove a working tree", "quest", q.ID, "step", due.step, "error", err)
		}
	} else if q.TakenOver(due.step) {
		l.makeTree(q, due.step)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	close(r.done)
	r.step = ""
	l.releaseNext(q.ID)
}

// makeTree gives a person a tree to work in, with its links and copies. A set-up command
// runs later, before the check, because it may take long.
func (l *local) makeTree(q *orchestration.Quest, step string) {
	try := func() error {
		return guard(q.ID, func() error {
			if _, err := l.e.cfg.Workspace.Dir(l.ctx, q, step); err != nil {
				return err
			}
			nobody := &orchestration.Run{Launch: orchestration.Launch{Step: step}}
			_, err := l.e.cfg.Workspace.Prepare(l.ctx, q, nobody, l.e.server.Load().Repo(q.Repo).Or(q.File))
			return err
		})
	}
	err := try()
	for err != nil && l.e.waitForDisk(l.ctx) {
		err = try()
	}
	switch {
	case l.ctx.Err() != nil: // the next start does it again
	case err != nil:
		l.e.cfg.Log.Warn("make a working tree for a person", "quest", q.ID, "step", step, "error", err)
		l.e.post(q.ID, orchestration.TreeNotMade{Step: step, Why: err.Error()})
	default:
		l.e.cfg.Notifier.QuestChanged(q.ID, []string{step}) // its page shows where the tree is
	}
}

// Tidy implements Dispatcher. Other callers wait until the first call is done.
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
	var steps []string
	err := guard(q.ID, func() (err error) {
		steps, err = l.e.cfg.Workspace.Tidy(l.ctx, q)
		return err
	})
	if err != nil {
		l.e.cfg.Log.Warn("tidy up working trees", "quest", q.ID, "error", err)
	}
	for _, step := range steps {
		if newest := l.e.cache.get(q.ID); newest != nil {
			q = newest
		}
		if q.GivenUp(step) {
			l.Release(q, step)
		}
	}
}
