package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

// onBase begins a quest in worktree mode. Ward has not checked the base yet.
func onBase(t *testing.T, steps ...orchestration.PlanStep) *player {
	n := newQuest()
	n.Workspace = orchestration.WorkspaceWorktree
	n.Plan = &orchestration.OwnPlan{Steps: steps}
	return create(t, n)
}

// red lets ward fail on a step over these faults.
func (p *player) red(line string, faults ...string) {
	p.t.Helper()
	p.do(orchestration.RunExited{Run: p.at(line, orchestration.Ward).ID, End: orchestration.EndWardFailed,
		Exit: orchestration.Exit{Why: "exit 1", Code: 1, Faults: faults}})
}

func TestBaseline_wardLooksAtTheBaseBeforeTheFirstStep(t *testing.T) {
	t.Parallel()
	p := onBase(t, step("a"), step("b"))
	p.stage("a", orchestration.StageWaiting)
	p.at("baseline", orchestration.Ward)
	if why := p.why("a"); why != "waits for the check of the base" {
		t.Errorf("the card says %q", why)
	}
	p.ward("baseline", orchestration.EndWardPassed)
	p.stage("a", orchestration.StageReady)
	p.stage("plan", orchestration.StageDone)
	if p.q.Baseline != orchestration.BaselineGreen {
		t.Errorf("baseline %q", p.q.Baseline)
	}
}

func TestBaseline_isForWorktreesWithACheckAlone(t *testing.T) {
	t.Parallel()
	withSteps(t, step("a")).stage("a", orchestration.StageReady)
	n := newQuest()
	n.Workspace, n.Ward = orchestration.WorkspaceWorktree, ""
	n.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a")}}
	create(t, n).stage("a", orchestration.StageReady)
}

func TestBaseline_redLetsTheStepsStart_andIsKnown(t *testing.T) {
	t.Parallel()
	p := onBase(t, step("a"))
	p.red("baseline", "FAIL old")
	p.stage("a", orchestration.StageReady)
	if p.q.Baseline != orchestration.BaselineRed || len(p.q.KnownFaults) != 1 || p.q.Run(p.q.BaselineRun).Role != orchestration.Ward {
		t.Fatalf("%q, known %v, by %s", p.q.Baseline, p.q.KnownFaults, p.q.BaselineRun)
	}
	p.complete("a", orchestration.Codeweaver)
	p.red("a", "FAIL old")
	p.at("a", orchestration.Spiritmender) // the fault is not accepted, so it must be fixed
}

func TestBaseline_acceptedFaultsAreNotBlamedOnSteps_newOnesAre(t *testing.T) {
	t.Parallel()
	p := onBase(t, step("a"), step("b"))
	p.red("baseline", "FAIL old", "FAIL older")
	p.do(orchestration.BaselineAcceptPressed{})
	p.do(orchestration.BaselineAcceptPressed{})
	p.complete("a", orchestration.Codeweaver)
	p.red("a", "FAIL old")
	p.at("a", orchestration.Siegemaster)
	if why := p.last.Quest.Run(p.q.Step("a").Run).Brief; why.Reason != "" {
		t.Errorf("siegemaster is told %+v", why)
	}
	p.complete("b", orchestration.Codeweaver)
	p.red("b", "FAIL old", "FAIL new")
	p.at("b", orchestration.Spiritmender)
}

func TestBaseline_whatCannotBeToldApart_cannotBeAccepted(t *testing.T) {
	t.Parallel()
	p := onBase(t, step("a"))
	p.refused(orchestration.BaselineAcceptPressed{}, "does not fail on the base")
	p.red("baseline")
	p.refused(orchestration.BaselineAcceptPressed{}, "cannot be told from new ones")
	p.complete("a", orchestration.Codeweaver)
	p.do(orchestration.RunExited{Run: p.at("a", orchestration.Ward).ID, End: orchestration.EndWardFailed, Exit: orchestration.Exit{Code: 1}})
	p.at("a", orchestration.Spiritmender)
}

func TestBaseline_aCheckThatCannotRun_blocksBeforeAnybodyWorks(t *testing.T) {
	t.Parallel()
	p := onBase(t, step("a"))
	p.ward("baseline", orchestration.EndWardBroke)
	p.hold("baseline", orchestration.HoldBlocked)
	p.refused(orchestration.GateDecided{Gate: "plan", Feedback: "other steps"}, "not open")
	p.do(orchestration.RetryPressed{Step: "baseline"})
	p.ward("baseline", orchestration.EndWardPassed)
	p.stage("a", orchestration.StageReady)
}

func TestBaseline_ofAnotherCheck_isAskedAgain_orForgotten(t *testing.T) {
	t.Parallel()
	p := onBase(t, step("a"))
	old := p.at("baseline", orchestration.Ward)
	ward := "make lint"
	p.do(orchestration.QuestEdited{Ward: &ward})
	p.exit(old, orchestration.EndInterrupted)
	p.red("baseline", "FAIL old")
	p.do(orchestration.BaselineAcceptPressed{})
	ward = "make vet"
	p.do(orchestration.QuestEdited{Ward: &ward})
	if p.q.Baseline != orchestration.BaselineOff || p.q.KnownFaults != nil {
		t.Errorf("%q, known %v", p.q.Baseline, p.q.KnownFaults)
	}
	p.complete("a", orchestration.Codeweaver)
	p.red("a", "FAIL old")
	p.at("a", orchestration.Spiritmender)
}

func TestBaseline_isDropped_whenNoStepIsLeft(t *testing.T) {
	t.Parallel()
	p := onBase(t, step("a"))
	run := p.at("baseline", orchestration.Ward)
	p.do(orchestration.SkipPressed{Step: "a", Reason: "no need"})
	p.exit(run, orchestration.EndInterrupted)
	p.reviewed()
}

func TestSetup_thatFails_blocksTheRunThatItWasFor(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.do(orchestration.RunExited{Run: p.at("a", orchestration.Codeweaver).ID, End: orchestration.EndSetupFailed, Exit: orchestration.Exit{Why: "npm: not found"}})
	p.hold("a", orchestration.HoldBlocked)
	if why := p.why("a"); !strings.Contains(why, "npm: not found") {
		t.Errorf("the card says %q", why)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	p.at("a", orchestration.Codeweaver)
}

// docs/state-machine.md#the-baseline
func TestBaseline_isCheckedFromTheStart_besideTheAgents_withoutASlot(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Workspace, n.ApproveReqs, n.ApprovePlan = orchestration.WorkspaceWorktree, false, false
	p := create(t, n)
	p.slots = 1
	check, writer := p.at("baseline", orchestration.Ward), p.at("requirements", orchestration.ChaosWhisperer)
	if check.Slot != 0 || writer.Slot != 1 || !check.Live() || !writer.Live() {
		t.Fatalf("the check has slot %d and is live: %v; ChaosWhisperer has slot %d", check.Slot, check.Live(), writer.Slot)
	}
	p.red("baseline", "FAIL old")
	if p.q.Baseline != orchestration.BaselineRed || p.q.Phase != orchestration.PhaseRequirements {
		t.Errorf("baseline %q in the phase %s", p.q.Baseline, p.q.Phase)
	}
	p.do(orchestration.RequirementsSet{Run: writer.ID, Requirements: requirements()})
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.PlanDrafted{Run: p.at("plan", orchestration.PathSeeker).ID, Draft: plan(step("a"))})
	p.complete("plan", orchestration.PathSeeker)
	p.at("a", orchestration.Codeweaver) // nothing is left to wait for
}

func TestBaseline_thatIsNotKnownYet_keepsOnlyTheStepsWaiting(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Workspace, n.ApproveReqs, n.ApprovePlan = orchestration.WorkspaceWorktree, false, false
	p := create(t, n)
	p.do(orchestration.RequirementsSet{Run: p.at("requirements", orchestration.ChaosWhisperer).ID, Requirements: requirements()})
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.ChangeRequested{Text: "in blue, too"})
	p.at("baseline", orchestration.Ward) // a change does not concern the base
	p.do(orchestration.RequirementsSet{Run: p.at("requirements", orchestration.ChaosWhisperer).ID, Requirements: requirements()})
	p.complete("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.PlanDrafted{Run: p.at("plan", orchestration.PathSeeker).ID, Draft: plan(step("a"))})
	p.complete("plan", orchestration.PathSeeker)
	p.stage("a", orchestration.StageWaiting)
	p.ward("baseline", orchestration.EndWardPassed)
	p.stage("a", orchestration.StageReady)
}

// The checks of bases have a bound of their own, and the oldest comes first.
func TestBaseline_ofManyQuests_areCheckedInTurn(t *testing.T) {
	t.Parallel()
	var quests []*orchestration.Quest
	for _, id := range []string{"one", "two", "six"} {
		n := newQuest()
		n.ID, n.Workspace = id, orchestration.WorkspaceWorktree
		quests = append(quests, create(t, n).q)
	}
	if got := orchestration.Assign(orchestration.Pool{Now: epoch, Slots: 1, Checks: 2, Quests: quests}); len(got) != 3 || got[0].Slot+got[1].Slot != 0 || got[2].Slot != 1 {
		t.Errorf("%+v", got)
	}
}

// An older version checked the base for the plan, when the steps were to begin.
func TestBaseline_ofAQuestOfAnOlderVersion_endsAsItBegan(t *testing.T) {
	t.Parallel()
	for _, change := range []bool{false, true} {
		p := onBase(t, step("a"))
		q, r, old := *p.q, *p.q.Run(p.q.Step("baseline").Run), *p.q.Step("plan")
		r.Step, old.Run, old.Stage = "plan", r.ID, orchestration.Ward.Stage()
		q.Runs, q.Whole[1], q.Whole[3] = orchestration.TableOf(&r), &old, nil
		orchestration.CarryOver(&q)
		p.q = orchestration.Restore(&q)
		p.check()
		if change {
			p.at("plan", orchestration.Ward)
			p.do(orchestration.ChangeRequested{Text: "in blue"})
			p.stage("plan", orchestration.StageWaiting)
			if p.q.Baseline != orchestration.BaselineOff {
				t.Errorf("baseline %q", p.q.Baseline)
			}
			continue
		}
		p.ward("plan", orchestration.EndWardPassed)
		p.stage("a", orchestration.StageReady)
		p.stage("plan", orchestration.StageDone)
	}
}

// The trees of the first agent and of the base need the same set-up. Once the user has
// mended it, one Retry is for both.
func TestBaseline_oneRetryIsForEveryQuestWideStepThatTheSetUpBlocked(t *testing.T) {
	t.Parallel()
	for _, pressed := range []string{"requirements", "baseline"} {
		n := newQuest()
		n.Workspace = orchestration.WorkspaceWorktree
		p := create(t, n)
		broken := orchestration.Exit{Why: "exit 1", Code: 1}
		p.do(orchestration.RunExited{Run: p.at("requirements", orchestration.ChaosWhisperer).ID, End: orchestration.EndSetupFailed, Exit: broken})
		p.do(orchestration.RunExited{Run: p.at("baseline", orchestration.Ward).ID, End: orchestration.EndSetupFailed, Exit: broken})
		p.do(orchestration.RetryPressed{Step: pressed, Instructions: "the package is there now"})
		p.at("requirements", orchestration.ChaosWhisperer)
		p.at("baseline", orchestration.Ward)
		for _, s := range p.q.Whole {
			if told := len(s.Instructions); told > 0 != (s.ID == pressed) {
				t.Errorf("%s was pressed, and %s has %d instructions", pressed, s.ID, told)
			}
		}
	}
}

// Each step of the plan has its own Retry, and so has what something else blocked.
func TestBaseline_aRetryIsForNoOtherBlock(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Workspace = orchestration.WorkspaceWorktree
	p := create(t, n)
	p.do(orchestration.RunExited{Run: p.at("requirements", orchestration.ChaosWhisperer).ID, End: orchestration.EndSetupFailed, Exit: orchestration.Exit{Why: "exit 1", Code: 1}})
	p.ward("baseline", orchestration.EndWardBroke)
	p.do(orchestration.RetryPressed{Step: "requirements"})
	if b := p.q.Step("baseline"); b.Hold != orchestration.HoldBlocked || b.Block.Kind != orchestration.BlockWardBroke {
		t.Errorf("the check could not run, and it is %q now", b.Hold)
	}
	p = onBase(t, step("a"), step("b"))
	p.ward("baseline", orchestration.EndWardPassed)
	for _, id := range []string{"a", "b"} {
		p.do(orchestration.RunExited{Run: p.at(id, orchestration.Codeweaver).ID, End: orchestration.EndSetupFailed, Exit: orchestration.Exit{Why: "exit 1", Code: 1}})
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	if p.q.Step("b").Hold != orchestration.HoldBlocked {
		t.Error("a was retried, and b, too")
	}
}

// An older version did not reserve the id. A step of such a plan is worked on like any
// other: in a slot, with comments, to its merge.
func TestBaseline_aStepOfAnOlderPlanWithThatID_isAStepLikeAnyOther(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Workspace, n.Ward, n.Plan = orchestration.WorkspaceWorktree, "", &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a"), step("b", "a")}}
	p := create(t, n)
	q, a, b := *p.q, *p.q.Step("a"), *p.q.Step("b")
	a.ID, b.DependsOn, q.Ward = "baseline", []string{"baseline"}, "make test"
	q.Steps = orchestration.TableOf(&a, &b)
	p.q = orchestration.Restore(&q)
	p.check()

	p.complete("baseline", orchestration.Codeweaver)
	if r := p.at("baseline", orchestration.Ward); p.q.ChecksBase(r) {
		t.Errorf("its check has the slot %d, as a check of the base has", r.Slot)
	}
	p.do(commentsOn("baseline", "why?"))
	p.ward("baseline", orchestration.EndWardPassed)
	p.complete("baseline", orchestration.Spiritmender)
	p.ward("baseline", orchestration.EndWardPassed)
	p.complete("baseline", orchestration.Siegemaster)
	p.ward("baseline", orchestration.EndWardPassed)
	p.merges("baseline", orchestration.MergeMerged)
	p.good("b")
	p.merges("b", orchestration.MergeMerged)
	p.reviewed()
}
