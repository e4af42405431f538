package orchestration_test

import (
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

// waiting asserts what the quest as a whole waits for.
func (p *player) waiting(kind orchestration.WaitKind) {
	p.t.Helper()
	if w := p.q.Wait; w == nil || w.Kind != kind {
		p.t.Fatalf("waits for %+v, want %s", w, kind)
	}
	if got := orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 64, Quests: []*orchestration.Quest{p.q}}); len(got) != 0 {
		p.t.Fatalf("%d slots were given while the quest waits", len(got))
	}
}

// bounded begins a quest that has three steps, a budget and a limit of runs.
func bounded(t *testing.T, usd float64, runs int) *player {
	n := newQuest()
	n.BudgetUSD, n.Limits.Runs = usd, runs
	n.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a"), step("b"), step("c")}}
	return create(t, n)
}

func (p *player) spend(step string, end orchestration.End, usd float64) {
	p.t.Helper()
	p.do(orchestration.RunExited{Run: p.q.Step(step).Run, End: end, Exit: orchestration.Exit{Why: string(end), SessionCost: usd}})
}

func TestResume_endsABackoffOnce_andASecondPressChangesNothing(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndInfrastructure)
	p.do(orchestration.ResumePressed{})
	p.do(orchestration.ResumePressed{})
	if !p.last.Empty() {
		t.Errorf("the second press wrote %+v", p.last.Events)
	}
	p.at("a", orchestration.Codeweaver)
}

// docs/state-machine.md#stages-of-a-step: the card tells a time only if the run starts then.
func TestStepWhy_promisesNoTime_thatDoesNotHold(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndCrashed)
	says := func(when, words string) {
		t.Helper()
		if why := p.why("a"); !strings.Contains(why, words) {
			t.Errorf("%s: the card says %q, want %q in it", when, why, words)
		}
	}
	says("after a crash", "crashed: resumes in 5 s")
	login := orchestration.AccountHold{Agent: p.q.Agent, Kind: orchestration.HoldLogin, Reason: "the agent is not logged in"}
	p.holds = []orchestration.AccountHold{login}
	says("with a hold that lasts longer", "not logged in")
	p.holds = nil
	p.do(orchestration.PausePressed{})
	says("paused", "the quest is paused")
	p.do(orchestration.ResumePressed{})
	p.at("a", orchestration.Codeweaver)
}

func TestResume_afterAMissingBinary_doesNotForgetTheBudget(t *testing.T) {
	t.Parallel()
	p := bounded(t, 10, 0)
	p.grant()
	p.spend("a", orchestration.EndCrashed, 10)
	p.waiting(orchestration.WaitBudget)
	p.spend("b", orchestration.EndNotStarted, 0)
	if p.q.Wait.Kind == orchestration.WaitStart {
		p.do(orchestration.ResumePressed{})
	}
	p.waiting(orchestration.WaitBudget)
	if err := p.try(orchestration.ResumePressed{}); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("resume with a spent budget: %v", err)
	}
}

func TestLimits_raisingOneDoesNotLiftTheOther(t *testing.T) {
	t.Parallel()
	p := bounded(t, 10, 3)
	p.grant() // three runs are the limit
	p.waiting(orchestration.WaitRuns)
	p.spend("a", orchestration.EndCrashed, 12)
	p.do(orchestration.QuestEdited{Limits: &orchestration.Limits{Runs: 100}})
	p.waiting(orchestration.WaitBudget)
	more := 20.0
	p.do(orchestration.QuestEdited{BudgetUSD: &more})
	p.at("a", orchestration.Codeweaver)
}

func TestLimits_loweredBelowWhatWasUsed_pauseAtOnce(t *testing.T) {
	t.Parallel()
	p := bounded(t, 0, 0)
	p.grant()
	p.spend("a", orchestration.EndCrashed, 5)
	little, none := 4.0, 0.0
	p.do(orchestration.QuestEdited{BudgetUSD: &little})
	p.waiting(orchestration.WaitBudget)
	p.do(orchestration.QuestEdited{BudgetUSD: &none, Limits: &orchestration.Limits{Runs: 2}})
	p.waiting(orchestration.WaitRuns)
	if err := p.try(orchestration.ResumePressed{}); err == nil || !strings.Contains(err.Error(), "raise the limit") {
		t.Errorf("resume at the limit of runs: %v", err)
	}
	p.do(orchestration.QuestEdited{Limits: &orchestration.Limits{Runs: 50}})
	p.at("a", orchestration.Codeweaver)
}

// Only runs that had a slot count, not those that wait in the queue.
func TestRunLimit_countsStartedRuns_andLiveOnesFinish(t *testing.T) {
	t.Parallel()
	p := bounded(t, 0, 2)
	p.slots = 2
	p.grant()
	p.waiting(orchestration.WaitRuns)
	if p.q.Status(nil) != orchestration.StatusRunning {
		t.Errorf("status %s with two runs at work", p.q.Status(nil))
	}
	p.complete("a", orchestration.Codeweaver)
	p.complete("b", orchestration.Codeweaver)
	if p.q.Status(nil) != orchestration.StatusWaiting || !strings.Contains(p.q.Why(p.now, nil), "2 runs were started") {
		t.Errorf("status %s: %s", p.q.Status(nil), p.q.Why(p.now, nil))
	}
	p.do(orchestration.QuestEdited{Limits: &orchestration.Limits{Runs: 3}})
	p.ward("a", orchestration.EndWardPassed) // the third
	p.waiting(orchestration.WaitRuns)
}

func TestRunLimit_isTheLargerOf500And20ForEachStepOfTheFirstPlan(t *testing.T) {
	t.Parallel()
	if got := withSteps(t, step("a")).q.EffectiveLimits().Runs; got != 500 {
		t.Errorf("%d runs for one step", got)
	}
	var steps []orchestration.PlanStep
	for _, r := range "abcdefghijklmnopqrstuvwxyz" {
		steps = append(steps, step(string(r)))
	}
	if got := withSteps(t, steps...).q.EffectiveLimits().Runs; got != 520 {
		t.Errorf("%d runs for 26 steps, want 520", got)
	}
}

func TestUsageLimit_sessionsAreKept_andItIsNoAttempt(t *testing.T) {
	t.Parallel()
	for _, end := range []orchestration.End{orchestration.EndUsageLimit, orchestration.EndLogin, orchestration.EndOverloaded, orchestration.EndInterrupted} {
		p := withSteps(t, step("a"))
		for range 30 {
			p.holds = nil
			r := p.at("a", orchestration.Codeweaver)
			p.do(orchestration.RunExited{Run: r.ID, End: end, Exit: orchestration.Exit{ResetsAt: p.now.Add(time.Minute)}})
			p.hold("a", orchestration.HoldNone)
			if next := p.q.Run(p.q.Step("a").Run); next.ResumedFrom != r.ID || next.SessionID != r.SessionID {
				t.Fatalf("%s: the session is lost: %+v", end, next.Launch)
			}
			p.now = p.now.Add(time.Hour)
		}
		if c := p.q.Step("a").Counts; c.Crash+c.Stuck+c.Infra+c.Nudge+c.Partial != 0 {
			t.Errorf("%s counts as an attempt: %+v", end, c)
		}
	}
}

func TestBackoff_withoutAMaximum_stillWaits(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a")}}
	n.Backoff = orchestration.Backoff{First: time.Minute}
	p := create(t, n)
	for range 3 {
		p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndInfrastructure)
		if next := p.q.Run(p.q.Step("a").Run); !next.NotBefore.After(p.now) {
			t.Fatal("no backoff: the retries are a loop")
		}
		p.now = p.now.Add(2 * time.Hour)
	}
}

func TestStaleReports_ofARunInTheQueue_changeNothing(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndCrashed)
	queued := p.q.Step("a").Run
	for _, f := range []orchestration.InputKind{orchestration.ProcessStarted{Run: queued, PID: 4}, orchestration.SessionOpened{Run: queued, SessionID: "x"},
		orchestration.RunExited{Run: queued, End: orchestration.EndCrashed}} {
		p.do(f)
		if !p.last.Empty() {
			t.Errorf("%T of a queued run was believed", f)
		}
	}
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.SessionOpened{Run: r.ID})
	if !p.last.Empty() || p.q.Run(r.ID).SessionID == "" {
		t.Error("an empty session id was believed")
	}
}
