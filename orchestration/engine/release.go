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
func (h *Host) Release(q *orchestration.Quest, step string) { h.due(q, step) }

// Prepare implements Dispatcher. It takes turns with Release, and so it never works in a
// tree that is being removed.
func (h *Host) Prepare(q *orchestration.Quest, step string) { h.due(q, step) }

func (h *Host) due(q *orchestration.Quest, step string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.releases[q.ID]
	if r == nil {
		r = &releases{}
		h.releases[q.ID] = r
	}
	due := release{q, orchestration.TreeOf(step)}
	r.due = append(slices.DeleteFunc(r.due, func(d release) bool { return d.step == due.step }), due)
	h.releaseNext(q.ID)
}

// releaseNext starts with the next tree without a process. The lock is held.
func (h *Host) releaseNext(quest string) {
	r := h.releases[quest]
	if r == nil || r.step != "" || h.ctx.Err() != nil {
		return
	}
	at := slices.IndexFunc(r.due, func(d release) bool { return !h.worksIn(quest, d.step) })
	if at < 0 {
		if len(r.due) == 0 {
			delete(h.releases, quest)
		}
		return // the end of the run in that tree calls this again
	}
	due := r.due[at]
	r.due = slices.Delete(r.due, at, at+1)
	r.step, r.done = due.step, make(chan struct{})
	h.trees.Go(func() { h.release(r, due) })
}

func (h *Host) worksIn(quest, step string) bool {
	for _, w := range h.works {
		if w.job.Quest.ID == quest && orchestration.TreeOf(w.job.Run.Step) == step {
			return true
		}
	}
	return false
}

// take claims the tree of a step for a run and cancels a release that was due; once the
// run is done, the quest requests it again. The caller holds the lock and must wait for
// the channel, if there is one.
func (h *Host) take(quest, step string) <-chan struct{} {
	r := h.releases[quest]
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
func (h *Host) release(r *releases, due release) {
	h.Tidy(due.q)
	q := due.q
	if newest := h.center.Newest(q.ID); newest != nil {
		q = newest
	}
	if q.GivenUp(due.step) {
		failpoint.Pass(failpoint.ReleaseBefore)
		err := guard(q.ID, func() error { return h.cfg.Workspace.Release(h.ctx, q, due.step) })
		failpoint.Pass(failpoint.ReleaseAfter)
		if err != nil && h.ctx.Err() == nil {
			h.cfg.Log.Warn("remove a working tree", "quest", q.ID, "step", due.step, "error", err)
		}
	} else if q.TakenOver(due.step) {
		h.makeTree(q, due.step)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	close(r.done)
	r.step = ""
	h.releaseNext(q.ID)
}

// makeTree gives a person a tree to work in, with its links and copies. A set-up command
// runs later, before the check, because it may take long.
func (h *Host) makeTree(q *orchestration.Quest, step string) {
	try := func() error {
		return guard(q.ID, func() error {
			if _, err := h.cfg.Workspace.Dir(h.ctx, q, step); err != nil {
				return err
			}
			nobody := &orchestration.Run{Launch: orchestration.Launch{Step: step}}
			_, err := h.cfg.Workspace.Prepare(h.ctx, q, nobody, h.center.Settings().Repo(q.Repo).Or(q.File))
			return err
		})
	}
	err := try()
	for err != nil && h.center.WaitStorable(h.ctx) {
		err = try()
	}
	switch {
	case h.ctx.Err() != nil: // the next start does it again
	case err != nil:
		h.cfg.Log.Warn("make a working tree for a person", "quest", q.ID, "step", step, "error", err)
		h.center.Post(q.ID, orchestration.TreeNotMade{Step: step, Why: err.Error()})
	default:
		h.center.Changed(q.ID, step) // its page shows where the tree is
	}
}

// Tidy implements Dispatcher. Other callers wait until the first call is done.
func (h *Host) Tidy(q *orchestration.Quest) {
	if q.Workspace != orchestration.WorkspaceWorktree {
		return
	}
	h.mu.Lock()
	done, begun := h.tidied[q.ID]
	if !begun {
		done = make(chan struct{})
		h.tidied[q.ID] = done
	}
	h.mu.Unlock()
	if begun {
		<-done
		return
	}
	defer close(done)
	h.tidy(q)
	failpoint.Pass(failpoint.RecoverTidied)
}

func (h *Host) tidy(q *orchestration.Quest) {
	var steps []string
	err := guard(q.ID, func() (err error) {
		steps, err = h.cfg.Workspace.Tidy(h.ctx, q)
		return err
	})
	if err != nil {
		h.cfg.Log.Warn("tidy up working trees", "quest", q.ID, "error", err)
	}
	for _, step := range steps {
		if newest := h.center.Newest(q.ID); newest != nil {
			q = newest
		}
		if q.GivenUp(step) {
			h.Release(q, step)
		}
	}
}
