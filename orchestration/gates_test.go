package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

func gated(t *testing.T) *player {
	n := newQuest()
	n.ApproveReqs, n.ApprovePlan = true, true
	p := create(t, n)
	p.do(orchestration.RequirementsSet{Run: p.at("requirements", orchestration.ChaosWhisperer).ID, Requirements: requirements()})
	return p
}

func TestGate_feedbackWhileTheSignalledRunIsStillLeaving(t *testing.T) {
	t.Parallel()
	p := gated(t)
	r := p.at("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "requirements", Summary: "s"}})
	p.do(orchestration.GateDecided{Gate: "requirements", Feedback: "and log out"})
	p.grant()
	if next := p.q.Run(p.q.Step("requirements").Run); next.State != orchestration.RunQueued {
		t.Fatal("two processes of one session at once")
	}
	p.exit(r, orchestration.EndCrashed)
	if next := p.at("requirements", orchestration.ChaosWhisperer); next.ResumedFrom != r.ID || next.Brief.Feedback != "and log out" {
		t.Errorf("%+v", next.Launch)
	}
	if p.q.Locked {
		t.Error("the requirements are locked before they are approved")
	}
}

func TestGate_feedbackNeedsWords_andApproveAnOpenGate(t *testing.T) {
	t.Parallel()
	p := gated(t)
	p.refused(orchestration.GateDecided{Gate: "requirements", Approve: true}, "not open")
	p.refused(orchestration.GateDecided{Gate: "requirements", Feedback: "x"}, "not open")
	p.complete("requirements", orchestration.ChaosWhisperer)
	if err := p.try(orchestration.GateDecided{Gate: "requirements"}); orchestration.CodeOf(err) != orchestration.CodeInvalid {
		t.Errorf("empty feedback: %v", err)
	}
	if err := p.try(orchestration.GateDecided{Gate: "review", Approve: true}); orchestration.CodeOf(err) != orchestration.CodeNotFound {
		t.Errorf("a gate that is none: %v", err)
	}
	p.do(orchestration.GateDecided{Gate: "requirements", Approve: true})
	p.do(orchestration.GateDecided{Gate: "requirements", Approve: true})
	if !p.last.Empty() || !p.q.Locked {
		t.Error("approving twice changes something, or nothing is locked")
	}
}

// If the session is lost, a fresh one gets the document and the feedback.
func TestGate_feedbackToASessionThatIsGone(t *testing.T) {
	t.Parallel()
	p := gated(t)
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.GateDecided{Gate: "requirements", Feedback: "and log out"})
	p.exit(p.at("requirements", orchestration.ChaosWhisperer), orchestration.EndUnknownSession)
	if next := p.at("requirements", orchestration.ChaosWhisperer); next.ResumedFrom != "" || next.Start != orchestration.StartHandoff || next.Brief.Feedback != "and log out" {
		t.Errorf("%+v", next.Launch)
	}
}

// A quest-wide step can be blocked like a step of the plan. The user can then retry,
// retry in a fresh session, or give feedback, with or without a gate.
func TestWholeQuest_blocked_takesFeedback(t *testing.T) {
	t.Parallel()
	for _, gate := range []bool{false, true} {
		n := newQuest()
		n.ApproveReqs = gate
		p := create(t, n)
		r := p.at("requirements", orchestration.ChaosWhisperer)
		p.do(orchestration.StopPressed{Run: r.ID})
		p.exit(r, orchestration.EndCrashed)
		if p.q.Status(nil) != orchestration.StatusWaiting {
			t.Errorf("status %s", p.q.Status(nil))
		}
		before := p.q.GateRequirements
		p.do(orchestration.GateDecided{Gate: "requirements", Feedback: "shorter"})
		if next := p.at("requirements", orchestration.ChaosWhisperer); next.ResumedFrom != r.ID || next.Brief.Feedback != "shorter" {
			t.Errorf("gate %v: %+v", gate, next.Launch)
		}
		if p.q.GateRequirements != before {
			t.Errorf("the gate was %s and is %s", before, p.q.GateRequirements)
		}
	}
}

// Ward accepts no feedback, so it goes to the run that waits for the check.
func TestWholeQuest_blockedByWard_feedbackGoesToTheAuthor(t *testing.T) {
	t.Parallel()
	p := planning(t)
	author := p.at("plan", orchestration.PathSeeker)
	p.handOver("plan", orchestration.PathSeeker, orchestration.Spiritmender, true)
	for range 3 {
		p.complete("plan", orchestration.Spiritmender)
		p.ward("plan", orchestration.EndWardFailed)
	}
	p.hold("plan", orchestration.HoldBlocked)
	p.do(orchestration.GateDecided{Gate: "plan", Feedback: "plan without it"})
	next := p.at("plan", orchestration.PathSeeker)
	if next.ResumedFrom != author.ID || next.Brief.Feedback != "plan without it" || next.ReturnTo != "" {
		t.Errorf("%+v", next.Launch)
	}
}

// PathSeeker may answer feedback with the plan as it is. It is the plan as the person left it.
func TestGate_aPlanThatIsSentBack_keepsWhatAPersonEditedAtIt(t *testing.T) {
	t.Parallel()
	p, _ := planFor(t, "o1", "o2")
	p.draft("plan", plan(carrying(step("a"), "o1"), carrying(step("b"), "o2")))
	p.complete("plan", orchestration.PathSeeker)
	title, files, none := "better", []string{"other.go"}, []string{}
	p.do(orchestration.StepEdited{Step: "a", Title: &title, Files: &files})
	p.do(orchestration.StepEdited{Step: "b", Observables: &none})
	p.do(orchestration.GateDecided{Gate: "plan", Feedback: "is that all?"})
	if got := p.q.NotAsStored(p.newestOf("plan")); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("PathSeeker is told that %v are not as it stored them", got)
	}
	p.complete("plan", orchestration.PathSeeker)
	if a := p.q.Step("a"); a.Title != title || !slices.Equal(a.Files, files) || !slices.Equal(a.Observables, []string{"o1"}) {
		t.Errorf("a is %+v", a.PlanStep)
	}
	if _, uncovered := p.inLists("o2"); len(p.q.Step("b").Observables) != 0 || !uncovered {
		t.Errorf("o2, which the person took out, is with b: %v; the plan leaves out %+v", p.q.Step("b").Observables, p.q.Uncovered)
	}
	p.do(orchestration.GateDecided{Gate: "plan", Approve: true})
	p.stage("a", orchestration.StageReady)
}

func TestGate_aPlanMadeAgainThatIsSentBack_keepsWhatAPersonEditedAtIt(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("a"), "o1"), carrying(step("b", "a"), "o2")), "o1", "o2")
	p.at("a", orchestration.Codeweaver)
	p.do(orchestration.ChangeRequested{Text: dark})
	p.changes("o1", "o2")
	p.draft("plan", plan(carrying(step("c", "a"), "o2")))
	p.complete("plan", orchestration.PathSeeker)
	title := "better"
	p.do(orchestration.StepEdited{Step: "c", Title: &title})
	p.do(orchestration.GateDecided{Gate: "plan", Feedback: "is that all?"})
	p.complete("plan", orchestration.PathSeeker)
	if c := p.q.Step("c"); c.Title != title || c.Stage != orchestration.StageWaiting || p.q.Step("b").Stage != orchestration.StageSuperseded {
		t.Errorf("c is %q at %s, b at %s", c.Title, c.Stage, p.q.Step("b").Stage)
	}
}

func TestWholeQuest_blocked_retryFreshAndNoSkip(t *testing.T) {
	t.Parallel()
	p := create(t, newQuest())
	r := p.at("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.exit(r, orchestration.EndCrashed)
	for _, step := range orchestration.QuestWideSteps {
		p.refused(orchestration.SkipPressed{Step: step}, "cannot be skipped")
	}
	p.do(orchestration.RetryPressed{Step: "requirements", Fresh: true})
	if next := p.at("requirements", orchestration.ChaosWhisperer); next.ResumedFrom != "" || next.SessionID == r.SessionID {
		t.Errorf("%+v", next.Launch)
	}
}

// A plan that the user supplies passes no gate.
func TestGate_aPlanOfTheUsersOwnPassesNone(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.ApproveReqs, n.ApprovePlan = true, true
	n.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a")}, Requirements: requirements()}
	p := create(t, n)
	if p.q.Phase != orchestration.PhaseSteps || !p.q.Locked || p.q.GatePlan != orchestration.GateOff || p.q.GateRequirements != orchestration.GateOff {
		t.Errorf("phase %s, gates %s and %s", p.q.Phase, p.q.GateRequirements, p.q.GatePlan)
	}
}

// While the requirements or the plan are written, nobody could continue in place of the
// author.
func TestPlanPhase_aFollowupMustResume_andThePlanIsOwedByTheBottomRun(t *testing.T) {
	t.Parallel()
	p := planning(t)
	author := p.at("plan", orchestration.PathSeeker)
	no, yes := false, true
	s := orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: "plan", TargetRole: orchestration.Codeweaver, Reason: "r", Context: "c", Resume: &no}
	if err := p.try(orchestration.SignalReceived{Run: author.ID, Signal: s}); err == nil || !strings.Contains(err.Error(), "send resume: true") {
		t.Errorf("resume: false while the plan is written: %v", err)
	}
	p.handOver("plan", orchestration.PathSeeker, orchestration.Codeweaver, true)
	p.handOver("plan", orchestration.Codeweaver, orchestration.PathSeeker, true)
	p.complete("plan", orchestration.PathSeeker) // a run that was called for help need not store a plan
	p.complete("plan", orchestration.Codeweaver)
	p.ward("plan", orchestration.EndWardPassed)
	if r := p.at("plan", orchestration.PathSeeker); r.ResumedFrom != author.ID {
		t.Errorf("%+v", r.Launch)
	}
	for range 2 { // up to the limit of waiting runs: what a refusal suggests must be possible
		p.handOver("plan", orchestration.PathSeeker, orchestration.Codeweaver, true)
		p.handOver("plan", orchestration.Codeweaver, orchestration.PathSeeker, true)
	}
	p.handOver("plan", orchestration.PathSeeker, orchestration.Codeweaver, true)
	s.Resume, s.TargetRole = &yes, orchestration.PathSeeker
	err := p.try(orchestration.SignalReceived{Run: p.at("plan", orchestration.Codeweaver).ID, Signal: s})
	if err == nil || !strings.Contains(err.Error(), "finish") || strings.Contains(err.Error(), "resume: false") {
		t.Errorf("too deep: %v", err)
	}
}

func TestReview_findingsSurviveAFollowupOfPathSeeker(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.signal("review", orchestration.Lawbringer, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup,
		TargetRole: orchestration.PathSeeker, Reason: "no tests", Context: "login.go has none", Resume: new(bool)})
	p.handOver("review", orchestration.PathSeeker, orchestration.Codeweaver, true)
	p.complete("review", orchestration.Codeweaver)
	p.ward("review", orchestration.EndWardPassed)
	r := p.at("review", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("tests")}}})
	p.complete("review", orchestration.PathSeeker)
	if found := p.q.Step("review").Findings; len(found) != 1 || !strings.Contains(found[0].What, "login.go has none") {
		t.Errorf("findings %q", found)
	}
}

// A fresh session that replaces a lost one is told what the lost one was asked.
func TestHandoff_afterAFollowup_isToldWhatWasAsked(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]orchestration.End{"unknown session": orchestration.EndUnknownSession, "full context": orchestration.EndContext, "retry fresh": orchestration.EndStuck} {
		p := withSteps(t, step("a"))
		p.signal("a", orchestration.Codeweaver, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup,
			TargetRole: orchestration.Spiritmender, Reason: "lint", Context: "main.go", Resume: new(bool)})
		p.handOver("a", orchestration.Spiritmender, orchestration.PathSeeker, true)
		p.complete("a", orchestration.PathSeeker)
		p.exit(p.at("a", orchestration.Spiritmender), end)
		if end == orchestration.EndStuck {
			p.do(orchestration.StopPressed{Run: p.at("a", orchestration.Spiritmender).ID})
			p.do(orchestration.RetryPressed{Step: "a", Fresh: true})
		}
		next := p.q.Run(p.q.Step("a").Run)
		if b := next.Brief; next.ResumedFrom != "" || b.Reason != "lint" || b.Context != "main.go" || b.From != orchestration.Codeweaver {
			t.Errorf("%s: %s is told %+v", name, next.Start, b)
		}
	}
}

// If the run that waits never opened its session either, a fresh run takes its place, so
// that no run waits forever.
func TestGate_feedbackToABlockedStepWhoseWaitingRunNeverOpened(t *testing.T) {
	t.Parallel()
	p := gated(t)
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.GateDecided{Gate: "requirements", Approve: true})
	p.handOver("plan", orchestration.PathSeeker, orchestration.Spiritmender, true)
	p.complete("plan", orchestration.Spiritmender)
	p.ward("plan", orchestration.EndWardPassed)
	r := p.q.Run(p.q.Step("plan").Run)
	p.do(orchestration.SlotGranted{Run: r.ID, Slot: 1})
	yes := true
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: "plan",
		TargetRole: orchestration.Spiritmender, Reason: "look at spiritmender", Context: "here", Resume: &yes}})
	p.hold("plan", orchestration.HoldBlocked)
	p.do(orchestration.GateDecided{Gate: "plan", Feedback: "smaller steps"})
	if next := p.q.Run(p.q.Step("plan").Run); next.Start != orchestration.StartHandoff || next.Brief.Feedback != "smaller steps" {
		t.Errorf("%+v", next.Launch)
	}
}
