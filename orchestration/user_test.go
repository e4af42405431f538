package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

func ask(step string) orchestration.Signal {
	return orchestration.Signal{Kind: orchestration.NeedsUserInput, StepID: step, Question: "red or blue?", Context: "theme"}
}

func TestQuestion_theFirstAnswerCountsAndResumesTheSession(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	asked := p.signal("a", orchestration.Codeweaver, ask("a"))
	p.hold("a", orchestration.HoldQuestion)
	p.complete("b", orchestration.Codeweaver) // other steps go on
	id := p.q.Questions.At(0).ID
	if err := p.try(orchestration.AnswerGiven{Question: id, Answer: " "}); orchestration.CodeOf(err) != orchestration.CodeInvalid {
		t.Errorf("an empty answer: %v", err)
	}
	p.do(orchestration.AnswerGiven{Question: id, Answer: "red"})
	err := p.try(orchestration.AnswerGiven{Question: id, Answer: "blue"})
	if orchestration.CodeOf(err) != orchestration.CodeConflict || !strings.Contains(err.Error(), "red") {
		t.Errorf("a second answer: %v", err)
	}
	r := p.at("a", orchestration.Codeweaver)
	if r.Start != orchestration.StartAnswer || r.ResumedFrom != asked.ID || r.SessionID != asked.SessionID || r.Brief.Answer != "red" {
		t.Errorf("resumed as %+v", r.Launch)
	}
}

func TestMessage_toARunThatWaits_pointsToTheQuestion(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.signal("a", orchestration.Codeweaver, ask("a"))
	err := p.try(orchestration.MessageSent{Run: r.ID, Text: "hurry"})
	if orchestration.CodeOf(err) != orchestration.CodeConflict || !strings.Contains(err.Error(), p.q.Questions.At(0).ID) {
		t.Fatalf("have %v", err)
	}
}

func TestSkip_dropsAllThatTheStepHadOpen(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b", "a"))
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	p.signal("a", orchestration.Spiritmender, ask("a"))
	p.do(orchestration.SkipPressed{Step: "a", Reason: "later"})
	p.do(orchestration.SkipPressed{Step: "a", Reason: "later"}) // pressing twice is safe
	p.stage("b", orchestration.StageReady)
	err := p.try(orchestration.AnswerGiven{Question: p.q.Questions.At(0).ID, Answer: "red"})
	if orchestration.CodeOf(err) != orchestration.CodeConflict || !strings.Contains(err.Error(), "no longer needed") {
		t.Errorf("a late answer: %v", err)
	}
	if err := p.try(orchestration.SkipPressed{Step: "review"}); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("skipping the review: %v", err)
	}
}

func TestStop_blocksTheStepAndKeepsTheSession(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.do(orchestration.StopPressed{Run: r.ID})
	p.hold("a", orchestration.HoldBlocked)
	if why := p.q.StepWhy(p.q.Step("a"), p.now, nil).Words(); why != "stopped by you" {
		t.Errorf("the card says %q", why)
	}
	err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "s"}})
	if orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("the signal of a stopped run: %v", err)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	if got := orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 3, Quests: []*orchestration.Quest{p.q}}); len(got) != 0 {
		t.Fatal("the next run starts while the old one still lives")
	}
	p.exit(r, orchestration.EndCrashed)
	if next := p.at("a", orchestration.Codeweaver); next.Start != orchestration.StartRetry || next.ResumedFrom != r.ID {
		t.Errorf("retried as %+v", next.Launch)
	}
}

func TestRetryFresh_startsANewSessionWithTheSameStack(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	r := p.at("a", orchestration.Spiritmender)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.exit(r, orchestration.EndCrashed)
	p.do(orchestration.RetryPressed{Step: "a", Fresh: true})
	next := p.at("a", orchestration.Spiritmender)
	if next.ResumedFrom != "" || next.ReturnTo != r.ReturnTo || next.ReturnTo == "" {
		t.Errorf("retried as %+v", next.Launch)
	}
}

func TestPause_noNewRunStarts_andPauseNowInterrupts(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	p.slots = 1
	p.at("a", orchestration.Codeweaver)
	p.do(orchestration.PausePressed{})
	p.complete("a", orchestration.Codeweaver) // a running one finishes
	p.grant()
	if n := len(p.q.OpenRuns()); n != 1 || p.q.OpenRuns()[0].State != orchestration.RunQueued {
		t.Fatalf("%d open runs while paused", n)
	}
	p.do(orchestration.ResumePressed{})
	p.do(orchestration.ResumePressed{})
	w := p.at("a", orchestration.Ward)
	p.do(orchestration.PausePressed{Now: true})
	p.do(orchestration.PausePressed{Now: true})
	p.exit(w, orchestration.EndInterrupted)
	if got := p.q.Run(w.ID).Outcome; got != orchestration.OutcomeInterrupted {
		t.Errorf("outcome %s", got)
	}
	p.do(orchestration.ResumePressed{})
	p.ward("a", orchestration.EndWardPassed)
}

func TestAbandon_endsEverything_andEveryControlIs409(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	p.at("a", orchestration.Codeweaver)
	p.signal("b", orchestration.Codeweaver, ask("b"))
	p.do(orchestration.AbandonPressed{})
	if len(p.last.Effects) != 1 {
		t.Errorf("effects %v, want the live run ended", p.last.Effects)
	}
	p.do(orchestration.AbandonPressed{})
	for _, f := range []orchestration.InputKind{orchestration.PausePressed{}, orchestration.ResumePressed{}, orchestration.RetryPressed{Step: "a"},
		orchestration.SkipPressed{Step: "a"}, orchestration.AnswerGiven{Question: p.q.Questions.At(0).ID, Answer: "x"}} {
		if err := p.try(f); orchestration.CodeOf(err) != orchestration.CodeConflict {
			t.Errorf("%T on an abandoned quest: %v", f, err)
		}
	}
}

func TestBudget_warnsAt80Percent_waitsAt100_andGoesOnWhenRaised(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.BudgetUSD = 10
	n.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a"), step("b"), step("c")}}
	p := create(t, n)
	p.grant()
	spend := func(step string, usd float64) {
		p.do(orchestration.RunExited{Run: p.q.Step(step).Run, End: orchestration.EndCrashed, Exit: orchestration.Exit{SessionCost: usd}})
	}
	spend("a", 8)
	if !p.q.BudgetWarned || p.q.Wait != nil {
		t.Fatalf("at 80 %%: warned %v, wait %v", p.q.BudgetWarned, p.q.Wait)
	}
	spend("b", 2)
	if p.q.Wait == nil || p.q.Wait.Kind != orchestration.WaitBudget {
		t.Fatalf("at 100 %%: wait %v", p.q.Wait)
	}
	if err := p.try(orchestration.ResumePressed{}); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("resume before the budget is raised: %v", err)
	}
	more := 20.0
	p.do(orchestration.QuestEdited{BudgetUSD: &more})
	if p.q.Wait != nil {
		t.Errorf("still waits: %+v", p.q.Wait)
	}
}

// The CLI's figure is cumulative over a session. A resume must not count the earlier cost
// twice.
func TestCost_isCumulativeOverASession(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	for _, total := range []float64{0.0044, 0.0088, 0} {
		r := p.at("a", orchestration.Codeweaver)
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndCrashed, Exit: orchestration.Exit{SessionCost: total}})
	}
	if got := p.q.CostUSD; got < 0.00879 || got > 0.00881 {
		t.Fatalf("$%.4f, want $0.0088", got)
	}
}

func TestEditStep_checkedAsAPlan_andOnlyBeforeItStarts(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b", "a"))
	deps := []string{"b"}
	if err := p.try(orchestration.StepEdited{Step: "b", DependsOn: &deps}); orchestration.CodeOf(err) != orchestration.CodeInvalid {
		t.Errorf("a self-dependency: %v", err)
	}
	none, title := []string{}, "better"
	p.do(orchestration.StepEdited{Step: "b", DependsOn: &none, Title: &title})
	p.stage("b", orchestration.StageReady)
	p.at("b", orchestration.Codeweaver)
	if err := p.try(orchestration.StepEdited{Step: "b", Title: &title}); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("editing a step at work: %v", err)
	}
}

func TestGates_approveOrFeedback(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.ApproveReqs, n.ApprovePlan = true, true
	p := create(t, n)
	if err := p.try(orchestration.GateDecided{Gate: "requirements", Approve: true}); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("a gate that is not open: %v", err)
	}
	r := p.at("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.RequirementsSet{Run: r.ID, Requirements: requirements()})
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.GateDecided{Gate: "requirements", Feedback: "and log out"})
	again := p.at("requirements", orchestration.ChaosWhisperer)
	if again.Start != orchestration.StartFeedback || again.ResumedFrom != r.ID || again.Brief.Feedback != "and log out" {
		t.Fatalf("feedback starts %+v", again.Launch)
	}
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.GateDecided{Gate: "requirements", Approve: true})
	p.do(orchestration.GateDecided{Gate: "requirements", Approve: true}) // approving twice: 200
	plan := p.at("plan", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: plan.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("a"), step("b")}}})
	p.complete("plan", orchestration.PathSeeker)
	p.stage("a", orchestration.StageWaiting)
	p.do(orchestration.GateDecided{Gate: "plan", Feedback: "one step is enough"})
	plan = p.at("plan", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: plan.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("a")}}})
	p.complete("plan", orchestration.PathSeeker)
	if p.q.Steps.Len() != 1 || p.q.GatePlan != orchestration.GateOpen {
		t.Fatalf("%d steps", p.q.Steps.Len())
	}
	p.do(orchestration.GateDecided{Gate: "plan", Approve: true})
	p.stage("a", orchestration.StageReady)
}
