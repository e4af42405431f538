package engine_test

import (
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// A program that crashes at once is tried again after 5 s, 30 s and 2 min, and its step is
// blocked by the fourth crash. While it waits, the only slot is somebody else's.
func TestTheFourthCrashComesNoSoonerThanAfterAllWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, oneSlot, func(c *engine.Config) { c.CrashBackoff = orchestration.DefaultCrashBackoff })
		defer r.stop()
		var crashes []time.Time
		r.runs.set(func() {
			r.runs.instant = func(p *process) {
				if p.spec.Step == "step-1" && p.spec.Role == orchestration.Codeweaver {
					p.exit(orchestration.EndCrashed)
				}
			}
		})
		q := r.quest(2)
		for range 200 {
			other := 0
			for _, p := range r.runs.living() {
				if p.spec.Step != "step-1" {
					other++
				}
			}
			if s := r.now(q.ID).Step("step-1"); s.Hold == orchestration.HoldNone && other != 1 {
				t.Fatalf("after %d crashes %d processes of the other step are at work: the slot is taken", s.Counts.Crash, other)
			}
			for _, p := range r.runs.living() { // let the slot go for a moment, so that a run that may start does
				p.exit(orchestration.EndInterrupted)
			}
			pass(time.Second)
		}
		r.runs.set(func() {
			for _, p := range r.runs.all {
				if p.spec.Step == "step-1" {
					crashes = append(crashes, p.exited)
				}
			}
		})
		if s := r.now(q.ID).Step("step-1"); s.Hold != orchestration.HoldBlocked || s.Block.Kind != orchestration.BlockCrash || len(crashes) != 4 {
			t.Fatalf("%d crashes, hold %q, %+v", len(crashes), s.Hold, s.Block)
		}
		for n, wait := range orchestration.DefaultCrashBackoff {
			if took := crashes[n+1].Sub(crashes[n]); took < wait {
				t.Errorf("crash %d came %v after the one before, want %v or more", n+2, took, wait)
			}
		}
		if took := crashes[3].Sub(crashes[0]); took < 2*time.Minute+35*time.Second {
			t.Errorf("the fourth crash came %v after the first", took)
		}
	})
}
