package orchestration_test

import (
	"errors"
	"strings"
	"testing"

	"questboard/orchestration"
)

func TestSize_isSaidBeforeAnythingElse_andOnlyByChaosWhisperer(t *testing.T) {
	t.Parallel()
	p := sized(t, orchestration.SizeAuto, false)
	r := p.at("requirements", orchestration.ChaosWhisperer)
	complete := orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "requirements", Summary: "s"}}
	for _, f := range []orchestration.InputKind{orchestration.RequirementsSet{Run: r.ID, Requirements: asking("o1")}, complete} {
		if err := p.try(f); err == nil || !strings.Contains(err.Error(), "set-size") {
			t.Errorf("%T before a size: %v", f, err)
		}
	}
	for field, f := range map[string]orchestration.SizeSet{
		"size":   {Run: r.ID, Size: "tiny", Reason: "r"},
		"reason": {Run: r.ID, Size: orchestration.SizeQuick, Reason: " "},
	} {
		var refused *orchestration.Error
		if err := p.try(f); !errors.As(err, &refused) || refused.Fields[field] == "" {
			t.Errorf("%+v: %v", f, err)
		}
	}
	if err := p.try(orchestration.SizeSet{Run: r.ID, Size: orchestration.SizeAuto, Reason: "r"}); err == nil {
		t.Error("auto is said")
	}
	p.says(orchestration.SizeQuick, "two files")
	version := p.q.Version
	if p.says(orchestration.SizeQuick, "in other words"); p.q.Version != version {
		t.Error("a repeat changed something")
	}
	p.says(orchestration.SizeFull, "more than I thought")
	p.says(orchestration.SizeErrand, "less than I thought")
	p.complete("requirements", orchestration.ChaosWhisperer)
	worker := p.at("errand", orchestration.Codeweaver)
	if p.try(orchestration.SizeSet{Run: worker.ID, Size: orchestration.SizeFull, Reason: "r"}) == nil {
		t.Error("Codeweaver says a size")
	}
}

// A person's choice wins, until work has begun any, and then a larger one.
func TestSize_ofAPerson_wins(t *testing.T) {
	t.Parallel()
	p := sized(t, orchestration.SizeQuick, false)
	p.says(orchestration.SizeErrand, "one line")
	if p.q.Size != orchestration.SizeQuick {
		t.Errorf("the agent made it %s", p.q.Size)
	}
	r := p.at("requirements", orchestration.ChaosWhisperer)
	if err := p.try(orchestration.RequirementsSet{Run: r.ID, Requirements: asking("o1", "o2", "o3", "o4")}); err == nil {
		t.Error("four observables in a quick quest")
	}
	p.do(orchestration.RequirementsSet{Run: r.ID, Requirements: asking("o1")})
	p.do(orchestration.SizeChosen{Size: orchestration.SizeErrand})
	if p.q.Phase != orchestration.PhaseSteps || len(p.q.Requirements) != 1 {
		t.Fatalf("%s, %d requirements", p.q.Phase, len(p.q.Requirements))
	}
	p.do(orchestration.SizeChosen{Size: orchestration.SizeQuick})
	p.phase(orchestration.PhaseRequirements)
	p.do(orchestration.SizeChosen{Size: orchestration.SizeErrand})
	p.at("errand", orchestration.Codeweaver)
	p.do(orchestration.SizeChosen{Size: orchestration.SizeFull})
	p.phase(orchestration.PhaseRequirements)
	if err := p.try(orchestration.SizeChosen{Size: orchestration.SizeErrand}); orchestration.CodeOf(err) != orchestration.CodeConflict {
		t.Errorf("it shrinks: %v", err)
	}
	if err := p.try(orchestration.SizeChosen{Size: "huge"}); err == nil {
		t.Error("an unknown size is taken")
	}
}

func TestSize_ofAPlanOfOnesOwn_isFull(t *testing.T) {
	t.Parallel()
	for size, taken := range map[orchestration.Size]bool{"": true, orchestration.SizeAuto: true, orchestration.SizeFull: true, orchestration.SizeErrand: false, orchestration.SizeQuick: false} {
		n := newQuest()
		n.Size, n.Plan = size, &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a")}}
		tr, err := orchestration.Create(n)
		if (err == nil) != taken || taken && tr.Quest.Size != orchestration.SizeFull {
			t.Errorf("%q: %v", size, err)
		}
	}
	if p := withSteps(t, step("a")); len(p.q.SizesPossible()) > 0 {
		t.Errorf("%v are offered", p.q.SizesPossible())
	}
}

// What was stored for a larger size does not pass as quick.
func TestQuick_requirementsOfALargerSizeAreRefused(t *testing.T) {
	t.Parallel()
	p := sized(t, orchestration.SizeAuto, false)
	p.says(orchestration.SizeFull, "large")
	r := p.at("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.RequirementsSet{Run: r.ID, Requirements: asking("o1", "o2", "o3", "o4")})
	p.says(orchestration.SizeQuick, "smaller")
	err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "requirements", Summary: "s"}})
	if err == nil || !strings.Contains(err.Error(), "r1 has 4 observables") || !strings.Contains(err.Error(), "set-size with full") {
		t.Errorf("%v", err)
	}
	p.do(orchestration.SizeChosen{Size: orchestration.SizeFull})
	p.do(orchestration.SizeChosen{Size: orchestration.SizeQuick})
	if err := p.try(orchestration.RequirementsSet{Run: r.ID, Requirements: asking("o1", "o2", "o3", "o4")}); err == nil || strings.Contains(err.Error(), "set-size") {
		t.Errorf("the remedy does nothing: %v", err)
	}
}
