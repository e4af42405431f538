package engine

import (
	"context"
	"errors"
	"time"
)

// While the disk refuses writes, the engine is read-only: it starts no run and accepts
// nothing from outside, so it promises nothing that could be lost. Agents at work
// continue. What only the engine knows about them is kept, and stored as soon as
// possible. The engine notices by itself when the disk works again.
//
// A disk that answered with an input/output error is trusted again once a write
// succeeds. For many programs that would be wrong: after a failed sync the system
// treats the pages as written, the next sync succeeds, and the pages are lost. SQLite
// does not rely on those pages. It never shows what it could not sync, and the next
// commit writes the same place of the log again with a sync of its own. What it could
// not copy from the log into the file, it copies again. So a refused commit may come
// back if the server crashes before the next commit, but everything that was reported
// as stored was synced. (docs/reliability.md names what is left.)

// ReadOnly says why nothing can be stored right now.
type ReadOnly struct {
	Err   error // an Unwritable error, with its cause
	Since time.Time

	over chan struct{} // closed when everything can be stored again
}

// probeEvery is the longest time between two checks whether the disk works again.
const probeEvery = 2 * time.Second

// ReadOnly returns why nothing can be stored right now; nil: everything can be stored.
func (e *Engine) ReadOnly() *ReadOnly { return e.readOnly.Load() }

// Suspect makes the engine check the disk, because somebody else's write was refused.
// It does not wait for the result.
func (e *Engine) Suspect() { e.inbox.post(&request{alone: e.look}) }

// Superseded is closed when another server works with the database. The agents are told to end
// by then, and nothing will be stored any more: the caller ends the server.
func (e *Engine) Superseded() <-chan struct{} { return e.superseded }

// leave begins the end if another server works with the database.
func (e *Engine) leave(err error) {
	if !errors.Is(err, ErrSuperseded) || e.lost {
		return
	}
	e.draining, e.lost = true, true
	e.cfg.Log.Error("another questboard works with the database: agents are ended, and so is this server", "error", err)
	e.dispatch.Interrupt("", "another server has taken over")
	close(e.superseded)
}

// look checks the disk, unless the read-only engine does that anyway.
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
		e.cfg.Notifier.ReadOnlyChanged()
	}
	e.retry.later(e.now(), probeEvery)
	e.leave(err)
}

// probe reports whether the disk accepts everything again. Between two checks it
// returns false.
func (e *Engine) probe() bool {
	if !e.retry.due(e.now()) {
		return false
	}
	if err := e.cfg.Writable(context.Background()); err != nil {
		e.retry.later(e.now(), probeEvery)
		e.leave(err)
		return false
	}
	return true
}

// recovered ends the read-only time. The kept requests are stored by now.
func (e *Engine) recovered() {
	was := e.readOnly.Swap(nil)
	e.retry = retry{}
	clear(e.aside)
	close(was.over)
	e.cfg.Log.Info("everything can be stored again", "after", e.now().Sub(was.Since).Round(time.Millisecond).String())
	e.cfg.Notifier.ReadOnlyChanged()
}

// park keeps the requests that only the engine knows, and refuses the rest.
func (e *Engine) park(requests []*request) {
	for _, o := range requests {
		if o.keep {
			e.kept = append(e.kept, o)
			continue
		}
		o.reply(e.cache.get(o.quest), e.readOnly.Load().Err)
	}
}

// waitForDisk is called after a failure that the disk may have caused. If it did, outlast
// waits until the disk works again and returns true: try once more.
func (e *Engine) waitForDisk(ctx context.Context) bool {
	if _, err := e.wait(ctx, &request{alone: e.look, done: make(chan answer, 1)}); err != nil {
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

// retry says when to try again after a failure: soon at first, then less often.
type retry struct {
	at    time.Time
	after time.Duration
}

// later postpones the next try, unless one is already planned.
func (r *retry) later(now time.Time, most time.Duration) {
	if r.due(now) {
		r.after = min(max(2*r.after, 250*time.Millisecond), most)
		r.at = now.Add(r.after)
	}
}

// due reports whether it is time to try. After the clock was set back it is, too: no
// wait is longer than it was meant to be.
func (r *retry) due(now time.Time) bool { return !ahead(r.at, now, r.after) }

// ahead reports whether a time is in the future, but at most by most. A later time was
// written before the clock was set back.
func ahead(at, now time.Time, most time.Duration) bool {
	return at.After(now) && at.Sub(now) <= most
}
