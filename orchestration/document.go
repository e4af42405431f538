package orchestration

import "encoding/json"

// Written is what stands behind a gate: the requirements, or the steps of the
// plan.
type Written struct {
	Requirements []Requirement `json:"requirements,omitempty"`
	Steps        []PlanStep    `json:"steps,omitempty"`
}

// Written returns what a line of the whole quest has written: of the plan, the
// draft that waits for approval.
func (q *Quest) Written(line string) Written {
	if line == LineRequirements {
		return Written{Requirements: q.Requirements}
	}
	for n := q.Runs.Len() - 1; line == LinePlan && n >= 0; n-- {
		if r := q.Runs.At(n); r.Line == LinePlan && r.Draft != nil {
			return Written{Steps: r.Draft.Steps}
		}
	}
	return Written{}
}

// document is Written for the history: what is sent back is replaced, and
// whoever reads the next version wants to see what became of it.
func (q *Quest) document(line string) string {
	text, err := json.Marshal(q.Written(line))
	if err != nil {
		return "" // texts and numbers cannot fail
	}
	return string(text)
}
