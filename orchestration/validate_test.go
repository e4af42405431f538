package orchestration_test

import (
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

// The placeholder of a damaged quest refuses every input, and says what to do.
func TestADamagedQuestRefusesEverything(t *testing.T) {
	t.Parallel()
	for _, over := range []bool{false, true} {
		q := orchestration.Placeholder(&orchestration.Quest{ID: "quest", Version: 7}, over, "a page is torn")
		if q.Over() != over || q.Status(nil) != orchestration.StatusDamaged || q.Version != 7 || q.Title != "quest" {
			t.Errorf("it stands in as %+v", q)
		}
		if why := q.Why(time.Now(), nil); !strings.Contains(why, "a page is torn") || !strings.Contains(why, "questboard export -from BACKUP quest") {
			t.Errorf("why: %s", why)
		}
		for _, f := range []orchestration.InputKind{orchestration.PausePressed{}, orchestration.ResumePressed{}, orchestration.AbandonPressed{},
			orchestration.RunExited{Run: "quest-r1"}, orchestration.SlotGranted{}} {
			tr, err := orchestration.Apply(q, orchestration.Input{At: time.Now(), Actor: "user", Kind: f})
			if orchestration.CodeOf(err) != orchestration.CodeConflict || !tr.Empty() {
				t.Errorf("%T: %v", f, err)
			}
		}
		if err := orchestration.ValidateLoaded(q); err != nil {
			t.Errorf("the stand-in itself: %v", err)
		}
	}
}

// Only a damaged disk can have steps that depend on each other in a ring. Loading them
// must end, although the longest chain of such steps has no end.
func TestARingOfStepsIsLoaded(t *testing.T) {
	t.Parallel()
	ring := func(id, dep string) *orchestration.Step {
		return &orchestration.Step{PlanStep: orchestration.PlanStep{ID: id, DependsOn: []string{dep}}, Stage: orchestration.StageWaiting}
	}
	q := orchestration.Restore(&orchestration.Quest{ID: "quest", Steps: orchestration.TableOf(ring("a", "b"), ring("b", "a"), ring("c", "c"))})
	if q.Step("c") == nil {
		t.Error("a step is lost")
	}
}
