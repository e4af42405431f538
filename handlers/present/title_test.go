package present_test

import (
	"testing"

	"questboard/handlers/present"
	"questboard/orchestration"
)

// The quest-wide steps have names of their own. A plan of an older version may have a step
// with the id of the check of the base, and that step keeps its title.
func TestATitleIsThatOfTheStep(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]orchestration.Step{
		"Requirements":      {PlanStep: orchestration.PlanStep{ID: "requirements"}, N: -1},
		"Check of the base": {PlanStep: orchestration.PlanStep{ID: "baseline"}, N: -1},
		"Draw the line":     {PlanStep: orchestration.PlanStep{ID: "baseline", Title: "Draw the line"}, N: 2},
		"pea":               {PlanStep: orchestration.PlanStep{ID: "pea"}},
	} {
		if got := present.StepTitle(&s); got != want {
			t.Errorf("%s: %q", want, got)
		}
	}
}
