package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"questboard/failpoint"
	"questboard/orchestration"
)

// maxStale is how often a round is done again because another node was faster.
const maxStale = 5

// settle does the orders in one commit. Only after it are they answered,
// watchers woken and effects carried out. If the commit fails, nothing
// happened; then each order is tried alone, so that one bad quest never stops
// the others. It reports whether the disk took everything: if not, the engine is
// read-only from now on.
func (e *Engine) settle(orders []*order) bool {
	r, err := e.attempt(orders, (*round).grant)
	switch {
	case err == nil:
		return true
	case Unwritable(err):
		e.refused(err)
		e.fail(r, orders, err)
		return false
	case len(orders) == 0:
		e.setAside(r, err)
		return true
	case len(orders) == 1 && len(r.granted) == 0:
		e.fail(r, orders, err)
		return true
	}
	for i, o := range orders {
		r, err := e.attempt([]*order{o}, nil)
		if Unwritable(err) {
			e.refused(err)
			e.park(orders[i:])
			return false
		}
		if err != nil {
			e.fail(r, []*order{o}, err)
		}
	}
	return e.grantApart()
}

// grantApart gives out slots after a commit with grants failed: all at once,
// else quest by quest. It reports whether the disk took everything.
func (e *Engine) grantApart() bool {
	r, err := e.attempt(nil, (*round).grant)
	for id := range r.granted {
		if err == nil || Unwritable(err) {
			break
		}
		only := func(r *round) {
			for _, g := range e.assign(r.pool()) {
				if g.Quest == id {
					r.give(g)
				}
			}
		}
		one, failed := e.attempt(nil, only)
		if Unwritable(failed) {
			err = failed
		} else if failed != nil {
			e.setAside(one, failed)
		}
	}
	if Unwritable(err) {
		e.refused(err)
		return false
	}
	if err != nil {
		e.setAside(r, err)
	}
	return true
}

// attempt does the orders and then more, if not nil, in one commit; a stale
// quest is loaded and all is done again. After an error nothing happened.
func (e *Engine) attempt(orders []*order, more func(*round)) (*round, error) {
	for n := 1; ; n++ {
		e.reloadDoubtful()
		r := e.newRound()
		for _, o := range orders {
			r.take(o)
		}
		r.expire()
		if more != nil {
			more(r)
		}
		err := e.commit(r)
		if err == nil {
			e.retry.after = 0
			e.finish(r, orders)
			return r, nil
		}
		// Also an error that is not ErrStale may hide a commit that took place.
		for id := range r.quests {
			e.doubtful[id] = true
		}
		if !errors.Is(err, ErrStale) || n == maxStale {
			e.reloadDoubtful()
			return r, err
		}
	}
}

func (e *Engine) commit(r *round) error {
	if r.idle() {
		return nil
	}
	defer e.timed(e.cfg.Clock())
	return guard("", func() error {
		if err := e.cfg.Store.Commit(context.Background(), r.transitions, r.server); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		return nil
	})
}

const (
	// slowCommit is how long a commit may take: agents and users wait for it.
	slowCommit = time.Second
	// slowEvery is the least time between two lines of the log about that.
	slowEvery = time.Minute
)

// timed tells of a commit that began then, if it was slow.
func (e *Engine) timed(began time.Time) {
	now := e.cfg.Clock()
	took := max(now.Sub(began), 0)
	if took >= slowCommit && !ahead(e.slowAt.Add(slowEvery), now, slowEvery) {
		e.slowAt = now
		e.cfg.Log.Warn("the disk is slow: everybody waits for what is stored", "commit", took.Round(time.Millisecond).String())
	}
}

// finish is what may happen only after the commit, in this order.
func (e *Engine) finish(r *round, orders []*order) {
	e.publish(r)
	failpoint.Pass(failpoint.Published)
	for i, o := range orders {
		failpoint.Pass(failpoint.Stored, o.fact)
		if err := r.results[i]; err != nil && o.keep {
			e.report(err)
			e.cfg.Log.Warn("a fact about a run was refused", "quest", o.quest, "error", err)
		}
		o.reply(e.shelf.get(o.quest), r.results[i])
	}
	failpoint.Pass(failpoint.Replied)
	e.ring(r)
	failpoint.Pass(failpoint.Rung)
	for _, t := range r.transitions {
		for _, effect := range t.Effects {
			e.act(r, t.Quest.ID, effect)
		}
	}
}

func (e *Engine) act(r *round, quest string, effect orchestration.Effect) {
	failpoint.Pass(failpoint.Effect, effect)
	switch f := effect.(type) {
	case orchestration.StartRun:
		q := r.quests[quest]
		e.dispatch.Start(Job{Quest: q, Run: q.Run(f.Run), Secret: r.secrets[f.Run]})
	case orchestration.EndRun:
		e.dispatch.End(f.Run, e.grace(f.Grace))
	case orchestration.MergeLine:
		e.dispatch.Merge(r.quests[quest], f.Line)
	case orchestration.ReleaseLine:
		e.dispatch.Release(r.quests[quest], f.Line)
	}
}

func (e *Engine) grace(g orchestration.GraceKind) time.Duration {
	if g == orchestration.GraceSignalled {
		return e.timeouts().Grace
	}
	return 0
}

// fail answers orders whose commit failed. What only we know is kept and
// tried again.
func (e *Engine) fail(r *round, orders []*order, err error) {
	if len(orders) > 0 && !Unwritable(err) { // which is said once
		e.cfg.Log.Error("nothing was changed", "orders", len(orders), "error", err)
	}
	for i, o := range orders {
		switch {
		case o.keep:
			e.kept = append(e.kept, o)
			e.retryLater()
		case r.results[i] != nil && r.quests[o.quest] == nil:
			o.reply(e.shelf.get(o.quest), r.results[i]) // refused in any case
		default:
			o.reply(e.shelf.get(o.quest), err)
		}
	}
}

// setAside lets quests whose grants could not be stored wait for a while.
func (e *Engine) setAside(r *round, err error) {
	e.retryLater()
	if len(r.granted) == 0 {
		return
	}
	e.cfg.Log.Error("no slots were given", "quests", len(r.granted), "error", err)
	for id := range r.granted {
		e.aside[id] = e.retry.at
	}
}

// retryMost is the longest time between two tries of what failed for another
// reason than the disk.
const retryMost = 30 * time.Second

func (e *Engine) retryLater() { e.retry.later(e.now(), retryMost) }
