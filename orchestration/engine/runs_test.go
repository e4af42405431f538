package engine_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

func TestSlotsAreNeverExceeded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(5)
		r.quest(5)
		for range 40 {
			living := r.runs.living()
			if len(living) == 0 {
				break
			}
			if living[0].spec.Role == orchestration.Ward {
				living[0].exit(orchestration.EndWardPassed)
				continue
			}
			r.complete(living[0])
		}
		if n := r.runs.started(); n < 30 {
			t.Errorf("only %d runs were started", n)
		}
		r.runs.set(func() {
			if r.runs.most != 3 {
				t.Errorf("%d agents at once, want 3 for 3 slots", r.runs.most)
			}
		})
	})
}

func TestLoweringTheSlotsEndsNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(5)
		if err := r.SetSlots(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if n := len(r.runs.living()); n != 3 {
			t.Errorf("%d processes live, want the 3 that did", n)
		}
		r.complete(r.runs.living()[0])
		if n := len(r.runs.living()); n != 3 {
			t.Errorf("%d processes live, want two agents and a check: no agent starts while there are too many", n)
		}
		if err := r.SetSlots(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
		if n := len(r.runs.living()); n != 4 {
			t.Errorf("%d processes live, want a check and three agents: the check keeps a slot for the agent after it", n)
		}
	})
}

func TestSlotsOutOfRangeAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		for _, n := range []int{-1, 0, 65} {
			if err := r.SetSlots(t.Context(), n); orchestration.CodeOf(err) != orchestration.CodeInvalid {
				t.Errorf("%d slots: %v, want a refusal", n, err)
			}
		}
		if r.Slots() != 3 {
			t.Errorf("%d slots, want the 3 from before", r.Slots())
		}
	})
}

func TestAnEndBeforeTheProcessExistsStillEndsIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		hold := make(chan struct{})
		r.runs.set(func() { r.runs.hold = hold })
		q := r.quest(1)
		if err := r.submit(q.ID, orchestration.StopPressed{Run: q.ID + "-r1"}); err != nil {
			t.Fatal(err)
		}
		close(hold)
		p := r.runs.of("step-1")
		synctest.Wait()
		if g := p.graces(); len(g) != 1 || g[0] != 0 {
			t.Errorf("the process was asked to end with %v, want once and at once", g)
		}
		if run := r.now(q.ID).Run(q.ID + "-r1"); run.Outcome != orchestration.OutcomeStopped {
			t.Errorf("outcome %q, want stopped", run.Outcome)
		}
	})
}

func TestARunThatIsEndedBeforeItsTurnIsNotStarted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, func(c *engine.Config) { c.StartInterval = 10 * time.Second })
		defer r.stop()
		q := r.quest(2)
		if n := r.runs.started(); n != 1 {
			t.Fatalf("%d processes were started at once, want 1: starts are staggered", n)
		}
		second := q.OpenRuns()[1]
		if r.runs.only().spec.RunID == second.ID {
			second = q.OpenRuns()[0]
		}
		if err := r.submit(q.ID, orchestration.StopPressed{Run: second.ID}); err != nil {
			t.Fatal(err)
		}
		if run := r.now(q.ID).Run(second.ID); run.State != orchestration.RunEnded {
			t.Errorf("the run is %s, want ended without waiting for its turn", run.State)
		}
		pass(minute)
		if n := r.runs.started(); n != 1 {
			t.Errorf("%d processes were started, want only the first", n)
		}
	})
}

func TestASignalledProcessMayLeaveByItself(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		p := r.runs.only()
		if err := r.submit(q.ID, orchestration.SignalReceived{Run: p.spec.RunID,
			Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "step-1", Summary: "s"}}); err != nil {
			t.Fatal(err)
		}
		if g := p.graces(); len(g) != 1 || g[0] != 10*time.Second {
			t.Errorf("asked to end with %v, want one grace of 10 s", g)
		}
		if n := r.runs.started(); n != 1 {
			t.Error("ward started beside a process that still leaves")
		}
		pass(10 * time.Second)
		if p := r.runs.only(); p.spec.Role != orchestration.Ward {
			t.Errorf("%s goes on, want ward", p.spec.Role)
		}
	})
}

func TestARunThatCannotStartLetsTheQuestWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		missing := &agents.NotStarted{Why: "claude is not installed", Err: errors.New("no such file")}
		r.runs.set(func() { r.runs.refuse = missing })
		q := r.quest(1)
		if w := q.Wait; w == nil || w.Kind != orchestration.WaitStart {
			t.Fatalf("the quest waits for %+v, want for the start", w)
		}
		r.runs.set(func() { r.runs.refuse = nil })
		if err := r.submit(q.ID, orchestration.ResumePressed{}); err != nil {
			t.Fatal(err)
		}
		r.runs.only()
	})
}

func TestAPanicOfARunnerCostsOneRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, func(c *engine.Config) {
			write := c.Prompt
			c.Prompt = func(q *orchestration.Quest, run *orchestration.Run, f agents.PromptFacts) (string, error) {
				if run.Step == "step-1" {
					panic("a planned fault")
				}
				return write(q, run, f)
			}
		})
		defer r.stop()
		q := r.quest(2)
		if q.Wait == nil {
			t.Error("the quest does not say that its run could not start")
		}
		if p := r.runs.only(); p.spec.Step != "step-2" {
			t.Errorf("%s goes on, want step-2", p.spec.Step)
		}
	})
}
