package handlerstest

import (
	"fmt"

	"questboard/orchestration"
)

// Wide begins a quest of n steps for tests with many cards. One in ten is done, and
// twenty run. It returns the running steps.
func Wide(e *Engine, n int) (*Party, []string) {
	p := Begin(e, fmt.Sprintf("A quest of %d steps", n))
	run := p.Start(orchestration.StepRequirements)
	p.submit("chaoswhisperer", orchestration.RequirementsSet{Run: run, Requirements: Requirements})
	p.Signal(orchestration.StepRequirements, orchestration.Signal{Kind: orchestration.Complete, Summary: "Two requirements."})
	p.submit("user", orchestration.GateDecided{Gate: orchestration.StepRequirements, Approve: true})
	run = p.Start(orchestration.StepPlan)
	var steps []orchestration.PlanStep
	for i := range n {
		s := step(fmt.Sprintf("step-%d", i), fmt.Sprintf("Carry part %d of the ledger over to the new table", i))
		if i%10 == 9 {
			s.DependsOn = []string{fmt.Sprintf("step-%d", i-1), fmt.Sprintf("step-%d", i-2)}
		}
		if i == 0 {
			s = covering(s, "o1", "o2", "o3")
		}
		steps = append(steps, s)
	}
	p.submit("pathseeker", orchestration.PlanDrafted{Run: run, Draft: orchestration.PlanDraft{Steps: steps}})
	p.Signal(orchestration.StepPlan, orchestration.Signal{Kind: orchestration.Complete, Summary: "Many steps."})
	p.submit("user", orchestration.GateDecided{Gate: orchestration.StepPlan, Approve: true})
	for i := 0; i < n; i += 10 {
		step := steps[i].ID
		p.Complete(step, "written")
		p.Ward(step, orchestration.EndWardPassed, "passed in 12 s")
		p.Complete(step, "tested at its edges")
		p.Ward(step, orchestration.EndWardPassed, "passed again")
	}
	var busy []string
	for i := 1; i < n && len(busy) < 20; i += 10 {
		p.Engine.Say(p.Start(steps[i].ID), "Read ledger.go")
		busy = append(busy, steps[i].ID)
	}
	return p, busy
}
