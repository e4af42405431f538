package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

// docs/state-machine.md#a-run-that-ends-without-a-signal: the brief of the next run
// names the cause, and a later run does not inherit it.
func TestCause_theNextRunIsToldWhatReallyHappened(t *testing.T) {
	t.Parallel()
	tests := []struct {
		end  orchestration.End
		exit orchestration.Exit
		want orchestration.Cause
	}{
		{orchestration.EndStuck, orchestration.Exit{Why: "no progress for 10m0s", Stderr: "noise"},
			orchestration.Cause{End: orchestration.EndStuck, Why: "no progress for 10m0s"}},
		{orchestration.EndCrashed, orchestration.Exit{Why: "exit code 3", Code: 3, Stderr: "panic: no"},
			orchestration.Cause{End: orchestration.EndCrashed, Why: "exit code 3", Stderr: "panic: no"}},
		{orchestration.EndCrashed, orchestration.Exit{Why: "killed by SIGKILL", Killed: true},
			orchestration.Cause{End: orchestration.EndCrashed, Why: "killed by SIGKILL", Killed: true}},
		{orchestration.EndInterrupted, orchestration.Exit{Why: "the server was stopped"},
			orchestration.Cause{End: orchestration.EndInterrupted, Why: "the server was stopped"}},
		{orchestration.EndInfrastructure, orchestration.Exit{Why: "no first line for 30s", Stderr: "hook"},
			orchestration.Cause{End: orchestration.EndInfrastructure, Why: "no first line for 30s", Stderr: "hook"}},
		{orchestration.EndOverloaded, orchestration.Exit{Why: "overloaded"},
			orchestration.Cause{End: orchestration.EndOverloaded, Why: "overloaded"}},
	}
	for _, tt := range tests {
		p := withSteps(t, step("a"))
		r := p.at("a", orchestration.Codeweaver)
		p.do(orchestration.RunExited{Run: r.ID, End: tt.end, Exit: tt.exit})
		if next := p.next("a"); next.ResumedFrom != r.ID || next.Brief.Cause == nil || *next.Brief.Cause != tt.want {
			t.Errorf("%s: the next run is told %+v, want %+v", tt.end, next.Brief.Cause, tt.want)
		}
	}
}

// next is the run that a step's last one led to.
func (p *player) next(step string) *orchestration.Run { return p.q.Run(p.q.Step(step).Run) }

func TestCause_ofAnEndWithoutASignalForTheSecondTime(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndClean)
	if next := p.next("a"); next.Start != orchestration.StartNudge || next.Brief.Cause != nil {
		t.Errorf("after the first: %+v, want a nudge alone", next.Launch)
	}
	p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndClean)
	if c := p.next("a").Brief.Cause; c == nil || c.End != orchestration.EndClean || c.Times != 2 {
		t.Errorf("after the second: %+v, want twice", c)
	}
}

// A session that never opened is not resumed. The fresh run is still told why
// the last one ended.
func TestCause_ofASessionThatNeverOpened(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	for _, g := range orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 1, Quests: []*orchestration.Quest{p.q}}) {
		p.do(orchestration.SlotGranted{Run: g.Run, Step: g.Step, Agent: g.Agent, Slot: g.Slot, Free: g.Free, Share: g.Share, SessionID: "s"})
	}
	p.exit(p.next("a"), orchestration.EndInfrastructure)
	if next := p.next("a"); next.Start != orchestration.StartFresh || next.Brief.Cause == nil {
		t.Errorf("next %+v, want a fresh run with the cause", next.Launch)
	}
}

func TestCause_ofWhatTheUserDid(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.at("a", orchestration.Codeweaver)
	p.do(orchestration.PausePressed{Now: true})
	if c := p.next("a").Brief.Cause; c == nil || !c.User || c.End != orchestration.EndInterrupted {
		t.Errorf("after a pause: %+v, want the user", c)
	}
	p = withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.exit(r, orchestration.EndInterrupted)
	p.do(orchestration.RetryPressed{Step: "a"})
	if c := p.next("a").Brief.Cause; c == nil || !c.User {
		t.Errorf("after a stop: %+v, want the user", c)
	}
}

// docs/state-machine.md#work-by-hand: who goes on is told that a person had the step. Only
// one run is: what later runs leave in the tree is theirs.
func TestCause_ofAStepThatWasGivenBack(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(p *player){
		"at work": func(p *player) {
			r := p.at("a", orchestration.Codeweaver)
			p.do(orchestration.TakeOverPressed{Step: "a"})
			p.exit(r, orchestration.EndInterrupted)
		},
		"asks": func(p *player) {
			p.signal("a", orchestration.Codeweaver, ask("a"))
			p.do(orchestration.TakeOverPressed{Step: "a"})
		},
	} {
		p := withSteps(t, step("a"))
		before(p)
		p.do(orchestration.RetryPressed{Step: "a"})
		told := p.at("a", orchestration.Codeweaver)
		if c := told.Brief.Cause; !told.Brief.ByHand || c == nil || !c.User || !strings.Contains(c.Why, "taken over") {
			t.Errorf("%s: given back to %+v, cause %+v", name, told.Launch, c)
		}
		for _, end := range []orchestration.End{orchestration.EndCrashed, orchestration.EndContext, orchestration.EndUnknownSession} {
			p.exit(p.at("a", orchestration.Codeweaver), end)
			if p.next("a").Brief.ByHand {
				t.Errorf("%s, %s: the changes of the run before this one would be committed as a person's", name, end)
			}
		}
		p.signal("a", orchestration.Codeweaver, ask("a"))
		p.do(orchestration.AnswerGiven{Question: p.q.OpenQuestion(p.q.Step("a")).ID, Answer: "red"})
		if p.next("a").Brief.ByHand {
			t.Errorf("%s: the answered run would commit as a person", name)
		}
	}
}

// A retry of a block tells the session, or the fresh one, what happened.
func TestCause_ofABlockReachesTheRetry(t *testing.T) {
	t.Parallel()
	for _, fresh := range []bool{false, true} {
		p := withSteps(t, step("a"))
		for range 2 {
			p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndStuck)
		}
		p.hold("a", orchestration.HoldBlocked)
		p.do(orchestration.RetryPressed{Step: "a", Fresh: fresh})
		next := p.next("a")
		if next.Start != orchestration.StartRetry || next.Brief.Cause == nil || next.Brief.Cause.End != orchestration.EndStuck {
			t.Errorf("fresh %v: %+v, want the retry to be told that it was stuck", fresh, next.Launch)
		}
	}
}

// A cause is told once: what comes after the next run's signal or message is new.
func TestCause_isNotInherited(t *testing.T) {
	t.Parallel()
	goOn := map[string]func(p *player, r *orchestration.Run){
		"a message": func(p *player, r *orchestration.Run) {
			p.do(orchestration.MessageSent{Run: r.ID, Text: "look at the log"})
		},
		"a full context": func(p *player, r *orchestration.Run) { p.exit(r, orchestration.EndContext) },
		"a lost session": func(p *player, r *orchestration.Run) { p.exit(r, orchestration.EndUnknownSession) },
		"a nudge":        func(p *player, r *orchestration.Run) { p.exit(r, orchestration.EndClean) },
		"an answer": func(p *player, r *orchestration.Run) {
			p.signal("a", r.Role, ask("a"))
			p.do(orchestration.AnswerGiven{Question: "abc-q1", Answer: "red"})
		},
	}
	for name, then := range goOn {
		p := withSteps(t, step("a"))
		p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndCrashed)
		then(p, p.at("a", orchestration.Codeweaver))
		if c := p.next("a").Brief.Cause; c != nil {
			t.Errorf("%s: the run is told %+v, which the run before it was told", name, c)
		}
	}
}
