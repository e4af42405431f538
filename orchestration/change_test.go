package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

const dark = "Say it in the dark, too."

// changes lets ChaosWhisperer, who was told a change, store these observables and
// complete.
func (p *player) changes(ids ...string) {
	p.t.Helper()
	r := p.at("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.RequirementsSet{Run: r.ID, Requirements: asked(ids...).Requirements})
	p.complete("requirements", orchestration.ChaosWhisperer)
}

// coverage is the state of an observable; "": it is not listed.
func (p *player) coverage(observable string) orchestration.Coverage {
	for _, c := range p.q.Coverage() {
		if c.Observable == observable {
			return c.State
		}
	}
	return ""
}

// One step is done, one runs, two have not started. A new observable lands in a new step,
// a lost one is no longer asked.
func TestChange_inTheMiddleOfParallelWork(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("done"), "o1"), carrying(step("runs"), "o2"), carrying(step("kept", "done"), "o3"), carrying(step("dropped", "kept"), "o4")),
		"o1", "o2", "o3", "o4")
	p.slots = 2
	p.stepThrough("done")
	author := p.q.Run("abc-r1")
	p.at("runs", orchestration.Codeweaver)
	p.stage("kept", orchestration.Codeweaver.Stage()) // it has the other slot
	p.do(orchestration.StopPressed{Run: p.q.Step("kept").Run})
	p.do(orchestration.ChangeRequested{Text: dark})
	if p.q.Phase != orchestration.PhaseRequirements || p.q.Locked || p.q.GatePlan != orchestration.GatePending || !p.q.Changing() {
		t.Fatalf("phase %s, locked %v, gate %s", p.q.Phase, p.q.Locked, p.q.GatePlan)
	}
	told := p.q.Run(p.q.Step("requirements").Run)
	if told.Start != orchestration.StartChange || told.ResumedFrom != author.ID || told.SessionID != author.SessionID {
		t.Errorf("ChaosWhisperer is not resumed: %+v", told.Launch)
	}

	p.complete("runs", orchestration.Codeweaver) // what has begun goes on
	p.refused(orchestration.ChangeRequested{Text: "and in blue"}, "send your text to ChaosWhisperer as a message")
	p.exit(p.q.Run(p.q.Step("kept").Run), orchestration.EndCrashed)
	p.changes("o1", "o3", "o4", "o5")
	p.ward("runs", orchestration.EndWardPassed)
	if got := p.coverage("o2"); got != orchestration.CoverageLost {
		t.Errorf("the lost observable is %q", got)
	}

	// PathSeeker plans what has not started: a step of its own for what is new.
	r := p.at("plan", orchestration.PathSeeker)
	if r.Start != orchestration.StartFresh || r.ResumedFrom != "" {
		t.Errorf("PathSeeker begins as %+v", r.Launch)
	}
	err := p.try(orchestration.PlanDrafted{Run: r.ID, Draft: plan(carrying(step("runs"), "o5"), carrying(step("new", "dropped"), "o9"))})
	for _, want := range []string{"runs: has begun (siegemaster) and stays as it is", `new: depends on "dropped", which is no step`,
		`no requirement has the observable "o9"`, "the observable o4 is in no step", "the observable o5 is in no step"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the answer lacks %q:\n%v", want, err)
		}
	}
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: plan(carrying(step("new", "kept"), "o4", "o5"))})
	p.complete("plan", orchestration.PathSeeker)
	if p.q.GatePlan != orchestration.GateOpen {
		t.Fatalf("the gate of the plan is %s", p.q.GatePlan)
	}
	p.stage("new", orchestration.StageWaiting)
	p.do(orchestration.GateDecided{Gate: "plan", Approve: true})
	p.stage("dropped", orchestration.StageSuperseded)
	if why := p.q.StepWhy(p.q.Step("dropped"), p.now, nil).Words(); why != "left out by the plan after a change of the requirements" {
		t.Errorf("the step that was left out says %q", why)
	}
	if got := p.q.Step("runs").Observables; !slices.Equal(got, []string{"o2"}) {
		t.Errorf("the step that had started has %v", got)
	}

	p.complete("runs", orchestration.Siegemaster)
	p.ward("runs", orchestration.EndWardPassed)
	p.do(orchestration.RetryPressed{Step: "kept"})
	p.stepThrough("kept")
	p.stepThrough("new")
	p.reviewed()
	o := p.q.Outcome()
	if o.Asked != 4 || len(o.NotCovered) != 0 || o.Total != 4 || p.coverage("o2") != orchestration.CoverageLost {
		t.Errorf("the outcome is %+v", o)
	}
}

func TestChange_noStepStartsAndNoReviewBegins(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("a"), "o1"), carrying(step("b", "a"), "o2")), "o1", "o2")
	p.complete("a", orchestration.Codeweaver)
	p.do(orchestration.ChangeRequested{Text: dark})
	p.ward("a", orchestration.EndWardPassed)
	p.complete("a", orchestration.Siegemaster)
	p.ward("a", orchestration.EndWardPassed)
	p.stage("a", orchestration.StageDone)
	p.stage("b", orchestration.StageWaiting)
	p.refused(orchestration.SlotGranted{Step: "b", Slot: 1}, "not ready")
	if why := p.q.StepWhy(p.q.Step("b"), p.now, nil).Words(); why != "waits: the requirements are being changed" {
		t.Errorf("b %s", why)
	}
	p.changes("o1")
	p.stage("b", orchestration.StageWaiting)
	p.refused(orchestration.SkipPressed{Step: "b", Reason: "no"}, "only during the Build phase")
	p.draft("plan", plan())
	p.complete("plan", orchestration.PathSeeker)
	p.do(orchestration.GateDecided{Gate: "plan", Approve: true})
	if p.q.Phase != orchestration.PhaseReview {
		t.Errorf("all is done, and the phase is %s", p.q.Phase)
	}
}

// A plan without changes is accepted: PathSeeker only completes.
func TestChange_aPlanWithoutChangesIsAccepted(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("a"), "o1"), carrying(step("b", "a"), "o2")), "o1", "o2")
	p.at("a", orchestration.Codeweaver)
	p.do(orchestration.ChangeRequested{Text: dark})
	p.changes("o1", "o2")
	p.complete("plan", orchestration.PathSeeker)
	if got := p.q.Written("plan").Steps; len(got) != 1 || got[0].ID != "b" {
		t.Errorf("the gate shows %+v", got)
	}
	p.do(orchestration.GateDecided{Gate: "plan", Approve: true})
	p.stage("a", orchestration.Codeweaver.Stage())
	p.stage("b", orchestration.StageWaiting)
	p.stepThrough("a")
	p.stepThrough("b")
	p.reviewed()

	// A new observable needs a place.
	p.do(orchestration.ChangeRequested{Text: "and a third thing"})
	p.changes("o1", "o2", "o3")
	r := p.at("plan", orchestration.PathSeeker)
	err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "plan", Summary: "as it is"}})
	if err == nil || !strings.Contains(err.Error(), "the observable o3 is in no step") {
		t.Errorf("a plan without a place for it: %v", err)
	}
}

func TestChange_ofACompleteUndeliveredQuest_opensItAgain(t *testing.T) {
	t.Parallel()
	p := withChanges(t, "a.go")
	p.do(orchestration.WorkLeft{})
	p.do(orchestration.ChangeRequested{Text: dark})
	if p.q.Over() || !p.q.EndedAt.IsZero() || !p.q.LeftAt.IsZero() || p.q.Phase != orchestration.PhaseRequirements {
		t.Fatalf("phase %s, ended %v", p.q.Phase, p.q.EndedAt)
	}
	p.stage("review", orchestration.StageWaiting)
	// The user brought the plan, so no session wrote requirements.
	if r := p.at("requirements", orchestration.ChaosWhisperer); r.Start != orchestration.StartFresh || r.ResumedFrom != "" {
		t.Errorf("ChaosWhisperer begins as %+v", r.Launch)
	}
	p.changes("o2")
	p.draft("plan", plan(carrying(step("b", "a"), "o2")))
	p.complete("plan", orchestration.PathSeeker)
	p.good("b") // the base is not checked again
	p.merges("b", orchestration.MergeMerged)
	p.reviewed()
	if o := p.q.Outcome(); !o.Green() {
		t.Errorf("the outcome is %+v", o)
	}
}

func TestChange_whileAReviewIsAtWork_dropsIt(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("a"), "o1")), "o1")
	p.stepThrough("a")
	p.ward("review", orchestration.EndWardPassed)
	p.handOver("review", orchestration.Lawbringer, orchestration.Spiritmender, true)
	mending := p.at("review", orchestration.Spiritmender)
	p.do(orchestration.ChangeRequested{Text: dark})
	if got := p.q.Run(mending.ID).Stopping; got != orchestration.OutcomeStopped {
		t.Errorf("the run of the review is %q", got)
	}
	if slices.ContainsFunc(runs(p.q), func(r *orchestration.Run) bool { return r.Waiting }) {
		t.Error("somebody waits for a review that was dropped")
	}
	p.exit(mending, orchestration.EndCrashed)
	p.stage("review", orchestration.StageWaiting)
	p.changes("o1", "o2")
	p.draft("plan", plan(carrying(step("b"), "o2")))
	p.complete("plan", orchestration.PathSeeker)
	p.do(orchestration.GateDecided{Gate: "plan", Approve: true})
	p.stepThrough("b")
	p.ward("review", orchestration.EndWardPassed)
	if r := p.at("review", orchestration.Lawbringer); r.Start != orchestration.StartFresh || r.ReturnTo != "" {
		t.Errorf("the review begins again as %+v", r.Launch)
	}
}

func TestChange_refusedAfterDelivery_andWhenAbandoned(t *testing.T) {
	t.Parallel()
	p := withChanges(t, "a.go")
	p.do(orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"})
	p.refused(orchestration.ChangeRequested{Text: dark}, "merged (merge into main): start a follow-up quest")
	if slices.Contains(p.q.Controls(p.now, nil), orchestration.ControlChange) {
		t.Error("it is offered after delivery")
	}
	p = withSteps(t, step("a"))
	p.do(orchestration.AbandonPressed{})
	p.refused(orchestration.ChangeRequested{Text: dark}, "abandoned")
}

// While PathSeeker writes the plan, a change drops that plan, whether or not an earlier
// change lasts.
func TestChange_whileThePlanIsWritten_dropsThePlan(t *testing.T) {
	t.Parallel()
	p, first := planFor(t, "o1")
	p.do(orchestration.ChangeRequested{Text: dark})
	p.exit(first, orchestration.EndCrashed)
	p.changes("o1", "o2")
	second := p.at("plan", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: second.ID, Draft: plan(carrying(step("a"), "o1", "o2"))})
	p.complete("plan", orchestration.PathSeeker)
	p.do(orchestration.ChangeRequested{Text: "and in blue"}) // its gate is open
	if p.q.GatePlan != orchestration.GatePending || len(p.q.Changes) != 2 {
		t.Errorf("gate %s, %d changes", p.q.GatePlan, len(p.q.Changes))
	}
	p.changes("o1")
	p.draft("plan", plan(carrying(step("b"), "o1"))) // nobody had begun: this is the whole plan
	p.complete("plan", orchestration.PathSeeker)
	p.do(orchestration.GateDecided{Gate: "plan", Approve: true})
	if p.q.Steps.Len() != 1 || p.q.Step("b") == nil {
		t.Errorf("the plan has %d steps", p.q.Steps.Len())
	}
}

// What was built for a text does not prove another one.
func TestChange_anObservableThatAStepHasBegunWithKeepsItsText(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("a"), "o1"), carrying(step("b", "a"), "o2")), "o1", "o2")
	p.at("a", orchestration.Codeweaver)
	p.do(orchestration.ChangeRequested{Text: dark})
	r := p.at("requirements", orchestration.ChaosWhisperer)
	other := asked("o1", "o2").Requirements
	for i := range other[0].Observables {
		other[0].Observables[i].Text += ", and in the dark"
	}
	err := p.try(orchestration.RequirementsSet{Run: r.ID, Requirements: other})
	if err == nil || !strings.Contains(err.Error(), "the step a has begun with the observable o1") || strings.Contains(err.Error(), "o2") {
		t.Errorf("another text: %v", err)
	}
	other[0].Observables[0] = asked("o1").Requirements[0].Observables[0]
	p.do(orchestration.RequirementsSet{Run: r.ID, Requirements: other}) // nobody has begun b
}

// A step that is split again while the requirements change is not lost by a plan that
// does not know its new steps.
func TestChange_stepsAddedAfterTheDraft_stay(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("a"), "o1"), carrying(step("b", "a"), "o2")), "o1", "o2")
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, false)
	p.do(orchestration.ChangeRequested{Text: dark})
	p.changes("o1", "o2")
	p.draft("plan", plan(carrying(step("c", "a"), "o2")))
	p.draft("a", orchestration.PlanDraft{Steps: []orchestration.PlanStep{carrying(step("a-1"), "o1"), step("a-2", "a-1")}, Replaces: "a"})
	p.complete("a", orchestration.PathSeeker)
	p.stage("a-1", orchestration.StageWaiting)
	p.complete("plan", orchestration.PathSeeker)
	p.stage("b", orchestration.StageSuperseded)
	p.stage("a-2", orchestration.StageWaiting)
	if got := p.q.Step("c").DependsOn; !slices.Equal(got, []string{"a-1", "a-2"}) {
		t.Errorf("c waits for %v", got)
	}
	// Sent back, the plan may bring a step back that it left out.
	p.do(orchestration.GateDecided{Gate: "plan", Feedback: "keep b"})
	p.draft("plan", plan(carrying(step("b", "c"), "o2"), step("c", "a-2"), carrying(step("a-1"), "o1"), step("a-2", "a-1")))
	p.complete("plan", orchestration.PathSeeker)
	p.do(orchestration.GateDecided{Gate: "plan", Approve: true})
	p.stage("b", orchestration.StageWaiting)
	p.stage("a-1", orchestration.StageReady)
}

func TestChange_badText_andNothingChanges(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	for _, text := range []string{" \n", strings.Repeat("ü", orchestration.ChangeMost+1)} {
		if err := p.try(orchestration.ChangeRequested{Text: text}); orchestration.CodeOf(err) != orchestration.CodeInvalid {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	p.do(orchestration.ChangeRequested{Text: strings.Repeat("ü", orchestration.ChangeMost)})
}

// What a person skipped before the change is not asked for again. What the change brings
// is, even if the skipped step has it.
func TestChange_whatASkippedStepHadIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("a"), "o1"), carrying(step("b", "a"), "o2")), "o1", "o2")
	p.at("a", orchestration.Codeweaver)
	p.do(orchestration.SkipPressed{Step: "b", Reason: "too dear"})
	p.do(orchestration.ChangeRequested{Text: dark})
	p.changes("o1", "o2", "o3")
	complete := orchestration.SignalReceived{Run: p.at("plan", orchestration.PathSeeker).ID,
		Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "plan", Summary: "as it is"}}
	if err := p.try(complete); err == nil || !strings.Contains(err.Error(), "the observable o3 is in no step") || strings.Contains(err.Error(), "o2") {
		t.Errorf("with a new observable: %v", err)
	}
	drop := func(text string) {
		r := p.at("plan", orchestration.PathSeeker)
		p.do(orchestration.ChangeRequested{Text: text})
		p.exit(r, orchestration.EndCrashed)
	}
	drop("not in the dark") // nobody has planned o3 yet
	p.changes("o1", "o3")
	drop("no, with it")
	p.changes("o1", "o2", "o3")
	complete.Run = p.at("plan", orchestration.PathSeeker).ID
	if err := p.try(complete); err == nil || !strings.Contains(err.Error(), "the observable o3 is in no step") {
		t.Errorf("o3 is still new: %v", err)
	}
	drop("as it was")
	p.changes("o1", "o2")
	p.complete("plan", orchestration.PathSeeker)
	p.do(orchestration.GateDecided{Gate: "plan", Approve: true})
	p.do(orchestration.ChangeRequested{Text: "without it"})
	p.changes("o1")
	p.complete("plan", orchestration.PathSeeker)
	p.do(orchestration.GateDecided{Gate: "plan", Approve: true})
	p.do(orchestration.ChangeRequested{Text: "it is needed after all"})
	p.changes("o1", "o2")
	complete.Run = p.at("plan", orchestration.PathSeeker).ID
	if err := p.try(complete); err == nil || !strings.Contains(err.Error(), "the observable o2 is in no step") {
		t.Errorf("the person asks for it again: %v", err)
	}
}

// A step that a re-split added and a plan leaves out stands for nothing: who waits for the
// replaced step waits for the others.
func TestChange_aReplacementThatIsLeftOut_isNotWaitedFor(t *testing.T) {
	t.Parallel()
	p := inForce(t, plan(carrying(step("a"), "o1"), carrying(step("b", "a"), "o2")), "o1", "o2")
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, false)
	p.do(orchestration.ChangeRequested{Text: dark})
	p.changes("o1", "o2")
	p.draft("a", orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("a-1"), carrying(step("a-2", "a-1"), "o1")}, Replaces: "a"})
	p.complete("a", orchestration.PathSeeker)
	p.draft("plan", plan(carrying(step("a-2"), "o1"), carrying(step("b", "a-2"), "o2")))
	p.complete("plan", orchestration.PathSeeker)
	p.stage("a-1", orchestration.StageSuperseded)
	p.do(orchestration.GateDecided{Gate: "plan", Feedback: "and c"})
	p.draft("plan", plan(carrying(step("a-2"), "o1"), carrying(step("b", "a-2"), "o2"), step("c", "a")))
	p.complete("plan", orchestration.PathSeeker)
	if got := p.q.Step("c").DependsOn; !slices.Equal(got, []string{"a-2"}) {
		t.Errorf("c waits for %v", got)
	}
}
