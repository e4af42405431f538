package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

func TestPlan_everyFaultInOneAnswer_theCycleAsItsPath(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{
		step("a", "c"), step("b", "a"), step("c", "b"), step("twin"), step("twin"), step("self", "self"), step("lost", "nowhere"),
		step("review"), {ID: "out", Title: "out", Files: []string{"../x"}}, {ID: "Bad Id", Title: ""},
	}}
	_, err := orchestration.Create(n)
	if orchestration.CodeOf(err) != orchestration.CodeInvalid {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{"cycle: a -> c -> b -> a", "twin: the id is used twice", "self: depends on itself",
		`lost: depends on "nowhere"`, "review: the id is reserved", `"../x"`, `"Bad Id": an id is`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the answer lacks %q:\n%v", want, err)
		}
	}
}

func TestPlan_aCycleIsFoundBehindAnIdUsedTwice(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a", "b"), step("b", "a"), step("b")}}
	if _, err := orchestration.Create(n); err == nil || !strings.Contains(err.Error(), "a -> b -> a") || !strings.Contains(err.Error(), "used twice") {
		t.Fatalf("error %v", err)
	}
}

func TestResplit_replacesItsOwnStep(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b", "a"))
	p.exit(p.at("a", orchestration.Codeweaver), orchestration.EndCrashed)
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, true)
	waits := p.q.Run(p.at("a", orchestration.PathSeeker).ReturnTo)
	r := p.at("a", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Replaces: "a",
		Steps: []orchestration.PlanStep{step("a1"), step("a2", "a1")}}})
	p.stage("a", orchestration.PathSeeker.Stage()) // a draft changes nothing
	p.complete("a", orchestration.PathSeeker)
	p.stage("a", orchestration.StageSuperseded)
	if p.q.Run(waits.ID).Waiting {
		t.Error("the run that waited in the replaced step still waits")
	}
	if deps := p.q.Step("b").DependsOn; len(deps) != 2 || deps[0] != "a1" || deps[1] != "a2" {
		t.Errorf("b depends on %v, want the replacements", deps)
	}
	if got := p.q.Step("a1").Counts.Followups; got != 1 {
		t.Errorf("the replacement inherits %d follow-ups, want 1", got)
	}
	p.stepThrough("a1")
	p.stepThrough("a2")
	p.stepThrough("b")
	if p.q.Phase != orchestration.PhaseReview {
		t.Fatalf("phase %s", p.q.Phase)
	}
}

func TestResplit_refusedByName(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"), step("c"))
	p.at("b", orchestration.Codeweaver)
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, false)
	r := p.at("a", orchestration.PathSeeker)
	for name, d := range map[string]orchestration.PlanDraft{
		"b: has started":        {Steps: []orchestration.PlanStep{step("b")}},
		`replaces "b"`:          {Steps: []orchestration.PlanStep{step("x")}, Replaces: "b"},
		"at least one new step": {Replaces: "a"},
		"cycle":                 {Steps: []orchestration.PlanStep{step("x", "y"), step("y", "x")}},
		`"a", which is no step`: {Steps: []orchestration.PlanStep{step("x", "a")}, Replaces: "a"},
	} {
		err := p.try(orchestration.PlanDrafted{Run: r.ID, Draft: d})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want a refusal that says %q, have %v", name, err)
		}
	}
}

// Two PathSeekers at work at the same time can neither build a cycle nor undo each
// other's changes, because the second draft is checked again when its run completes.
func TestResplit_checkedAgainAtComplete(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"), step("c", "a", "b"), step("d", "a", "b"))
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, false)
	p.handOver("b", orchestration.Codeweaver, orchestration.PathSeeker, false)
	one, two := p.at("a", orchestration.PathSeeker), p.at("b", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: one.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("c", "a", "b", "d")}}})
	p.do(orchestration.PlanDrafted{Run: two.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("d", "a", "b", "c")}}})
	p.complete("a", orchestration.PathSeeker)
	err := p.try(orchestration.SignalReceived{Run: two.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "b", Summary: "s"}})
	if err == nil || !strings.Contains(err.Error(), "cycle") {
		t.Fatalf("want the cycle refused, have %v", err)
	}
	p.do(orchestration.PlanDrafted{Run: two.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("e")}}})
	p.complete("b", orchestration.PathSeeker)
	if p.q.Step("e") == nil {
		t.Fatal("the corrected draft is not in force")
	}
}

func TestResplit_aContinuedSessionInheritsTheDraft(t *testing.T) {
	t.Parallel()
	p := planning(t)
	p.signal("plan", orchestration.PathSeeker, orchestration.Signal{Kind: orchestration.PartiallyComplete, Progress: "half", ContinuationPoint: "rest"})
	p.complete("plan", orchestration.PathSeeker)
	if p.q.Phase != orchestration.PhaseSteps || p.q.Steps.Len() != 1 {
		t.Fatalf("phase %s, %d steps", p.q.Phase, p.q.Steps.Len())
	}
}

func TestCompleteOfPathSeeker_refusedWithoutAPlan_andOfChaosWhispererWithoutRequirements(t *testing.T) {
	t.Parallel()
	p := create(t, newQuest())
	r := p.at("requirements", orchestration.ChaosWhisperer)
	done := func(r *orchestration.Run) error {
		return p.try(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "s"}})
	}
	if err := done(r); err == nil || !strings.Contains(err.Error(), "set-requirements") {
		t.Errorf("have %v", err)
	}
	p.do(orchestration.RequirementsSet{Run: r.ID, Requirements: requirements()})
	p.complete("requirements", orchestration.ChaosWhisperer)
	if err := p.try(orchestration.RequirementsSet{Run: r.ID, Requirements: requirements()}); err == nil {
		t.Error("requirements of a run that is over were stored")
	}
	if err := done(p.at("plan", orchestration.PathSeeker)); err == nil || !strings.Contains(err.Error(), "plan-steps") {
		t.Errorf("have %v", err)
	}
}

func TestReview_newStepsReopenTheLoop_andAFreshLawbringerIsToldTheFindings(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.signal("review", orchestration.Lawbringer, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup,
		TargetRole: orchestration.PathSeeker, Reason: "no tests", Context: "login.go has none", Resume: new(bool)})
	r := p.at("review", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("tests")}}})
	p.complete("review", orchestration.PathSeeker)
	if p.q.Phase != orchestration.PhaseSteps {
		t.Fatalf("phase %s", p.q.Phase)
	}
	p.stepThrough("tests")
	p.ward("review", orchestration.EndWardPassed)
	law := p.at("review", orchestration.Lawbringer)
	if law.Start != orchestration.StartFresh || len(law.Brief.Findings) != 1 || !strings.Contains(law.Brief.Findings[0].What, "login.go has none") {
		t.Fatalf("the new lawbringer: %s, findings %+v", law.Start, law.Brief.Findings)
	}
}
