package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"questboard/failpoint"
	"questboard/orchestration"
)

// maxStale is how many times a batch is repeated because another node was faster.
const maxStale = 5

// commitRequests carries out the requests in one commit. Only then it answers them,
// wakes watchers and carries out effects. If the commit fails, nothing has happened; it
// then tries each request alone, so that one bad quest never stops the others. It
// reports whether the disk accepted everything: if not, the engine is read-only from
// now on.
func (e *Engine) commitRequests(requests []*request) bool {
	r, err := e.attempt(requests, (*batch).tend)
	switch {
	case err == nil:
		return true
	case Unwritable(err):
		e.refused(err)
		e.fail(r, requests, err)
		return false
	case len(requests) == 0:
		return e.tendApart(r, err)
	case len(requests) == 1 && len(r.tended) == 0:
		e.fail(r, requests, err)
		return true
	}
	for i, o := range requests {
		r, err := e.attempt([]*request{o}, nil)
		if Unwritable(err) {
			e.refused(err)
			e.park(requests[i:])
			return false
		}
		if err != nil {
			e.fail(r, []*request{o}, err)
		}
	}
	return e.tendApart(e.attempt(nil, (*batch).tend))
}

// tendApart is called after an attempt to tend all quests at once. If that has failed, it
// tends them one by one, so that one bad quest never stops the others, and no turn is stored
// without its grant. It reports whether the disk accepted everything.
func (e *Engine) tendApart(r *batch, err error) bool {
	if err == nil {
		return true
	}
	tries := len(r.tended)
	if tries < 2 && !Unwritable(err) {
		e.setAside(r, err)
		return true
	}
	for range tries {
		if Unwritable(err) {
			break
		}
		if r, err = e.attempt(nil, (*batch).tendOne); err != nil && !Unwritable(err) {
			e.setAside(r, err)
		}
	}
	if Unwritable(err) {
		e.refused(err)
		return false
	}
	return true
}

// attempt carries out the requests, and then more if it is not nil, in one commit. If a
// quest is stale, it loads that quest and starts again. After an error nothing has
// happened, as far as is known.
func (e *Engine) attempt(requests []*request, more func(*batch)) (*batch, error) {
	for n := 1; ; n++ {
		e.reloadDoubtful()
		err := e.reloadServer()
		r := e.newBatch()
		for _, o := range requests {
			r.take(o)
		}
		r.expire()
		if more != nil {
			more(r)
		}
		if err == nil {
			err = e.commit(r)
		}
		if err == nil {
			e.retry.after = 0
			e.finish(r, requests)
			return r, nil
		}
		// Even after an error other than ErrStale the commit may have taken place.
		for id := range r.quests {
			e.doubtful[id] = true
		}
		e.unsure = e.unsure || r.server != nil
		if !errors.Is(err, ErrStale) || n == maxStale {
			e.reloadDoubtful()
			_ = e.reloadServer() // else the next attempt has the error
			return r, err
		}
	}
}

func (e *Engine) commit(r *batch) error {
	if len(e.untold) > 0 {
		r.edit(func(*Server) {}) // so that there is something to commit
	}
	if r.idle() {
		return nil
	}
	defer e.logIfSlow(e.cfg.Clock())
	began := time.Now()
	e.committing.Store(&began)
	defer e.committing.Store(nil)
	defer time.AfterFunc(hungCommit, func() {
		e.cfg.Log.Error("the database does not answer: agents and users wait", "for", hungCommit.String())
	}).Stop()
	server := r.server
	if server != nil {
		before, telling := e.server.Load(), *server
		telling.Notices = slices.Concat(e.untold, orchestration.HoldNotices(before.Holds, server.Holds, r.at),
			orchestration.SharedBudgetNotices(before.sharedBudgets(r.at), server.sharedBudgets(r.at), r.at))
		server = &telling
	}
	return guard("", func() error {
		if err := e.cfg.Store.Commit(context.Background(), r.transitions, server); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		e.untold = nil
		return nil
	})
}

const (
	// slowCommit is the longest time that a commit should take, because agents and
	// users wait for it.
	slowCommit = time.Second
	// slowEvery is the least time between two log lines about slow commits.
	slowEvery = time.Minute
)

// logIfSlow logs a commit that was slow. began is when it began.
func (e *Engine) logIfSlow(began time.Time) {
	now := e.cfg.Clock()
	took := max(now.Sub(began), 0)
	if took >= slowCommit && !ahead(e.slowAt.Add(slowEvery), now, slowEvery) {
		e.slowAt = now
		e.cfg.Log.Warn("the disk is slow: agents and users wait for it", "commit", took.Round(time.Millisecond).String())
	}
}

// finish does what must not happen before the commit, in this order.
func (e *Engine) finish(r *batch, requests []*request) {
	e.publish(r)
	failpoint.Pass(failpoint.Published)
	for i, o := range requests {
		failpoint.Pass(failpoint.Stored, o.input)
		if err := r.results[i]; err != nil && o.keep {
			e.report(err)
			e.cfg.Log.Warn("a report about a run was refused", "quest", o.quest, "error", err)
		}
		o.reply(r.known(o.quest), r.results[i])
	}
	failpoint.Pass(failpoint.Replied)
	e.ring(r)
	failpoint.Pass(failpoint.Rung)
	for _, t := range r.transitions {
		for _, effect := range t.Effects {
			e.act(r, t.Quest.ID, effect)
		}
	}
	for id, q := range r.quests {
		if q.Workplace.Host != "" && ended(q) {
			e.dispatch.Forget(id) // once its trees are released, the server has all of its work
		}
	}
	for id, left := range r.moved { // after the effects: a run may have begun in the same batch
		e.cfg.Hosts.Dispatcher(left).Forget(id)
		e.pending(r.quests[id])
	}
}

func (e *Engine) act(r *batch, quest string, effect orchestration.Effect) {
	failpoint.Pass(failpoint.Effect, effect)
	switch f := effect.(type) {
	case orchestration.StartRun:
		q := r.quests[quest]
		e.dispatch.Start(Job{Quest: q, Run: q.Run(f.Run), Secret: r.secrets[f.Run]})
	case orchestration.EndRun:
		e.dispatch.End(f.Run, f.Grace)
	case orchestration.MergeStep:
		e.dispatch.Merge(r.quests[quest], f.Step)
	case orchestration.ReleaseStep:
		e.dispatch.Release(r.quests[quest], f.Step)
	case orchestration.PrepareStep:
		e.dispatch.Prepare(r.quests[quest], f.Step)
	}
}

// fail answers requests whose commit failed. It keeps the requests that only the engine
// knows, and tries them again.
func (e *Engine) fail(r *batch, requests []*request, err error) {
	if len(requests) > 0 && !Unwritable(err) { // read-only is logged once
		e.cfg.Log.Error("the commit failed; nothing was changed", "requests", len(requests), "error", err)
	}
	for i, o := range requests {
		switch {
		case o.keep:
			e.kept = append(e.kept, o)
			e.retryLater()
		case r.results[i] != nil && r.quests[o.quest] == nil:
			o.reply(r.known(o.quest), r.results[i]) // the rules refuse it anyway
		default:
			o.reply(e.cache.get(o.quest), err)
		}
	}
}

// setAside makes quests wait for a while if what they got unasked could not be stored.
func (e *Engine) setAside(r *batch, err error) {
	e.retryLater()
	if len(r.tended) == 0 {
		return
	}
	e.cfg.Log.Error("what quests get unasked, for example slots, could not be stored", "quests", r.tended, "error", err)
	for _, id := range r.tended {
		e.aside[id] = e.retry.at
	}
}

// retryMost is the longest time between two tries after a failure that is not the
// disk's.
const retryMost = 30 * time.Second

func (e *Engine) retryLater() { e.retry.later(e.now(), retryMost) }
