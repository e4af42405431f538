package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// instead marks a new step as one that stands for another.
func instead(of string, s orchestration.PlanStep) orchestration.PlanStep {
	s.Replaces = of
	return s
}

// resplitting is a quest in which PathSeeker works for "a", on which "b" depends.
func resplitting(t *testing.T) (*player, *orchestration.Run) {
	t.Helper()
	p := withSteps(t, step("a"), step("b", "a"), step("other"))
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, false)
	return p, p.at("a", orchestration.PathSeeker)
}

func TestReplace_dependentsWaitForTheMarkedStepsAndNotForAnUnrelatedOne(t *testing.T) {
	t.Parallel()
	p, r := resplitting(t)
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{
		instead("a", step("a1")), instead("a", step("a2", "a1")), step("tidy"),
	}}})
	p.complete("a", orchestration.PathSeeker)
	p.stage("a", orchestration.StageSuperseded)
	if by := p.q.Step("a").ReplacedBy; !slices.Equal(by, []string{"a1", "a2"}) {
		t.Errorf("a is replaced by %v", by)
	}
	if deps := p.q.Step("b").DependsOn; !slices.Equal(deps, []string{"a1", "a2"}) {
		t.Errorf("b depends on %v", deps)
	}
	if tidy := p.q.Step("tidy"); tidy.Replaces != "" || tidy.Counts.Followups != 0 || p.q.Step("a1").Counts.Followups != 1 {
		t.Errorf("the unrelated step says %q and counts %+v; a1 counts %+v", tidy.Replaces, tidy.Counts, p.q.Step("a1").Counts)
	}
	p.stepThrough("a1")
	p.stepThrough("a2")
	if s := p.q.Step("b").Stage; s == orchestration.StageWaiting || p.q.Step("tidy").Stage.Settled() {
		t.Fatalf("b is at %s while the unrelated step is at %s", s, p.q.Step("tidy").Stage)
	}
	p.stepThrough("b")
}

func TestReplace_aNewStepMayComeAfterADependentOfTheReplacedOne(t *testing.T) {
	t.Parallel()
	p, r := resplitting(t)
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{
		instead("a", step("a1")), step("polish", "b"), step("docs", "a"),
	}}})
	p.complete("a", orchestration.PathSeeker)
	if deps := p.q.Step("docs").DependsOn; !slices.Equal(deps, []string{"a1"}) {
		t.Errorf("a new step that depends on the replaced one depends on %v", deps)
	}
}

func TestReplace_theOldFormMeansAllNewSteps_besideMarksOnlyTheMarked(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{"no mark": {"a1", "tidy"}, "one mark": {"a1"}} {
		p, r := resplitting(t)
		d := orchestration.PlanDraft{Replaces: "a", Steps: []orchestration.PlanStep{step("a1"), step("tidy")}}
		if name == "one mark" {
			d.Steps[0].Replaces = "a"
		}
		p.do(orchestration.PlanDrafted{Run: r.ID, Draft: d})
		p.complete("a", orchestration.PathSeeker)
		if deps := p.q.Step("b").DependsOn; !slices.Equal(deps, want) {
			t.Errorf("%s: b depends on %v, want %v", name, deps, want)
		}
	}
}

func TestReplace_aWrongMarkIsRefusedByName_andChangesNothing(t *testing.T) {
	t.Parallel()
	p, r := resplitting(t)
	p.at("other", orchestration.Codeweaver)
	for want, steps := range map[string][]orchestration.PlanStep{
		`x: replaces "other": only the step that this run works for may be replaced (a)`: {instead("other", step("x"))},
		`y: replaces "b": only the step that this run works for`:                         {instead("a", step("x")), instead("b", step("y"))},
		`x: replaces "a b": only the step that this run works for`:                       {instead("a b", step("x"))},
		`x: replaces "nowhere": only the step that this run works for`:                   {instead("nowhere", step("x"))},
		"b: is in the plan already; only a new step can replace a":                       {instead("a", step("b"))},
		`x: depends on "a", which is no step`:                                            {instead("a", step("x", "a"))},
	} {
		before := p.q
		err := p.try(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: steps}})
		if err == nil || !strings.Contains(err.Error(), want) || p.q != before {
			t.Errorf("want a refusal that says %q, have %v", want, err)
		}
	}
}

func TestReplace_inAPlanThatIsNoResplitAMarkIsRefused(t *testing.T) {
	t.Parallel()
	marked := orchestration.PlanDraft{Steps: []orchestration.PlanStep{instead("a", step("b"))}}
	own := newQuest()
	own.Plan = &orchestration.OwnPlan{Steps: marked.Steps}
	_, byHand := orchestration.Create(own)
	p := planning(t)
	review := reviewing(t)
	review.handOver("review", orchestration.Lawbringer, orchestration.PathSeeker, false)
	atPlan, atReview := p.at("plan", orchestration.PathSeeker).ID, review.at("review", orchestration.PathSeeker).ID
	before, beforeReview := p.q, review.q
	for want, err := range map[string]error{
		`b: replaces "a": there is no step to replace: this plan is no re-split`: p.try(orchestration.PlanDrafted{Run: atPlan, Draft: marked}),
		"there is no step to replace":                                            byHand,
		"this run works for the whole quest, and":                                review.try(orchestration.PlanDrafted{Run: atReview, Draft: marked}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want a refusal that says %q, have %v", want, err)
		}
	}
	if p.q != before || review.q != beforeReview {
		t.Error("a refused draft changed something")
	}
}
