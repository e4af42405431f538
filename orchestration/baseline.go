package orchestration

import (
	"fmt"
	"slices"
	"strconv"
)

// Baseline is what ward said of the tree that the first steps start from
// (worktree mode). What fails there is an old fault.
type Baseline string

const (
	BaselineOff      Baseline = ""         // never asked for: a shared tree, or no check
	BaselinePending  Baseline = "pending"  // no step starts before it is known
	BaselineGreen    Baseline = "green"    // ward passed
	BaselineRed      Baseline = "red"      // ward failed: Spiritmender is told what was known
	BaselineAccepted Baseline = "accepted" // red, and old faults are not blamed on steps
)

// startSteps lets the first steps start: where each has a tree of its own, ward
// looks at the base first. That run belongs to the line plan, whose tree is the
// quest's own.
func (e *edit) startSteps() {
	if e.q.Workspace == WorkspaceWorktree && !blank(e.q.Ward) && e.q.Baseline == BaselineOff {
		e.q.Baseline = BaselinePending
		e.queue(Launch{Role: Ward, Line: LinePlan, Start: StartFresh})
		return
	}
	e.wakeAll()
	e.finishSteps() // a re-plan may leave nothing to do
}

// asksBaseline reports whether a run of ward is the one that looks at the base.
func (q *Quest) asksBaseline(r *Run) bool {
	return r.Role == Ward && r.Line == LinePlan && q.Baseline == BaselinePending
}

// baselineKnown: ward has a verdict on the base, so the steps may start.
func (e *edit) baselineKnown(r *Run, f RunExited) {
	e.touched = true
	e.q.BaselineRun = r.ID
	if f.End == EndWardPassed {
		e.q.Baseline = BaselineGreen
		e.event(EventBaselinePassed, LinePlan, r.ID, "why", f.Exit.Why)
	} else {
		e.q.Baseline = BaselineRed
		e.q.KnownFaults, e.reqs = slices.Clone(f.Exit.Faults), true
		e.event(EventBaselineFailed, LinePlan, r.ID, "why", f.Exit.Why, "known", strconv.Itoa(len(e.q.KnownFaults)))
	}
	e.step(LinePlan).Stage = StageDone
	e.startSteps()
}

// mayAccept needs words by which old faults can be told from new ones: else every
// failure would count as an old one.
func (q *Quest) mayAccept() error {
	switch {
	case q.Baseline == BaselineAccepted:
		return errRepeat
	case q.Baseline != BaselineRed:
		return conflict("there is nothing to accept: the check does not fail on the base")
	case len(q.KnownFaults) == 0:
		return conflict("the check does not say in words what fails on the base (or says too much), so old faults cannot be told from new ones: let it print a line for each")
	}
	return nil
}

// acceptBaseline is the user's word that what fails on the base is nothing that
// the steps should mend.
func (e *edit) acceptBaseline() {
	e.q.Baseline, e.touched = BaselineAccepted, true
	e.event(EventBaselineAccepted, "", e.q.BaselineRun, "known", strconv.Itoa(len(e.q.KnownFaults)))
}

// onlyOld reports whether ward failed over nothing but what fails on the base
// and was accepted.
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

// oldFaults words a pass that is one only because the faults are old.
func oldFaults(x Exit) string {
	return fmt.Sprintf("fails only as the base does (%s, accepted by the user)", count(len(x.Faults), "known fault", "known faults"))
}

// forgetBaseline: another check says other things. Where the old one is being
// asked, the new one is asked instead.
func (e *edit) forgetBaseline() {
	if e.q.Baseline != BaselinePending {
		e.q.Baseline, e.q.BaselineRun, e.q.KnownFaults, e.reqs = BaselineOff, "", nil, true
		return
	}
	if r := e.q.Run(e.q.Line(LinePlan).Run); e.q.asksBaseline(r) && r.Live() && r.Stopping == "" {
		e.endLive(r, OutcomeInterrupted)
		e.queue(r.Launch)
	}
}

// dropBaseline: no step is left that could start from the base.
func (e *edit) dropBaseline() {
	if e.q.Baseline == BaselinePending {
		e.drop(LinePlan, "no step is left to start")
		e.q.Baseline = BaselineOff
		e.step(LinePlan).Stage = StageDone
	}
}
