package engine_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// wall is a clock on the wall: it shows the time of the bubble until somebody
// sets it. Its times carry no monotonic reading, as after a suspend.
type wall struct{ off atomic.Int64 }

func (w *wall) now() time.Time       { return time.Now().Round(0).Add(time.Duration(w.off.Load())) }
func (w *wall) set(by time.Duration) { w.off.Add(int64(by)) }

// jumping runs a test for every way in which a clock is set. A computer that
// slept for an hour is one of them: its clock goes on, and nothing else does.
func jumping(t *testing.T, f func(t *testing.T, r *rig, set func())) {
	t.Parallel()
	for _, by := range []time.Duration{time.Hour, -time.Hour, 365 * 24 * time.Hour, -365 * 24 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := &wall{}
				r := newRig(t, func(c *engine.Config) { c.Clock = w.now })
				defer r.stop()
				f(t, r, func() { w.set(by); synctest.Wait() })
			})
		})
	}
}

func TestNobodyIsStuckForAClockThatIsSet(t *testing.T) {
	jumping(t, func(t *testing.T, r *rig, set func()) {
		q := r.quest(1)
		p := r.runs.only()
		for range 3 {
			pass(5 * minute)
			set()
			pass(2 * minute)
			if got := r.runs.living(); len(got) != 1 || got[0] != p {
				t.Fatalf("the run was ended: %s", r.now(q.ID).Run(p.spec.RunID).Why)
			}
			p.progress(0, "still here")
		}
		silent := time.Now()
		pass(3 * minute)
		set()
		if d := endedAfter(t, p, silent); d < 8*minute || d > 12*minute {
			t.Errorf("ended after %s of silence, want about ten minutes", d)
		}
	})
}

func (p *process) over() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

func TestARunTimeEndsWhateverTheClockSays(t *testing.T) {
	jumping(t, func(t *testing.T, r *rig, set func()) {
		r.quest(1)
		p := r.runs.only()
		for n := range 100 { // five hours
			pass(3 * minute)
			p.progress(0, "busy")
			if p.over() {
				break
			}
			if n%10 == 0 {
				set()
			}
		}
		if d := p.exited.Sub(p.born); !p.over() || d < 3*time.Hour || d > 5*time.Hour {
			t.Errorf("the run went on for %s, want about four hours", d)
		}
	})
}

func TestBackoffsAndHoldsEndAlthoughTheClockIsSet(t *testing.T) {
	jumping(t, func(t *testing.T, r *rig, set func()) {
		r.quest(2)
		for _, p := range r.runs.living() {
			p.exit(orchestration.EndOverloaded)
		}
		r.living(t, 0)
		set()
		pass(3 * minute) // a minute's backoff, and the loop looks once a minute
		if n := len(r.runs.living()); n == 0 {
			t.Errorf("nobody is at work; holds: %+v", r.Holds())
		}
	})
}

func TestWhatIsKeptIsStoredAlthoughTheClockIsSet(t *testing.T) {
	jumping(t, func(t *testing.T, r *rig, set func()) {
		q := r.quest(1)
		r.store.FailAll(engine.ErrFull)
		r.runs.only().exit(orchestration.EndCrashed)
		synctest.Wait()
		set()
		r.store.FailAll(nil)
		pass(2 * minute)
		if run := r.now(q.ID).Run(q.ID + "-r1"); run.Outcome != orchestration.OutcomeCrashed || r.ReadOnly() != nil {
			t.Errorf("two minutes later: outcome %q, read-only %v", run.Outcome, r.ReadOnly())
		}
	})
}

func TestTheHistoryKeepsItsOrderWhateverTheClockSays(t *testing.T) {
	jumping(t, func(t *testing.T, r *rig, set func()) {
		q := r.quest(2)
		for r.now(q.ID).Phase == orchestration.PhaseSteps {
			p := r.runs.living()[0]
			set()
			if p.spec.Role == orchestration.Ward {
				p.exit(orchestration.EndWardPassed)
			} else {
				r.complete(p)
			}
			synctest.Wait()
		}
		events, err := r.Events(t.Context(), q.ID, orchestration.EventFilter{N: 1000})
		if err != nil || len(events) < 20 {
			t.Fatalf("%d events, %v", len(events), err)
		}
		for i, e := range events {
			if e.Seq != int64(i+1) {
				t.Fatalf("entry %d has number %d", i+1, e.Seq)
			}
		}
		// A server that starts with its clock before all that happened goes on.
		r.runs.endAll()
		r.Engine.Stop(t.Context())
		set()
		r.start()
		if n := len(r.runs.living()); n == 0 {
			t.Error("nobody is at work after the restart")
		}
	})
}
