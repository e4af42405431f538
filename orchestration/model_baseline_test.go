package orchestration_test

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// What the model knows of the check of the base.

// baselined checks what follows ward's check of the base: the steps may start.
func baselined(q *orchestration.Quest, f orchestration.RunExited) error {
	want := orchestration.BaselineGreen
	if f.End == orchestration.EndWardFailed {
		want = orchestration.BaselineRed
	}
	if q.Baseline != want || q.BaselineRun != f.Run {
		return fmt.Errorf("the baseline is %q (%s), want %q", q.Baseline, q.BaselineRun, want)
	}
	for _, s := range q.Steps.All() {
		if s.Stage == orchestration.StageWaiting && len(s.DependsOn) == 0 && q.Phase == orchestration.PhaseSteps {
			return fmt.Errorf("%s still waits", s.ID)
		}
	}
	return nil
}

func onlyKnown(q *orchestration.Quest, x orchestration.Exit) bool {
	if len(x.Faults) == 0 || x.Code != q.Run(q.BaselineRun).ExitCode {
		return false
	}
	for _, fault := range x.Faults {
		if !slices.Contains(q.KnownFaults, fault) {
			return false
		}
	}
	return true
}
