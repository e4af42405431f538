package engine

import (
	"context"
	"time"
)

// While the disk refuses what is to be stored, the engine is read-only: it
// starts no run and takes nothing from outside, so nothing is promised that
// could be lost. Agents at work go on; what only the engine knows of them is
// kept, and stored as soon as that is possible again. It finds out by itself.
//
// Also a disk that answered with an input/output error is trusted again once a
// write goes through. After a failed sync that is not so for every program: the
// system takes the pages for written then, the next sync succeeds, and they are
// lost. SQLite does not rely on them. What it could not sync it never shows, and
// the next commit writes the same place of the log anew, with a sync of its own;
// what it could not fold into the file it folds again from the log. So what was
// refused may come back by a crash before the next commit, but what was told as
// stored was synced. (docs/reliability.md names what is left.)

// ReadOnly says why nothing can be stored right now.
type ReadOnly struct {
	Err   error // ErrFull, ErrReadOnly or ErrFailing, with its cause
	Since time.Time

	over chan struct{} // closed when it is over
}

// probeEvery is the longest time between two looks whether the disk takes
// anything again.
const probeEvery = 2 * time.Second

// ReadOnly returns why nothing can be stored right now; nil: all is well.
func (e *Engine) ReadOnly() *ReadOnly { return e.readOnly.Load() }

// Suspect lets the engine look whether everything can be stored: somebody else
// was refused. It does not wait for the answer.
func (e *Engine) Suspect() { e.inbox.post(&order{alone: e.look}) }

// look asks the disk, unless that is done anyway.
func (e *Engine) look() error {
	if e.readOnly.Load() != nil {
		return nil
	}
	if err := e.cfg.Writable(context.Background()); Unwritable(err) {
		e.refused(err)
	}
	return nil
}

// refused makes the engine read-only, or keeps it so.
func (e *Engine) refused(err error) {
	now := e.readOnly.Load()
	if now == nil {
		now = &ReadOnly{Err: err, Since: e.now(), over: make(chan struct{})}
		e.readOnly.Store(now)
		e.retry = retry{}
		e.cfg.Log.Error("nothing can be stored: no run starts until that is over, and nothing is lost", "error", err)
		e.cfg.Doorbell.ReadOnlyChanged()
	}
	e.retry.later(e.now(), probeEvery)
}

// probe looks whether the disk takes everything again. It does not if this
// returns false.
func (e *Engine) probe() bool {
	if !e.retry.due(e.now()) {
		return false
	}
	if err := e.cfg.Writable(context.Background()); err != nil {
		e.retry.later(e.now(), probeEvery)
		return false
	}
	return true
}

// recovered ends the read-only time: what was kept is stored.
func (e *Engine) recovered() {
	was := e.readOnly.Swap(nil)
	e.retry = retry{}
	clear(e.aside)
	close(was.over)
	e.cfg.Log.Info("everything can be stored again", "after", e.now().Sub(was.Since).Round(time.Millisecond).String())
	e.cfg.Doorbell.ReadOnlyChanged()
}

// park keeps what only we know of and refuses the rest.
func (e *Engine) park(orders []*order) {
	for _, o := range orders {
		if o.keep {
			e.kept = append(e.kept, o)
			continue
		}
		o.reply(e.shelf.get(o.quest), e.readOnly.Load().Err)
	}
}

// outlast is for what failed and may have failed for want of a disk. If so, it
// returns true once the disk takes everything again: try once more.
func (e *Engine) outlast(ctx context.Context) bool {
	if _, err := e.wait(ctx, &order{alone: e.look, done: make(chan answer, 1)}); err != nil {
		return false
	}
	now := e.readOnly.Load()
	if now == nil {
		return false
	}
	select {
	case <-now.over:
		return true
	case <-ctx.Done():
		return false
	}
}

// retry says when something that failed is tried again: soon, then less and
// less often.
type retry struct {
	at    time.Time
	after time.Duration
}

// later puts the next try off, unless one is due to come already.
func (r *retry) later(now time.Time, most time.Duration) {
	if r.due(now) {
		r.after = min(max(2*r.after, 250*time.Millisecond), most)
		r.at = now.Add(r.after)
	}
}

// due also where the clock was set back since: no wait is longer than it was
// meant to be.
func (r *retry) due(now time.Time) bool { return !ahead(r.at, now, r.after) }

// ahead reports whether a time is still to come, and no more than most away.
// What is further away was written by a clock that has been set back.
func ahead(at, now time.Time, most time.Duration) bool {
	return at.After(now) && at.Sub(now) <= most
}
