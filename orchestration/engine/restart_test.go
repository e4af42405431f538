package engine_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

func TestStopInterruptsAndTheNextStartResumesOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		q := r.quest(2)
		for _, p := range r.runs.living() {
			p.observer.SessionOpened(p.spec.SessionID)
		}
		first := r.runs.of("step-1").spec.SessionID
		r.Engine.Stop(t.Context())
		if n := len(r.runs.living()); n != 0 {
			t.Fatalf("%d processes live after Stop", n)
		}
		stored, err := r.store.Quest(t.Context(), q.ID)
		if err != nil {
			t.Fatal(err)
		}
		if run := stored.Run(q.ID + "-r1"); run.Outcome != orchestration.OutcomeInterrupted {
			t.Errorf("outcome %q is stored, want interrupted", run.Outcome)
		}
		if n := r.runs.started(); n != 2 {
			t.Errorf("%d processes were started: a slot was given while stopping", n)
		}
		r.start()
		defer r.stop()
		if n := r.runs.started(); n != 4 {
			t.Fatalf("%d processes were started, want each of the 2 resumed once", n)
		}
		if spec := r.runs.of("step-1").spec; !spec.Resume || spec.SessionID != first {
			t.Errorf("resume %v of session %s, want %s to go on", spec.Resume, spec.SessionID, first)
		}
		if c := r.now(q.ID).Step("step-1").Counts; c.Crash+c.Stuck != 0 {
			t.Errorf("counts %+v: an interruption counts against no limit", c)
		}
	})
}

func TestAKilledServerSweepsAndResumes(t *testing.T) {
	hereOnly(t)
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		q := r.quest(2)
		left := r.runs.living()
		left[0].observer.SessionOpened(left[0].spec.SessionID)
		r.runs.set(func() { r.runs.stayOn = true })
		r.living(t, 2)
		kill(r)
		r.config.BootID = "boot-2"
		var swept []*orchestration.Run
		r.config.Sweep = func(_ context.Context, runs []*orchestration.Run) error {
			swept = runs
			for _, p := range left {
				p.exit(orchestration.EndCrashed)
			}
			return nil
		}
		r.runs.set(func() { r.runs.stayOn = false })
		r.start()
		defer r.stop()
		if len(swept) != 2 {
			t.Errorf("%d runs were swept, want 2", len(swept))
		}
		if n := r.runs.started(); n != 4 {
			t.Errorf("%d processes were started, want 2 before and 2 after", n)
		}
		if run := r.now(q.ID).Run(q.ID + "-r1"); run.Outcome != orchestration.OutcomeInterrupted {
			t.Errorf("outcome %q, want interrupted", run.Outcome)
		}
	})
}

func TestARunThatSignalledBeforeTheServerDiedJustEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		q := r.quest(1)
		r.runs.set(func() { r.runs.stayOn = true })
		p := r.runs.only()
		if err := r.submit(q.ID, orchestration.SignalReceived{Run: p.spec.RunID,
			Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "step-1", Summary: "s"}}); err != nil {
			t.Fatal(err)
		}
		kill(r)
		r.config.Sweep = func(context.Context, []*orchestration.Run) error { p.exit(orchestration.EndCrashed); return nil }
		r.runs.set(func() { r.runs.stayOn = false })
		r.start()
		defer r.stop()
		if next := r.runs.only(); next.spec.Role != orchestration.Ward {
			t.Errorf("%s goes on, want ward: the signal counted", next.spec.Role)
		}
	})
}

// A run that said complete has nobody else who would commit its work: the next
// to come is ward, and what lies about after ward is undone.
func TestWhatARunLeftIsSettledBeforeItsEndIsTold(t *testing.T) {
	hereOnly(t)
	bubble(t, func(t *testing.T) {
		trees := &forest{}
		r := newRig(t, func(c *engine.Config) { c.Workspace = trees })
		q := r.quest(1, inWorktrees)
		r.runs.set(func() { r.runs.stayOn = true })
		p := r.runs.only()
		if err := r.submit(q.ID, orchestration.SignalReceived{Run: p.spec.RunID,
			Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "step-1", Summary: "s"}}); err != nil {
			t.Fatal(err)
		}
		kill(r)
		r.config.Sweep = func(context.Context, []*orchestration.Run) error {
			p.exit(orchestration.EndCrashed)
			synctest.Wait()
			trees.settled = nil // by the dead server, who tells nobody
			return nil
		}
		r.runs.set(func() { r.runs.stayOn = false })
		r.start()
		defer r.stop()
		if !slices.Equal(trees.settled, []string{p.spec.RunID}) {
			t.Errorf("settled %v, want the run that was alive", trees.settled)
		}
		if changed := r.now(q.ID).Step("step-1").Changed; !slices.Equal(changed, []string{"step-1.go"}) {
			t.Errorf("changed %v", changed)
		}
		if next := r.runs.only(); next.spec.Role != orchestration.Ward {
			t.Errorf("%s goes on, want ward", next.spec.Role)
		}
	})
}

func TestARunOfAnAbandonedQuestIsSweptToo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		q := r.quest(1)
		r.runs.set(func() { r.runs.stayOn = true })
		p := r.runs.only()
		if err := r.submit(q.ID, orchestration.AbandonPressed{}); err != nil {
			t.Fatal(err)
		}
		kill(r)
		swept := 0
		r.config.Sweep = func(_ context.Context, runs []*orchestration.Run) error {
			swept = len(runs)
			p.exit(orchestration.EndCrashed)
			return nil
		}
		r.start()
		defer r.stop()
		if swept != 1 {
			t.Errorf("%d runs were swept, want the one that was still leaving", swept)
		}
		if run := r.now(q.ID).Run(q.ID + "-r1"); run.State != orchestration.RunEnded {
			t.Errorf("the run is %s, want ended", run.State)
		}
	})
}

func TestTheSecondStageOfStopWaitsForNobody(t *testing.T) {
	hereOnly(t)
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		r.quest(1)
		r.runs.set(func() { r.runs.stayOn = true })
		p := r.runs.only()
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		r.Engine.Stop(ctx)
		if d := time.Since(began); d != 5*time.Second {
			t.Errorf("Stop took %s, want the 5 s of its context", d)
		}
		if len(p.graces()) == 0 {
			t.Error("the process was never asked to end")
		}
		p.exit(orchestration.EndCrashed)
	})
}

func TestNothingIsTakenAfterStop(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		q := r.quest(1)
		r.stop()
		if err := r.submit(q.ID, orchestration.PausePressed{}); orchestration.CodeOf(err) != orchestration.CodeUnavailable {
			t.Errorf("pause: %v, want that the server shuts down", err)
		}
	})
}

// kill leaves the store as a SIGKILL of the server would: nothing that happens
// from now on is committed, and processes live on.
func kill(r *rig) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.store.FailAll(context.Canceled)
	r.Engine.Stop(ctx)
	r.store.FailAll(nil)
}

func (r *rig) living(t *testing.T, want int) {
	t.Helper()
	if n := len(r.runs.living()); n != want {
		t.Fatalf("%d processes live, want %d", n, want)
	}
}
