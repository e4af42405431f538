package present_test

import (
	"testing"

	"questboard/handlers/present"
	"questboard/orchestration"
)

// A step and an observable may have the same id. The one is no change of the other.
func TestAnObservableThatThePlanLeavesOutIsNoChangeOfAStepWithItsId(t *testing.T) {
	t.Parallel()
	plan := orchestration.Written{Steps: []orchestration.PlanStep{{ID: "link-expires", Title: "Links end", Description: "After a day."}}}
	with := plan
	with.Uncovered = []orchestration.Uncovered{{Observable: "link-expires", Why: "a later quest does it"}}
	for name, c := range map[string]struct {
		old, new orchestration.Written
		kind     string
	}{"added": {plan, with, "Added"}, "removed": {with, plan, "Removed"}} {
		changes := present.DocumentChanges(c.old, c.new)
		if len(changes) != 1 || changes[0].Kind != c.kind || len(changes[0].Parts) != 1 || changes[0].Parts[0].Name != "Left out by the plan" {
			t.Errorf("%s: %+v", name, changes)
		}
	}
}
