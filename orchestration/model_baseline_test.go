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

// checkedAgain: nothing counts that the old check command found, and what it still checks or
// has let into the merge queue is checked by the new one.
func (m *model) checkedAgain(prev, q *orchestration.Quest) error {
	if q.GreenTree != "" || q.Baseline != orchestration.BaselinePending && q.Baseline != orchestration.BaselineOff || q.KnownFaults != nil {
		return fmt.Errorf("after another check command the tree %q is green, and the baseline %s: %v", q.GreenTree, q.Baseline, q.KnownFaults)
	}
	for _, r := range prev.OpenRuns() {
		if r.Role != orchestration.Ward || !r.Live() || r.Stopping != "" || m.allows[r.ID] {
			continue
		}
		if q.Run(r.ID).Stopping != orchestration.OutcomeInterrupted {
			return fmt.Errorf("%s runs the old check command", r.ID)
		}
		if err := newest(q, r.Step, orchestration.Ward, r.ReturnTo); err != nil {
			return err
		}
	}
	for _, id := range prev.Merging {
		s := prev.Step(id)
		if s.Stage != orchestration.StageMerge || s.Hold != orchestration.HoldNone {
			continue
		}
		if err := newest(q, id, orchestration.Ward, ""); err != nil || slices.Contains(q.Merging, id) {
			return fmt.Errorf("%s waits to be merged without the new check: %v, %w", id, q.Merging, err)
		}
	}
	return nil
}
