package orchestration_test

import (
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

// TestARunThatEndsWithoutASignal tests each row of the table
// docs/state-machine.md#a-run-that-ends-without-a-signal: what happens the first time.
func TestARunThatEndsWithoutASignal(t *testing.T) {
	t.Parallel()
	rows := []struct {
		end     orchestration.End
		start   orchestration.StartKind
		resumes bool
		outcome orchestration.Outcome
	}{
		{orchestration.EndClean, orchestration.StartNudge, true, orchestration.OutcomeCrashed},
		{orchestration.EndInfrastructure, orchestration.StartInterrupted, true, orchestration.OutcomeCrashed},
		{orchestration.EndContext, orchestration.StartContinuation, false, orchestration.OutcomeCrashed},
		{orchestration.EndOverloaded, orchestration.StartInterrupted, true, orchestration.OutcomeCrashed},
		{orchestration.EndUsageLimit, orchestration.StartInterrupted, true, orchestration.OutcomeCrashed},
		{orchestration.EndLogin, orchestration.StartInterrupted, true, orchestration.OutcomeCrashed},
		{orchestration.EndUnknownSession, orchestration.StartHandoff, false, orchestration.OutcomeCrashed},
		{orchestration.EndStuck, orchestration.StartInterrupted, true, orchestration.OutcomeStuck},
		{orchestration.EndCrashed, orchestration.StartInterrupted, true, orchestration.OutcomeCrashed},
		{orchestration.EndInterrupted, orchestration.StartInterrupted, true, orchestration.OutcomeInterrupted},
		{orchestration.EndNotStarted, orchestration.StartFresh, false, orchestration.OutcomeFailed},
	}
	for _, row := range rows {
		t.Run(string(row.end), func(t *testing.T) {
			t.Parallel()
			p := withSteps(t, step("a"))
			r := p.at("a", orchestration.Codeweaver)
			p.exit(r, row.end)
			if got := p.q.Run(r.ID).Outcome; got != row.outcome {
				t.Errorf("outcome %s, want %s", got, row.outcome)
			}
			next := p.q.Run(p.q.Step("a").Run)
			if next.Start != row.start || (next.ResumedFrom == r.ID) != row.resumes {
				t.Errorf("next starts as %s, resumes %q; want %s, resumes %v", next.Start, next.ResumedFrom, row.start, row.resumes)
			}
		})
	}
}

// TestLimitsOfEndings: n endings are allowed, the next one blocks, and a retry resets
// the counters.
func TestLimitsOfEndings(t *testing.T) {
	t.Parallel()
	rows := []struct {
		end     orchestration.End
		allowed int
		block   orchestration.BlockKind
	}{
		{orchestration.EndCrashed, 3, orchestration.BlockCrash},
		{orchestration.EndStuck, 1, orchestration.BlockStuck},
		{orchestration.EndInfrastructure, 3, orchestration.BlockInfra},
		{orchestration.EndContext, 10, orchestration.BlockPartial},
		{orchestration.EndClean, 1 + 3, orchestration.BlockCrash}, // one nudge, then each is a crash
	}
	for _, row := range rows {
		t.Run(string(row.end), func(t *testing.T) {
			t.Parallel()
			p := withSteps(t, step("a"), step("b"))
			for range row.allowed {
				p.exit(p.at("a", orchestration.Codeweaver), row.end)
				p.hold("a", orchestration.HoldNone)
				p.now = p.now.Add(time.Hour)
			}
			p.exit(p.at("a", orchestration.Codeweaver), row.end)
			p.hold("a", orchestration.HoldBlocked)
			if got := p.q.Step("a").Block.Kind; got != row.block {
				t.Errorf("blocked as %s, want %s", got, row.block)
			}
			p.stepThrough("b") // a blocked step never stops the others
			p.do(orchestration.RetryPressed{Step: "a"})
			p.exit(p.at("a", orchestration.Codeweaver), row.end)
			p.hold("a", orchestration.HoldNone)
		})
	}
}

func TestCountersOfEndings_untilTheNextAcceptedSignal(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	for range 3 {
		p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndCrashed)
		p.now = p.now.Add(time.Hour)
	}
	p.complete("a", orchestration.Codeweaver)
	if c := p.q.Step("a").Counts.Crash; c != 0 {
		t.Fatalf("%d crashes still count", c)
	}
}

// A crashed run waits, without a slot, before it is tried again. A program that crashes
// at once must not use up all its tries within a second.
func TestACrashWaitsBeforeItIsTriedAgain(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	first := p.now
	for _, wait := range orchestration.DefaultCrashBackoff {
		p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndCrashed)
		p.waits("a")
		p.now = p.now.Add(wait - 1)
		p.waits("a")
		p.now = p.now.Add(1)
	}
	p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndCrashed)
	p.hold("a", orchestration.HoldBlocked)
	if took := p.now.Sub(first); took < 2*time.Minute+35*time.Second {
		t.Errorf("the fourth crash came %v after the first", took)
	}
}

// A lost session and a restart of the server do not count as crashes, so nothing waits.
func TestALostSessionOrARestartDoesNotWait(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	for range 5 {
		p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndInterrupted)    // the next one resumes
		p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndUnknownSession) // and finds no session
	}
	if c := p.q.Step("a").Counts.Crash; c > 0 {
		t.Errorf("%d crashes", c)
	}
}

func TestOverload_holdsTheAccountAndDoublesTheBackoff(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
		r := p.at("a", orchestration.Codeweaver)
		p.exit(r, orchestration.EndOverloaded)
		if a := p.last.Account; a == nil || a.Kind != orchestration.HoldOverload || !a.Until.Equal(p.now.Add(want)) {
			t.Fatalf("account %+v, want a hold of %v", a, want)
		}
		p.holds = []orchestration.AccountHold{*p.last.Account}
		if why := p.q.StepWhy(p.q.Step("a"), p.now, p.holds).Words(); !strings.Contains(why, "resumes in") {
			t.Errorf("the card says %q, not when it resumes", why)
		}
		p.now = p.now.Add(want - time.Second)
		for _, g := range orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 3, Quests: []*orchestration.Quest{p.q}, Holds: p.holds}) {
			t.Fatalf("a slot was given during the backoff: %+v", g)
		}
		p.now = p.now.Add(time.Second)
	}
}

func TestUsageLimit_waitsUntilTheReset_andLoginForAProbe(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	r := p.at("a", orchestration.Codeweaver)
	reset := p.now.Add(3 * time.Hour)
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndUsageLimit, Exit: orchestration.Exit{ResetsAt: reset}})
	if a := p.last.Account; a == nil || !a.Until.Equal(reset) {
		t.Fatalf("account %+v, want a hold until the reset", a)
	}
	login := orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldLogin, Reason: "run claude and log in"}
	pool := orchestration.Pool{Now: p.now, Slots: 3, Quests: []*orchestration.Quest{p.q}, Holds: []orchestration.AccountHold{login}}
	p.exit(p.q.Run(p.q.Step("b").Run), orchestration.EndLogin)
	pool.Quests[0] = p.q
	if got := orchestration.Assign(pool); len(got) != 0 {
		t.Fatalf("%d slots were given though nobody is logged in", len(got))
	}
	if p.q.Status(pool.Holds) != orchestration.StatusWaiting {
		t.Errorf("status %s, want waiting: only the user can log in", p.q.Status(pool.Holds))
	}
	pool.Holds[0].Probe = true
	if got := orchestration.Assign(pool); len(got) != 1 {
		t.Fatalf("%d slots for a probe, want one", len(got))
	}
}

func TestMissingBinary_theQuestWaitsWithoutARetryLoop(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndNotStarted)
	if w := p.q.Wait; w == nil || w.Kind != orchestration.WaitStart || p.q.Status(nil) != orchestration.StatusWaiting {
		t.Fatalf("wait %+v, status %s", w, p.q.Status(nil))
	}
	p.do(orchestration.ResumePressed{})
	p.at("a", orchestration.Codeweaver)
}

func TestSessionNeverOpened_startsAgainAsItWasMeant(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	g := orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 1, Quests: []*orchestration.Quest{p.q}})[0]
	p.do(orchestration.SlotGranted{Step: g.Step, Slot: 1, SessionID: "s"})
	p.exit(p.q.Run(p.q.Step("a").Run), orchestration.EndInterrupted)
	if next := p.q.Run(p.q.Step("a").Run); next.Start != orchestration.StartFresh || next.ResumedFrom != "" {
		t.Fatalf("a session that never opened is resumed: %+v", next.Launch)
	}
}

func TestAnotherSessionID_isStoredAndResumed(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.SessionOpened{Run: r.ID, SessionID: "theirs"})
	p.exit(r, orchestration.EndCrashed)
	if next := p.at("a", orchestration.Codeweaver); next.SessionID != "theirs" {
		t.Fatalf("resumes session %q", next.SessionID)
	}
}

func TestWardThatCannotRun_blocksAtOnce_andOneThatWeEndedRunsAgain(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndInterrupted)
	p.ward("a", orchestration.EndWardBroke)
	p.hold("a", orchestration.HoldBlocked)
	if !strings.Contains(p.q.Step("a").Block.Reason, "could not run") {
		t.Errorf("reason %q", p.q.Step("a").Block.Reason)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	p.ward("a", orchestration.EndWardPassed)
	p.at("a", orchestration.Siegemaster)
}
