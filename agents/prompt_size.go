package agents

import (
	"slices"

	"questboard/orchestration"
)

// sizeFacts are what a prompt tells about the size of its quest.
type sizeFacts struct {
	Size orchestration.Size
	// SizeReason is why an earlier run of ChaosWhisperer said this size; "": it did not.
	SizeReason string
	SizeGate   bool // a person decides whether an errand begins
	Errand     bool // the quest is an errand
	OnErrand   bool // the run works on its one step
	Unreviewed bool // no review has begun, and none follows unless the person asks for it

	Grew       bool   // the change of the requirements is an errand that became a larger quest
	GrewBy     string // the role that asked for it; "": a person
	GrewBranch string // worktree mode: where its work lies
}

func sizeOf(q *orchestration.Quest, r *orchestration.Run) sizeFacts {
	f := sizeFacts{
		Size: q.Size, SizeGate: gated(q), Errand: q.Errand(), OnErrand: q.Errand() && r.Step == orchestration.StepErrand,
		Unreviewed: q.Errand() && q.Step(orchestration.StepReview).Run == "",
	}
	if by := q.Run(q.SizedBy); by != nil && by.Role == r.Role {
		f.SizeReason = q.SizeReason
	}
	if n := len(q.Changes); n > 0 && q.Changing() && q.Changes[n-1].Grew != "" {
		last := q.Changes[n-1]
		f.Grew, f.GrewBranch = true, q.StepBranch(last.Grew)
		if role := orchestration.Role(last.By); role.Agent() {
			f.GrewBy = role.Name()
		}
	}
	return f
}

// gated reports whether a person confirms what is written before work begins.
func gated(q *orchestration.Quest) bool {
	return q.GateRequirements != orchestration.GateOff || q.GatePlan != orchestration.GateOff
}

// grewFrom returns the errand that became this quest, or nil.
func grewFrom(q *orchestration.Quest) *orchestration.Step {
	for _, c := range slices.Backward(q.Changes) {
		if c.Grew != "" {
			return stepOf(q, c.Grew)
		}
	}
	return nil
}
