package orchestration

import (
	"fmt"
	"slices"
	"strconv"
)

// Baseline is the result of the check on the tree that the first steps start from
// (worktree mode). Faults found there are old.
type Baseline string

const (
	BaselineOff      Baseline = ""         // not checked: a shared tree, or no check command
	BaselinePending  Baseline = "pending"  // steps wait until the result is known
	BaselineGreen    Baseline = "green"    // ward passed
	BaselineRed      Baseline = "red"      // ward failed: Spiritmender is told which faults are old
	BaselineAccepted Baseline = "accepted" // red, and steps are not blamed for the old faults
)

// Baselines lists the values of a base that is checked: all but BaselineOff.
var Baselines = []Baseline{BaselinePending, BaselineGreen, BaselineRed, BaselineAccepted}

// checkBase lets ward check the base, once, beside everything else. Without it, or once its
// result is known, the steps may start.
func (e *edit) checkBase() {
	if e.q.Workspace != WorkspaceWorktree || blank(e.q.Ward) || e.q.Baseline != BaselineOff || e.q.anyStarted() || e.q.namesBaseline() {
		return
	}
	e.q.Baseline = BaselinePending
	e.queue(Launch{Role: Ward, Step: StepBaseline, Start: StartFresh})
}

// namesBaseline reports whether a step of the plan has the id of ours: an older version
// did not reserve it. Such a quest does without the check of its base.
func (q *Quest) namesBaseline() bool {
	_, is := q.index.byID[StepBaseline]
	return is
}

// startSteps lets the first steps start, once the result on the base is known.
func (e *edit) startSteps() {
	e.checkBase()
	e.wakeAll()
	e.finishSteps() // a re-plan may leave nothing to do
}

// baseStep returns the step for which ward checks the base while that is pending. In an
// older version it was the plan.
func (q *Quest) baseStep() string {
	if q.Step(StepBaseline).Run == "" {
		return StepPlan
	}
	return StepBaseline
}

// asksBaseline reports whether this run of ward checks the base.
func (q *Quest) asksBaseline(r *Run) bool {
	return r.Role == Ward && q.Baseline == BaselinePending && r.Step == q.baseStep()
}

// ChecksBase reports whether the run checks the base, before the first step. A step of the
// plan with the same id is checked like any other.
func (q *Quest) ChecksBase(r *Run) bool {
	return r.Role == Ward && r.Step == StepBaseline && q.Step(r.Step).Whole()
}

// baselineKnown records the result of the check on the base. Now the steps may start.
func (e *edit) baselineKnown(r *Run, f RunExited) {
	e.touched = true
	e.q.BaselineRun = r.ID
	if f.End == EndWardPassed {
		e.q.Baseline = BaselineGreen
		e.event(EventBaselinePassed, r.Step, r.ID, "why", f.Exit.Why)
	} else {
		e.q.Baseline = BaselineRed
		e.q.KnownFaults, e.reqs = slices.Clone(f.Exit.Faults), true
		e.event(EventBaselineFailed, r.Step, r.ID, "why", f.Exit.Why, "known", strconv.Itoa(len(e.q.KnownFaults)))
	}
	e.step(r.Step).Stage = StageDone
	e.release(r.Step)
	if e.q.Phase == PhaseSteps {
		e.startSteps()
	}
}

// mayAccept refuses to accept faults that nobody could tell from new ones. Otherwise
// every later failure would count as old.
func (q *Quest) mayAccept() error {
	switch {
	case q.Baseline == BaselineAccepted:
		return errRepeat
	case q.Baseline != BaselineRed:
		return conflict("there is nothing to accept: the check does not fail on the base")
	case len(q.KnownFaults) == 0:
		return conflict("the check's output does not list what fails on the base (or lists too much), so old failures cannot be told from " +
			"new ones: make the check print one line for each failure")
	}
	return nil
}

// acceptBaseline records that the user does not want the steps to mend the old faults.
func (e *edit) acceptBaseline() {
	e.q.Baseline, e.touched = BaselineAccepted, true
	e.event(EventBaselineAccepted, "", e.q.BaselineRun, "known", strconv.Itoa(len(e.q.KnownFaults)))
}

// onlyOld reports whether ward failed only because of accepted old faults.
func (q *Quest) onlyOld(x Exit) bool {
	if q.Baseline != BaselineAccepted || len(x.Faults) == 0 || x.Code != q.Run(q.BaselineRun).ExitCode {
		return false
	}
	for _, fault := range x.Faults {
		if !slices.Contains(q.KnownFaults, fault) {
			return false
		}
	}
	return true
}

// oldFaults describes a failed check that counts as passed, because all its faults are
// old.
func oldFaults(x Exit) string {
	return fmt.Sprintf("has only failures of the base (%s, accepted by the user)", count(len(x.Faults), "known fault", "known faults"))
}

// forgetBaseline drops the result after the check command has changed, because another
// check finds other faults. If no step may start yet, the new one takes its place.
func (e *edit) forgetBaseline() {
	if e.q.Baseline == BaselinePending {
		return
	}
	e.q.Baseline, e.q.BaselineRun, e.q.KnownFaults, e.reqs = BaselineOff, "", nil, true
	if e.q.Phase == PhaseRequirements || e.q.Phase == PhasePlan {
		e.checkBase()
	}
}

// dropBaseline drops a pending check of the base when no step is left to start from the
// base.
func (e *edit) dropBaseline() {
	if e.q.Baseline != BaselinePending {
		return
	}
	step := e.q.baseStep()
	e.drop(step, "no step is left to start")
	e.q.Baseline = BaselineOff
	e.step(step).Stage = StageDone
	e.release(step)
}

// dropOldBaseline drops the check of an older version, which belongs to the plan, before
// the plan is made again.
func (e *edit) dropOldBaseline() {
	if e.q.Baseline == BaselinePending && e.q.baseStep() == StepPlan {
		e.dropBaseline()
	}
}

// carryOverBaseline gives a quest of an older version the step for the check of its base.
func (q *Quest) carryOverBaseline() {
	if at := slices.Index(QuestWideSteps, StepBaseline); q.Whole[at] == nil {
		q.Whole[at] = newWhole(StepBaseline)
	}
}
