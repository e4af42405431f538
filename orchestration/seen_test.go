package orchestration_test

import (
	"errors"
	"testing"

	"questboard/orchestration"
)

// unseen presses what somebody decided about an earlier state of the step.
func (p *player) unseen(before string, f orchestration.InputKind) {
	p.t.Helper()
	err := p.try(orchestration.AsSeen{Step: "a", State: before, Decision: f})
	var refused *orchestration.Error
	if !errors.As(err, &refused) || refused.Code != orchestration.CodeConflict || refused.Fields["state"] != "it is "+p.q.Step("a").State()+" now" {
		p.t.Errorf("%T about %s, and the step is %s: %v", f, before, p.q.Step("a").State(), err)
	}
}

func TestRetry_ofAStepThatWasTakenOverSince_isRefused(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.do(orchestration.StopPressed{Run: p.at("a", orchestration.Codeweaver).ID})
	blocked := p.q.Step("a").State()
	p.do(orchestration.AsSeen{Step: "a", State: blocked, Decision: orchestration.TakeOverPressed{Step: "a"}})
	p.unseen(blocked, orchestration.RetryPressed{Step: "a"})
	p.unseen(blocked, orchestration.SkipPressed{Step: "a", Reason: "not now"})
	p.hold("a", orchestration.HoldYours)
	p.refused(orchestration.AsSeen{Step: "a", State: blocked, Decision: orchestration.TakeOverPressed{Step: "a"}}, "took a over already")
	p.do(orchestration.AsSeen{Step: "a", State: p.q.Step("a").State(), Decision: orchestration.RetryPressed{Step: "a"}})
}

func TestMarkDone_ofAStepThatAgentsChangedSince_isRefused(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	stop := func() {
		r := p.at("a", orchestration.Codeweaver)
		p.do(orchestration.StopPressed{Run: r.ID})
		p.exit(r, orchestration.EndCrashed)
	}
	stop()
	blocked := p.q.Step("a").State()
	p.do(orchestration.RetryPressed{Step: "a"})
	stop()
	for _, f := range []orchestration.InputKind{orchestration.MarkDonePressed{Step: "a"}, orchestration.TakeOverPressed{Step: "a"},
		orchestration.ResplitPressed{Step: "a", Reason: "too large"}, orchestration.RetryPressed{Step: "a"}} {
		p.unseen(blocked, f)
	}
	p.do(orchestration.AsSeen{Step: "a", Decision: orchestration.MarkDonePressed{Step: "a"}}) // who names no state means any
	p.at("a", orchestration.Ward)
}

func TestAsSeen_pressedTwice_isARepeat(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	f := orchestration.AsSeen{Step: "a", State: p.q.Step("a").State(), Decision: orchestration.SkipPressed{Step: "a", Reason: "not now"}}
	p.do(f)
	version := p.q.Version
	p.do(f)
	if p.q.Version != version {
		t.Error("the second press changed the quest")
	}
}

func TestOfTwoDecisionsThatReadTheSameVersionTheFirstCounts(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	version := p.q.Version
	mine, other := "mine", "the other's"
	p.do(orchestration.AsRead{Version: version, Decision: orchestration.QuestEdited{Title: &other}})
	err := p.try(orchestration.AsRead{Version: version, Decision: orchestration.QuestEdited{Title: &mine}})
	var refused *orchestration.Error
	if !errors.As(err, &refused) || refused.Code != orchestration.CodeConflict || refused.Fields["version"] == "" || p.q.Title != other {
		t.Errorf("the title is %q after %v", p.q.Title, err)
	}
	p.do(orchestration.AsRead{Version: p.q.Version, Decision: orchestration.QuestEdited{Title: &mine}})
}
