package engine_test

import (
	"testing"
	"time"

	"questboard/orchestration"
)

// endedAfter lets time pass until the process is gone and says how long that took.
func endedAfter(t *testing.T, p *process, since time.Time) time.Duration {
	t.Helper()
	select {
	case <-p.gone:
	case <-time.After(24 * time.Hour):
		t.Fatal("the process was never ended")
	}
	return p.exited.Sub(since)
}

func TestSilenceIsStuckAfterExactlyTenMinutes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		p := r.runs.only()
		pass(7 * minute)
		p.progress(0, "still here")
		if d := endedAfter(t, p, p.born); d != 17*minute {
			t.Errorf("ended after %s, want 17m: ten minutes after the last progress", d)
		}
		r.runs.living()
		run := r.now(q.ID).Run(q.ID + "-r1")
		if run.Outcome != orchestration.OutcomeStuck || run.Why != "no progress for 10m0s" {
			t.Errorf("outcome %q (%s), want stuck whatever the adapter said", run.Outcome, run.Why)
		}
	})
}

func TestAnOpenToolCallHasSixtyMinutes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1)
		p := r.runs.only()
		pass(3 * minute)
		p.progress(1, "Bash make test")
		if d := endedAfter(t, p, p.born); d != 63*minute {
			t.Errorf("ended after %s, want 1h3m", d)
		}
	})
}

func TestAToolCallThatReturnsLeavesTenMinutesAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1)
		p := r.runs.only()
		p.progress(1, "Bash make test")
		pass(25 * minute)
		p.progress(0, "")
		if d := endedAfter(t, p, p.born); d != 35*minute {
			t.Errorf("ended after %s, want 35m", d)
		}
	})
}

func TestNoRunGoesOnForMoreThanFourHours(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		p := r.runs.only()
		for range 100 {
			pass(3 * minute)
			p.progress(0, "busy")
		}
		if d := endedAfter(t, p, p.born); d != 4*time.Hour {
			t.Errorf("ended after %s, want 4h", d)
		}
		if run := r.now(q.ID).Run(q.ID + "-r1"); run.Outcome != orchestration.OutcomeStuck {
			t.Errorf("outcome %q, want stuck", run.Outcome)
		}
	})
}

func TestWardHasALimitOfItsOwn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1)
		r.complete(r.runs.only())
		ward := r.runs.only()
		pass(5 * time.Hour)
		if r.runs.only() != ward {
			t.Error("a silent ward was ended by the watchdog")
		}
	})
}
