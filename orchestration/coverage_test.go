package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// planFor is a quest with these observables in which PathSeeker writes the plan.
func planFor(t *testing.T, ids ...string) (*player, *orchestration.Run) {
	t.Helper()
	n := newQuest()
	n.ApprovePlan = true
	p := create(t, n)
	p.do(orchestration.RequirementsSet{Run: p.at("requirements", orchestration.ChaosWhisperer).ID, Requirements: asked(ids...).Requirements})
	p.complete("requirements", orchestration.ChaosWhisperer)
	return p, p.at("plan", orchestration.PathSeeker)
}

// inForce is a quest whose plan PathSeeker wrote; its steps may start.
func inForce(t *testing.T, d orchestration.PlanDraft, ids ...string) *player {
	t.Helper()
	p, r := planFor(t, ids...)
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: d})
	p.complete("plan", orchestration.PathSeeker)
	p.do(orchestration.GateDecided{Gate: orchestration.StepPlan, Approve: true})
	return p
}

func plan(steps ...orchestration.PlanStep) orchestration.PlanDraft {
	return orchestration.PlanDraft{Steps: steps}
}

// draft lets PathSeeker's run at the step store a plan.
func (p *player) draft(step string, d orchestration.PlanDraft) {
	p.t.Helper()
	p.do(orchestration.PlanDrafted{Run: p.at(step, orchestration.PathSeeker).ID, Draft: d})
}

func leftOut(observable, why string) []orchestration.Uncovered {
	return []orchestration.Uncovered{{Observable: observable, Why: why}}
}

func TestCoverage_anUnknownAndAnUncoveredObservableAreNamedBesideAllOtherFaults(t *testing.T) {
	t.Parallel()
	p, r := planFor(t, "o1", "o2", "o3")
	before := p.q
	d := plan(carrying(step("a", "nowhere"), "o1", "o8"))
	d.Review, d.Uncovered = []string{"o3", "o9"}, append(leftOut("o3", "no time"), leftOut("o1", " ")...)
	err := p.try(orchestration.PlanDrafted{Run: r.ID, Draft: d})
	for _, want := range []string{
		`a: depends on "nowhere", which is no step`,
		`a: no requirement has the observable "o8"`,
		`review: no requirement has the observable "o9"`,
		"the observable o2 is in no step, and neither in review nor in uncovered",
		"the observable o3 is in review and in uncovered: keep one",
		"the observable o1 is in the step a and in uncovered: keep one",
		`uncovered: say why nothing covers "o1"`,
		"the plan has 7 fault(s)",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the answer lacks %q:\n%v", want, err)
		}
	}
	if p.q != before {
		t.Error("a refused draft changed something")
	}
}

func TestCoverage_isCheckedAgainWhenTheRunCompletes(t *testing.T) {
	t.Parallel()
	p, r := planFor(t, "o1", "o2")
	q := *p.q // a draft that an older version stored
	q.Runs = q.Runs.With(r.N, func() *orchestration.Run {
		c := *r
		c.Draft = &orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("a")}}
		return &c
	}())
	p.q = orchestration.Restore(&q)
	err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{
		Kind: orchestration.Complete, StepID: "plan", Summary: "s"}})
	if err == nil || !strings.Contains(err.Error(), "the observable o2 is in no step") {
		t.Fatalf("have %v", err)
	}
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: plan(carrying(step("a"), "o1", "o2"))})
	p.complete("plan", orchestration.PathSeeker)
}

func TestCoverage_whatTheReviewOwnsAndWhatIsLeftOutIsInForceAndAtTheGate(t *testing.T) {
	t.Parallel()
	p, r := planFor(t, "o1", "o2", "o3")
	d := plan(step("a"))
	d.Review, d.Uncovered = []string{"o2"}, leftOut("o3", "it needs a printer")
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: d})
	if w := p.q.Written(orchestration.StepPlan); !slices.Equal(w.Review, d.Review) || !slices.Equal(w.Uncovered, d.Uncovered) {
		t.Errorf("the gate shows %+v", w)
	}
	p.complete("plan", orchestration.PathSeeker)
	p.do(orchestration.GateDecided{Gate: orchestration.StepPlan, Approve: true})
	check := func(when string, want ...string) {
		t.Helper()
		for i, c := range p.q.Coverage() {
			if got := c.Words(c.Steps, c.Beside); got != want[i] {
				t.Errorf("%s: %s is %q, want %q", when, c.Observable, got, want[i])
			}
		}
	}
	check("at first", "open", "open", "left out by the plan: it needs a printer")
	p.stepThrough("a")
	check("before the review", "built and checked by a", "open", "left out by the plan: it needs a printer")
	p.reviewed()
	check("in the end", "built and checked by a", "reviewed with the whole", "left out by the plan: it needs a printer")
	if o := p.q.Outcome(); o.Green() || len(o.NotCovered) != 1 ||
		!strings.Contains(p.q.Report(), "text of o3 (left out by the plan: it needs a printer)") {
		t.Errorf("%+v\n%s", o, p.q.Report())
	}
}

func TestCoverage_aQuestWithoutRequirementsIsNotChecked(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, false)
	lists := plan(instead("a", carrying(step("b"))))
	lists.Review = []string{"x", "x"}
	err := p.try(orchestration.PlanDrafted{Run: p.at("a", orchestration.PathSeeker).ID, Draft: lists})
	if err == nil || !strings.Contains(err.Error(), "no requirements: leave review and uncovered out") {
		t.Errorf("nothing can be on a list: have %v", err)
	}
	p.draft("a", plan(instead("a", carrying(step("b"), "anything"))))
	p.complete("a", orchestration.PathSeeker)
}

func TestCoverage_aResplitIsAskedOnlyForWhatItChangesOrReplaces(t *testing.T) {
	t.Parallel()
	steps := []orchestration.PlanStep{carrying(step("a"), "o1"), carrying(step("b", "a"), "o2"), carrying(step("c", "b"), "o2", "o3")}
	p := inForce(t, plan(steps...), "o1", "o2", "o3")
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, false)
	r := p.at("a", orchestration.PathSeeker)
	draft := func(d orchestration.PlanDraft) error { return p.try(orchestration.PlanDrafted{Run: r.ID, Draft: d}) }
	if err := draft(plan(step("beside"))); err != nil {
		t.Errorf("a step beside the others is asked for nothing, have %v", err)
	}
	lost := draft(plan(instead("a", carrying(step("a1"))), carrying(step("b", "a"))))
	if lost == nil || !strings.Contains(lost.Error(), "o1 is in no step") ||
		strings.Contains(lost.Error(), "o2") || strings.Contains(lost.Error(), "o3") {
		t.Errorf("o1 is lost, o2 has another step: have %v", lost)
	}
	twice := plan(instead("a", carrying(step("a1"))))
	twice.Review = []string{"o1", "o3"}
	if err := draft(twice); err == nil ||
		!strings.Contains(err.Error(), "o3 is in the step c and in review") {
		t.Errorf("o3 has a step: have %v", err)
	}
	p.draft("a", orchestration.PlanDraft{Steps: []orchestration.PlanStep{instead("a", carrying(step("a1")))}, Review: []string{"o1"}})
	p.complete("a", orchestration.PathSeeker)
	if got := p.q.Step(orchestration.StepReview).Observables; !slices.Equal(got, []string{"o1"}) {
		t.Fatalf("the review has %v", got)
	}
	p.do(orchestration.ResplitPressed{Step: "a1", Reason: "too large"}) // a later draft moves it into a step
	p.draft("a1", plan(carrying(step("late"), "o1")))
	p.complete("a1", orchestration.PathSeeker)
	if got := p.q.Step(orchestration.StepReview).Observables; len(got) != 0 {
		t.Errorf("o1 is in a step, and the review still has %v", got)
	}
}

// The user skipped b, because a builds o1, too.
func TestCoverage_whatOnlyASkippedStepHasIsNotAskedFor_whatALivingOneHadIs(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("a"), "o1"), carrying(step("b"), "o1", "o2")), "o1", "o2")
	p.do(orchestration.SkipPressed{Step: "b", Reason: "not now"})
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, false)
	err := p.try(orchestration.PlanDrafted{Run: p.at("a", orchestration.PathSeeker).ID, Draft: plan(instead("a", carrying(step("a1"))))})
	if err == nil || !strings.Contains(err.Error(), "o1 is in no step") || strings.Contains(err.Error(), "o2") {
		t.Errorf("o1 is lost, and o2 was skipped: have %v", err)
	}
	p.draft("a", plan(instead("a", carrying(step("a1"), "o1"))))
	p.complete("a", orchestration.PathSeeker)
	if c := p.q.Coverage()[1]; c.State != orchestration.CoverageSkipped {
		t.Errorf("%+v", c)
	}
}

// inLists returns where the plan has an observable besides its steps.
func (p *player) inLists(observable string) (review, uncovered bool) {
	return slices.Contains(p.q.Step(orchestration.StepReview).Observables, observable),
		slices.ContainsFunc(p.q.Uncovered, func(u orchestration.Uncovered) bool { return u.Observable == observable })
}

func TestCoverage_theUsersEditTakesAnObservableOffTheLists_andNamesOnlyKnownOnes(t *testing.T) {
	t.Parallel()
	d := plan(carrying(step("a"), "o1"), carrying(step("b", "a")))
	d.Review, d.Uncovered = []string{"o2"}, leftOut("o3", "no time")
	p := inForce(t, d, "o1", "o2", "o3")
	unknown := []string{"o1", "typo"}
	if err := p.try(orchestration.StepEdited{Step: "b", Observables: &unknown}); err == nil || !strings.Contains(err.Error(), `no requirement has the observable "typo"`) {
		t.Errorf("have %v", err)
	}
	all := []string{"o2", "o3"}
	p.do(orchestration.StepEdited{Step: "b", Observables: &all})
	for _, o := range all {
		if review, uncovered := p.inLists(o); review || uncovered {
			t.Errorf("%s is in a step, and still on a list", o)
		}
	}
	none := []string{}
	p.do(orchestration.StepEdited{Step: "b", Observables: &none}) // the user may leave one without a place
	if c := p.q.Coverage()[1]; c.State != orchestration.CoverageNone {
		t.Errorf("%+v", c)
	}
}

// An older version kept names that no requirement has. The user can edit such a step.
func TestCoverage_anEditKeepsTheNamesThatTheStepHad(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Plan = &orchestration.OwnPlan{Requirements: asked("o1").Requirements, Steps: []orchestration.PlanStep{step("a"), carrying(step("b", "a"), "old")}}
	p := create(t, n)
	both := []string{"old", "o1"}
	p.do(orchestration.StepEdited{Step: "b", Observables: &both})
}

func TestCoverage_aSkipThatIsUndoneTakesItsObservablesOffTheLists(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("a"), "o1", "o2"), carrying(step("b"))), "o1", "o2")
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not now"})
	p.handOver("b", orchestration.Codeweaver, orchestration.PathSeeker, false)
	d := plan(instead("b", carrying(step("b1"))))
	d.Review, d.Uncovered = []string{"o1"}, leftOut("o2", "no time")
	p.draft("b", d)
	p.complete("b", orchestration.PathSeeker)
	p.do(orchestration.SkipUndone{Step: "a"})
	for _, o := range []string{"o1", "o2"} {
		if review, uncovered := p.inLists(o); review || uncovered {
			t.Errorf("%s is in step a again, and still on a list", o)
		}
	}
}

// A quest of an older version may have steps with names that no requirement has, and
// observables that nothing covers. Nobody asks for them.
func TestCoverage_aQuestOfAnOlderVersionGoesOn(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Plan = &orchestration.OwnPlan{Requirements: asked("o1", "o2").Requirements,
		Steps: []orchestration.PlanStep{carrying(step("a"), "old"), carrying(step("b", "a"), "old")}}
	p := create(t, n)
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, false)
	p.draft("a", plan(instead("a", carrying(step("a1")))))
	p.complete("a", orchestration.PathSeeker)
	p.stepThrough("a1")
	p.stepThrough("b")
	p.reviewed()
}

func TestCoverage_withoutLawbringersVerdictWhatTheReviewHasIsNotCovered(t *testing.T) {
	t.Parallel()
	d := plan(carrying(step("a"), "o1"))
	d.Review = []string{"o2"}
	p := inForce(t, d, "o1", "o2")
	p.stepThrough("a")
	p.ward("review", orchestration.EndWardPassed)
	p.handOver("review", orchestration.Lawbringer, orchestration.Spiritmender, false)
	p.complete("review", orchestration.Spiritmender)
	p.ward("review", orchestration.EndWardPassed)
	c := p.q.Coverage()[1]
	if p.q.Phase != orchestration.PhaseComplete || c.State != orchestration.CoverageNone ||
		c.Words(c.Steps, nil) != "not covered: Lawbringer gave no verdict" {
		t.Errorf("phase %s: %+v", p.q.Phase, c)
	}
}
