package orchestration

import (
	"fmt"
	"slices"
	"strings"
)

// wardEnded decides what follows a check.
func (e *edit) wardEnded(r *Run, f RunExited) {
	if r.BeforeMerge() {
		e.beforeMergeEnded(r, f)
		return
	}
	switch f.End {
	case EndWardPassed, EndWardFailed:
		switch {
		case e.q.asksBaseline(r):
			e.baselineKnown(r, f)
		case f.End == EndWardPassed:
			e.wardPassed(r, f)
		case e.q.onlyOld(f.Exit):
			f.Exit.Why = oldFaults(f.Exit)
			e.wardPassed(r, f)
		default:
			e.wardFailed(r, f)
		}
	case EndInterrupted, EndStuck:
		e.queue(r.Launch) // the server or a restart ended the check: run it again
	case EndSetupFailed:
		e.setupFailed(r, f)
	default:
		// Not found, timed out, or killed from outside: an agent could not fix that.
		e.leaveQueue(r.Step)
		e.block(r.Step, BlockWardBroke, "the check could not run: "+f.Exit.Why, r.Launch)
	}
}

func (e *edit) wardPassed(r *Run, f RunExited) {
	step := e.step(r.Step)
	step.Counts.Ward = 0
	checked, reused, none := CheckedPassed, "", ""
	switch {
	case f.End == EndWardFailed:
		checked = CheckedAsBase
	case f.Exit.NoCheck, f.Exit.Tree == "" && blank(e.q.Ward):
		checked, none = CheckedNot, "true"
	case f.Exit.Reused:
		if reused = "true"; step.Checked != "" && step.GreenTree == f.Exit.Tree {
			checked = step.Checked // a reused pass is worth as much as the pass that it reuses
		}
	}
	step.Checked, step.GreenTree, e.q.GreenTree, e.touched = checked, f.Exit.Tree, f.Exit.Tree, true
	e.event(EventWardPassed, r.Step, r.ID, "why", f.Exit.Why, "reused", reused, "none", none)
	back := r.ReturnTo
	if r.Step == StepReview {
		back = e.lookChecked(r, f.Exit.Tree)
	}
	switch {
	case back != "":
		e.queue(e.resumeAfterCheck(back, r))
	case step.Comments != "":
		e.leaveQueue(r.Step)
		e.queue(e.takeComments(r.Step))
	case r.Step == StepReview && (!step.Verdict || e.q.OwesSiegeAtEnd()):
		from, summary := Role(""), ""
		if r.Brief.From == Siegemaster { // who looks next is told what the siege found
			from, summary = r.Brief.From, r.Brief.Summary
		}
		step.StartTree = ""
		e.leaveQueue(r.Step) // an update brought what nobody has looked at
		e.queue(e.nextInReview(from, summary))
	case e.q.good(step) && e.q.Workspace == WorkspaceWorktree:
		e.toMerge(r.Step)
	case r.Step == StepReview:
		e.enter(PhaseComplete)
	case e.q.good(step):
		e.settle(r.Step, StageDone)
	default:
		e.leaveQueue(r.Step) // the user may choose sieges while it waits to be merged
		e.queue(siege(r.Launch))
	}
}

func (e *edit) wardFailed(r *Run, f RunExited) {
	if r.Beside && !r.Alone {
		l := r.Launch
		l.Alone = true
		e.event(EventWardFailed, r.Step, r.ID, "why", f.Exit.Why, "counts", "no: another run could change files, so the check runs again alone")
		e.queue(l)
		return
	}
	e.event(EventWardFailed, r.Step, r.ID, "why", f.Exit.Why)
	e.leaveQueue(r.Step)
	e.mend(Launch{Role: Spiritmender, Step: r.Step, Start: StartFollowup, ReturnTo: r.ReturnTo,
		Brief: Brief{Kind: BriefCheck, From: Ward, Reason: f.Exit.Why, Summary: r.Brief.Summary, Digest: f.Exit.Digest, OutputOf: r.ID,
			Check: &FailedCheck{
				Failing: f.Exit.Failing, More: f.Exit.MoreFailing, Took: f.Exit.Took}}},
		f.Exit.Why)
}

// mend starts Spiritmender, or blocks the step after too many failures in a row. What keeps a
// step from its merge counts like a failed check.
func (e *edit) mend(l Launch, why string) {
	step := e.step(l.Step)
	if step.ByHand != "" {
		e.byHandFailed(l, why)
		return
	}
	if step.Comments != "" { // who mends may as well do what the user asks for
		l.Brief.Comments = step.Comments
		step.Comments = ""
		step.forgetVerdict()
		e.commentsTaken(step)
	}
	step.Counts.Ward++
	failed, what, limit := step.Counts.Ward, "check", e.q.limits().Ward
	if l.Brief.Kind == BriefConflict || l.Brief.Kind == BriefBeforeMerge {
		if step.Counts.Merge++; step.Counts.Merge > failed { // a check passes between two of these
			failed, what = step.Counts.Merge, "merge"
		}
	}
	if l.Brief.Check != nil {
		l.Brief.Check.Time, l.Brief.Check.Limit = step.Counts.Ward, limit
	}
	if failed >= limit && (e.q.Baseline != BaselinePending || l.Brief.Kind != BriefCheck) { // else the base may be at fault
		e.block(l.Step, BlockWard, fmt.Sprintf("the %s failed %d times, and the limit is %d: %s", what, failed, limit, why), l)
		return
	}
	e.queue(l)
}

// setupFailed blocks the step of a run that never started, because the set-up command of
// its new worktree failed. An agent could not fix that.
func (e *edit) setupFailed(r *Run, f RunExited) {
	e.leaveQueue(r.Step)
	if len(f.Exit.Markers) > 0 && r.Role == Ward {
		e.markersLeft(r, r.Launch, f.Exit.Markers)
		return
	}
	if why := f.Exit.Unsaved; why != "" && r.Brief.ByHand { // what a person left in the tree
		why = "the changes could not be committed: " + why
		if e.q.Step(r.Step).ByHand != "" {
			e.byHandFailed(r.Launch, why)
			return
		}
		e.block(r.Step, BlockUnsaved, why, r.Launch)
		return
	}
	e.block(r.Step, BlockSetup, "the set-up command failed: "+f.Exit.Why, r.Launch)
}

// blockUnsaved blocks the step of a run that signalled complete but whose changes could
// not be committed. Otherwise the check would remove them as leftovers, and the step
// would continue without them.
func (e *edit) blockUnsaved(r *Run, why string) {
	check := e.q.checkAfter(r)
	if !r.Role.Writes() || check == nil {
		return // the next run's commit contains the changes
	}
	if check.State == RunQueued {
		e.unqueue(check, "the changes of "+r.Role.Name()+" are not committed")
	}
	e.block(r.Step, BlockUnsaved, fmt.Sprintf("the changes of %s could not be committed: %s", r.Role.Name(), why),
		again(r, StartInterrupted).after(&Cause{Why: "the changes of the run could not be committed: " + why}))
}

// mendMarkers treats conflict markers that a run left in files like a failed check. The
// real check might pass, because it may not read those files.
func (e *edit) mendMarkers(r *Run, files []string) {
	switch check := e.q.checkAfter(r); {
	case check == nil: // another run will continue this work anyway
	case check.State == RunQueued:
		e.unqueue(check, "the markers of a conflict are left")
		e.markersLeft(r, check.Launch, files)
	default: // the user stopped it, so nobody is sent before Retry
		e.event(EventMarkersLeft, r.Step, r.ID, "files", strings.Join(files, ", "))
		step := e.step(r.Step)
		block := *step.Block
		block.Retry = mendsMarkers(check.Launch, files)
		step.Block = &block
	}
}

// checkAfter returns the check that comes after a run's complete and has not begun: it is
// queued, or the user stopped it in the queue, and a retry starts it. nil: there is none.
func (q *Quest) checkAfter(r *Run) *Run {
	step := q.Step(r.Step)
	check := q.Run(step.Run)
	stopped := step.Hold == HoldBlocked && step.Block.Kind == BlockStopped && check.StartedAt.IsZero()
	if r.Signal == nil || r.Signal.Kind != Complete || check.Role != Ward || check.State != RunQueued && !stopped {
		return nil
	}
	return check
}

// markersLeft sends Spiritmender for conflict markers instead of the check.
func (e *edit) markersLeft(r *Run, check Launch, files []string) {
	e.event(EventMarkersLeft, r.Step, r.ID, "files", strings.Join(files, ", "))
	e.mend(mendsMarkers(check, files), "conflict markers in "+strings.Join(files, ", "))
}

func mendsMarkers(check Launch, files []string) Launch {
	return Launch{Role: Spiritmender, Step: check.Step, Start: StartFollowup, ReturnTo: check.ReturnTo,
		Brief: Brief{Kind: BriefMarkers, From: Ward, Summary: check.Brief.Summary, Files: slices.Clone(files)}}
}
