package orchestration

import "encoding/json"

// Written is the document behind a gate: the requirements, or the steps of the plan.
type Written struct {
	Requirements []Requirement `json:"requirements,omitempty"`
	Steps        []PlanStep    `json:"steps,omitempty"`
	Review       []string      `json:"review,omitempty"`
	Uncovered    []Uncovered   `json:"uncovered,omitempty"`
}

// Written returns what a quest-wide step has written. For the plan that is the draft
// that waits for approval.
func (q *Quest) Written(step string) Written {
	if step == StepRequirements {
		return Written{Requirements: q.Requirements}
	}
	for n := q.Runs.Len() - 1; step == StepPlan && n >= 0; n-- {
		if r := q.Runs.At(n); r.Step == StepPlan && r.Draft != nil {
			return Written{Steps: r.Draft.Steps, Review: r.Draft.Review, Uncovered: r.Draft.Uncovered}
		}
	}
	return Written{}
}

// document returns Written as JSON for the history. A document that is sent back gets
// replaced, and a reader may want to compare the versions.
func (q *Quest) document(step string) string {
	text, err := json.Marshal(q.Written(step))
	if err != nil {
		return "" // cannot fail: only texts and numbers
	}
	return string(text)
}
