package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

// Which steps get a siege, and the siege of the whole work (docs/state-machine.md#sieges).

func risky(s orchestration.PlanStep, risk orchestration.Risk) orchestration.PlanStep {
	if s.Risk = risk; risk != orchestration.RiskNormal {
		s.RiskReason = "because it is " + string(risk)
	}
	return s
}

// risks is a quest with three steps, one of each risk, that carry o1, o2 and o3.
func risks(t *testing.T, siege orchestration.Siege, change ...func(*orchestration.NewQuest)) *player {
	t.Helper()
	n := newQuest()
	n.Siege, n.Plan = siege, asked("o1", "o2", "o3")
	n.Plan.Steps = []orchestration.PlanStep{risky(carrying(step("low"), "o1"), orchestration.RiskLow),
		carrying(step("normal"), "o2"), risky(carrying(step("high"), "o3"), orchestration.RiskHigh)}
	for _, c := range change {
		c(&n)
	}
	return create(t, n)
}

// builds completes Codeweaver and the check of steps that get no siege.
func (p *player) builds(steps ...string) {
	p.t.Helper()
	for _, id := range steps {
		p.complete(id, orchestration.Codeweaver)
		p.ward(id, orchestration.EndWardPassed)
		p.stage(id, orchestration.StageDone)
	}
}

func (p *player) chooses(s orchestration.Siege) {
	p.t.Helper()
	p.do(orchestration.QuestEdited{Siege: &s})
}

// proves lists what the run at work must prove.
func (p *player) proves(role orchestration.Role) string {
	p.t.Helper()
	var ids []string
	for _, o := range p.q.ToProve(p.at("review", role)) {
		ids = append(ids, o.ID)
	}
	return strings.Join(ids, " ")
}

func TestSiege_whichStepsGetOneIsSaidByTheirRiskAndTheQuest(t *testing.T) {
	t.Parallel()
	for mode, besieged := range map[orchestration.Siege]string{"": "normal high", orchestration.SiegeEach: "normal high", orchestration.SiegeRisky: "high", orchestration.SiegeEnd: ""} {
		p := risks(t, mode)
		var owed []string
		for _, s := range p.q.Steps.All() {
			if p.q.OwesSiege(s) {
				owed = append(owed, s.ID)
				p.complete(s.ID, orchestration.Codeweaver)
				p.ward(s.ID, orchestration.EndWardPassed)
				p.complete(s.ID, orchestration.Siegemaster)
				p.ward(s.ID, orchestration.EndWardPassed)
				p.stage(s.ID, orchestration.StageDone)
			} else {
				p.builds(s.ID)
			}
			if s := p.q.Step(s.ID); s.Verdict != p.q.OwesSiege(s) {
				t.Errorf("%q: the verdict on %s is %v", mode, s.ID, s.Verdict)
			}
		}
		if got := strings.Join(owed, " "); got != besieged {
			t.Errorf("%q: %q get a siege, want %q", mode, got, besieged)
		}
	}
}

func TestSiege_withWorktreesAStepWithoutOneIsMergedAfterItsCheck(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEach, func(n *orchestration.NewQuest) { n.Workspace = orchestration.WorkspaceWorktree })
	p.ward(orchestration.StepBaseline, orchestration.EndWardPassed)
	p.complete("low", orchestration.Codeweaver)
	p.ward("low", orchestration.EndWardPassed)
	p.stage("low", orchestration.StageMerge)
	p.do(orchestration.MergeEnded{Step: "low", Outcome: orchestration.MergeUpdated, Files: []string{"x"}, Commit: "c"})
	p.ward("low", orchestration.EndWardPassed)
	p.merges("low", orchestration.MergeMerged)
	p.stage("low", orchestration.StageDone)
}

// The user may want sieges while the step waits to be merged.
func TestSiege_aStepThatGetsOneAfterAllLeavesTheMergeQueueForIt(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEnd, func(n *orchestration.NewQuest) { n.Workspace = orchestration.WorkspaceWorktree })
	p.ward(orchestration.StepBaseline, orchestration.EndWardPassed)
	p.complete("high", orchestration.Codeweaver)
	p.ward("high", orchestration.EndWardPassed)
	p.stage("high", orchestration.StageMerge)
	p.chooses(orchestration.SiegeEach)
	if len(p.q.Merging) > 0 {
		t.Errorf("%v wait to be merged", p.q.Merging)
	}
	p.do(orchestration.MergeEnded{Step: "high", Outcome: orchestration.MergeMerged, Commit: "c"}) // of the merge that was dropped
	p.complete("high", orchestration.Siegemaster)
	p.ward("high", orchestration.EndWardPassed)
	p.merges("high", orchestration.MergeMerged)
}

func TestSiege_codeweaverLeavesItsJobOnlyToASiege(t *testing.T) {
	t.Parallel()
	for mode, want := range map[orchestration.Siege]string{
		orchestration.SiegeEach: "the risk of your step is low", orchestration.SiegeRisky: "the risk of your step is low",
		orchestration.SiegeEnd: "the whole work gets one siege at the end",
	} {
		p := risks(t, mode)
		r := p.at("low", orchestration.Codeweaver)
		hand := func(to orchestration.Role) error {
			return p.try(orchestration.SignalReceived{Run: r.ID, TreeChanged: orchestration.TreeDiffers, Signal: orchestration.Signal{Kind: orchestration.NeedsRoleFollowup,
				StepID: "low", TargetRole: to, Reason: "r", Context: "c", Resume: new(bool)}})
		}
		if err := hand(orchestration.Spiritmender); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "no siege of this step follows") {
			t.Errorf("%s: %v", mode, err)
		}
		if err := hand(orchestration.PathSeeker); err != nil {
			t.Errorf("%s: to PathSeeker: %v", mode, err)
		}
	}
}

func TestSiege_whatAPersonDidByHandIsNeitherProvenByTheReviewNorBesiegedForItself(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEach)
	p.builds("low")
	builder := p.at("normal", orchestration.Codeweaver)
	p.do(orchestration.TakeOverPressed{Step: "normal"})
	p.exit(builder, orchestration.EndInterrupted)
	p.do(orchestration.MarkDonePressed{Step: "normal"})
	p.ward("normal", orchestration.EndWardPassed)
	p.stepThrough("high")
	p.ward("review", orchestration.EndWardPassed)
	if got := p.proves(orchestration.Lawbringer); got != "o1" {
		t.Errorf("Lawbringer proves %q", got)
	}
}

func TestSiege_aPlanWithARiskWithoutAReasonIsRefused_withAllFaultsInOneAnswer(t *testing.T) {
	t.Parallel()
	p, r := planFor(t, "o1")
	bad, low, odd, fine := carrying(step("bad"), "o1"), carrying(step("low")), carrying(step("odd")), carrying(step("fine"))
	bad.Risk, low.Risk, low.RiskReason, odd.Risk, odd.RiskReason, fine.Risk = "high", "low", " ", "deadly", "it is", "normal"
	err := p.try(orchestration.PlanDrafted{Run: r.ID, Draft: plan(bad, low, odd, fine)})
	for _, want := range []string{"bad: the risk is high: say why in riskReason", "low: the risk is low: say why in riskReason",
		`odd: the risk "deadly" is not possible; allowed: low, normal, high`, "3 fault(s)"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the answer: %v", want, err)
		}
	}
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: plan(risky(bad, "high"), risky(low, "low"), fine)})
	n := newQuest()
	n.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{bad}}
	if _, err := orchestration.Create(n); err == nil || !strings.Contains(err.Error(), "say why in riskReason") {
		t.Errorf("a plan of the user's own: %v", err)
	}
}

func TestSiege_noneCannotBeChosen(t *testing.T) {
	t.Parallel()
	for _, siege := range []orchestration.Siege{orchestration.SiegeNone, "all"} {
		n := newQuest()
		n.Siege = siege
		if _, err := orchestration.Create(n); err == nil || !strings.Contains(err.Error(), "siege: each, risky or end") {
			t.Errorf("%s: %v", siege, err)
		}
		p := risks(t, "")
		if err := p.try(orchestration.QuestEdited{Siege: &siege}); err == nil || !strings.Contains(err.Error(), "siege: each, risky or end") {
			t.Errorf("%s: %v", siege, err)
		}
	}
}
