package orchestration_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

func TestPlan_theSameStepTwiceInAReSplit_isRefused(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b", "a"), step("c", "b"))
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, false)
	r := p.at("a", orchestration.PathSeeker)
	err := p.try(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("b", "a"), step("b", "c")}}})
	if err == nil || !strings.Contains(err.Error(), "b: the id is used twice") {
		t.Fatalf("the second b would build the cycle b -> c -> b, have %v", err)
	}
}

// A request has at most 1 MiB. The answer to a bad one must not have a gigabyte.
func TestPlan_aHostileOneGetsAShortAnswer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<18)
	var knot, files []orchestration.PlanStep
	for i := range 3000 {
		s := step(fmt.Sprintf("s%d", i), fmt.Sprintf("s%d", (i+1)%3000))
		if i == 2999 {
			for j := range 2999 {
				s.DependsOn = append(s.DependsOn, fmt.Sprintf("s%d", j))
			}
		}
		knot = append(knot, s)
	}
	worst := orchestration.PlanStep{ID: long, Title: " ", Minutes: -1}
	for range 2000 {
		worst.Files, worst.DependsOn = append(worst.Files, ".."), append(worst.DependsOn, "lost")
	}
	files = append(files, worst, worst)
	for name, steps := range map[string][]orchestration.PlanStep{"a knot of cycles": knot, "a huge id with many faults": files} {
		n := newQuest()
		n.Plan = &orchestration.OwnPlan{Steps: steps, Requirements: []orchestration.Requirement{{ID: long, Observables: make([]orchestration.Observable, 2000)}}}
		_, err := orchestration.Create(n)
		if err == nil || len(err.Error()) > 1<<17 {
			t.Errorf("%s: an answer of %d bytes", name, len(fmt.Sprint(err)))
		}
	}
}

// The caller of Apply may change its lists afterwards.
func TestInputs_areCopied(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a"), step("b", "a")}, Requirements: requirements()}
	p := create(t, n)
	n.Plan.Steps[1].DependsOn[0], n.Plan.Steps[0].Files[0], n.Plan.Requirements[0].Observables[0].Text = "zzz", "zzz", "zzz"
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, false)
	r := p.at("a", orchestration.PathSeeker)
	draft := orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("new", "b")}}
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: draft})
	draft.Steps[0].ID, draft.Steps[0].DependsOn[0] = "zzz", "zzz"
	files, deps, observables := []string{"b.go"}, []string{"a"}, []string{"o1"}
	p.do(orchestration.StepEdited{Step: "b", Files: &files, DependsOn: &deps, Observables: &observables})
	files[0], deps[0], observables[0] = "zzz", "zzz", "zzz"
	s := orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: "a", TargetRole: orchestration.Codeweaver, Reason: "r", Context: "c", Resume: new(bool)}
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: s})
	*s.Resume = true
	denied := []string{"Bash"}
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Denied: denied}})
	denied[0] = "zzz"
	if text := fingerprint(p.q); strings.Contains(text, "zzz") || *p.q.Run(r.ID).Signal.Resume {
		t.Error("a list of the caller is part of the quest")
	}
	fresh := create(t, newQuest())
	reqs := requirements()
	c := fresh.at("requirements", orchestration.ChaosWhisperer)
	fresh.do(orchestration.RequirementsSet{Run: c.ID, Requirements: reqs})
	reqs[0].Context, reqs[0].Observables[0].Text = "zzz", "zzz"
	if strings.Contains(fingerprint(fresh.q), "zzz") {
		t.Error("the caller's requirements are part of the quest")
	}
}

// The plan has ten layers of eight steps. Each step depends on all steps of the layer
// before, so a search that forgets what it has visited would take 8^10 steps.
func TestFiles_undeclaredOnesInADenseGraph_costLittle(t *testing.T) {
	t.Parallel()
	var steps []orchestration.PlanStep
	for layer := range 16 {
		for i := range 8 {
			s := step(fmt.Sprintf("l%d-%d", layer, i))
			for j := range 8 {
				if layer > 0 {
					s.DependsOn = append(s.DependsOn, fmt.Sprintf("l%d-%d", layer-1, j))
				}
			}
			steps = append(steps, s)
		}
	}
	p := inWorktrees(t, append(steps, step("alone"))...)
	p.slots = 64
	r := p.at("alone", orchestration.Codeweaver)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "alone", Summary: "s"}})
	done := make(chan error, 1)
	q, now := p.q, p.now
	go func() {
		_, err := orchestration.Apply(q, orchestration.Input{At: now, Kind: orchestration.RunExited{Run: r.ID, End: orchestration.EndClean,
			Exit: orchestration.Exit{Changed: []string{"l15-7.go"}}}})
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("still walking after 20 s")
	}
}
