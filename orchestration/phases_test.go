package orchestration_test

import (
	"testing"

	"questboard/orchestration"
)

func requirements() []orchestration.Requirement {
	return []orchestration.Requirement{{ID: "r1", Context: "a visitor", Observables: []orchestration.Observable{{ID: "o1", Text: "can log in"}}}}
}

func TestPhasesOfAQuest_fromRequestToComplete(t *testing.T) {
	t.Parallel()
	p := create(t, newQuest())
	r := p.at("requirements", orchestration.ChaosWhisperer)
	p.do(orchestration.RequirementsSet{Run: r.ID, Requirements: requirements()})
	p.complete("requirements", orchestration.ChaosWhisperer)
	if !p.q.Locked {
		t.Fatal("the requirements are not locked")
	}
	r = p.at("plan", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("a"), step("b", "a")}}})
	p.complete("plan", orchestration.PathSeeker)
	p.stage("b", orchestration.StageWaiting)
	p.stepThrough("a")
	p.stage("a", orchestration.StageDone)
	p.stepThrough("b")
	if p.q.Phase != orchestration.PhaseReview {
		t.Fatalf("phase %s", p.q.Phase)
	}
	p.reviewed()
	if p.q.Phase != orchestration.PhaseComplete || p.q.Status(nil) != orchestration.StatusComplete {
		t.Fatalf("phase %s, status %s", p.q.Phase, p.q.Status(nil))
	}
}
