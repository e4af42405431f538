package orchestration

import (
	"slices"
	"strings"
)

// The merge queue (worktree mode): the work of a finished step is merged into the
// quest's branch, one step at a time, and only in a state that ward has passed.

// toMerge puts a step with a good verdict into the queue, after its check. A step that was updated
// and checked again keeps its turn.
func (e *edit) toMerge(step string) {
	e.step(step).Stage = StageMerge
	if !slices.Contains(e.q.Merging, step) {
		e.q.Merging, e.touched = append(slices.Clip(e.q.Merging), step), true
		e.event(EventMergeQueued, step, "")
	}
	if e.q.Merging[0] == step {
		e.nextMerge()
	}
}

// nextMerge starts the merge of the step whose turn it is, unless that step is being
// checked.
func (e *edit) nextMerge() {
	if step := e.q.MergeTurn(); step != "" {
		e.effect(MergeStep{Step: step})
	}
}

// MergeTurn returns the step to merge now, or "". After a restart the engine starts
// that merge again.
func (q *Quest) MergeTurn() string {
	if q.Over() || len(q.Merging) == 0 || q.Step(q.Merging[0]).Stage != StageMerge {
		return ""
	}
	return q.Merging[0]
}

// AsksBeforeMerge reports whether the repository's command before a merge must still
// pass on the work of the step whose turn it is. It has passed if it was the step's last
// run: whatever changes the work after it is a run, too.
func (q *Quest) AsksBeforeMerge(step string) bool {
	if q.BeforeMerge() == "" {
		return false
	}
	last := q.Run(q.Step(step).Run)
	return last == nil || !last.BeforeMerge()
}

// BeforeMerge reports whether a run of ward runs the repository's command before a merge
// instead of the check.
func (r *Run) BeforeMerge() bool { return r.Role == Ward && r.Brief.Kind == BriefBeforeMerge }

// beforeMergeEnded decides what follows the command before a merge. It is judged like the
// check. One that changes what git tracks has failed, because nobody has checked that.
func (e *edit) beforeMergeEnded(r *Run, f RunExited) {
	why, files := f.Exit.Why, strings.Join(f.Exit.Touched, ", ")
	if f.End == EndWardPassed && len(f.Exit.Touched) > 0 {
		f.End, why = EndWardFailed, "it changed files that git tracks: "+files
		e.run(r.ID).Why = why
	}
	switch f.End {
	case EndWardPassed:
		e.event(EventBeforeMergePassed, r.Step, r.ID, "why", why)
		e.step(r.Step).Counts.Merge = 0
		if e.step(r.Step).Comments != "" {
			e.leaveQueue(r.Step)
			e.queue(e.takeComments(r.Step))
			return
		}
		if step := e.step(r.Step); !step.passed() || e.q.owesFirst(step) { // the check was changed meanwhile, or the sieges
			e.leaveQueue(r.Step)
			e.queue(Launch{Role: Ward, Step: r.Step, Start: StartFresh})
			return
		}
		e.toMerge(r.Step)
	case EndWardFailed:
		e.event(EventBeforeMergeFailed, r.Step, r.ID, "why", why, "files", files)
		e.leaveQueue(r.Step)
		e.mend(Launch{Role: Spiritmender, Step: r.Step, Start: StartFollowup,
			Brief: Brief{Kind: BriefBeforeMerge, From: Ward, Reason: why, Files: slices.Clone(f.Exit.Touched), Digest: f.Exit.Digest,
				OutputOf: r.ID}},
			"the command before the merge: "+why)
	case EndInterrupted, EndStuck:
		e.queue(r.Launch)
	case EndSetupFailed:
		e.leaveQueue(r.Step)
		e.block(r.Step, BlockSetup, "the set-up command failed: "+why, r.begun())
	default:
		e.leaveQueue(r.Step)
		e.block(r.Step, BlockWardBroke, "the command before the merge could not run: "+why, r.begun())
	}
}

// leaveQueue removes a step from the queue and starts the next merge.
func (e *edit) leaveQueue(step string) {
	at := slices.Index(e.q.Merging, step)
	if at < 0 {
		return
	}
	e.q.Merging, e.touched = slices.Concat(e.q.Merging[:at], e.q.Merging[at+1:]), true
	if at == 0 {
		e.nextMerge()
	}
}

// mergeEnded decides what happens after a merge. It ignores a report about a step that
// is not first in the queue: the step was dropped in the meantime, or the report is a
// repeat.
func (e *edit) mergeEnded(f MergeEnded) error {
	if e.q.Step(f.Step) == nil {
		return notFound("there is no step %s in this quest", f.Step)
	}
	if e.q.MergeTurn() != f.Step {
		return nil
	}
	files := strings.Join(f.Files, ", ")
	ward := Launch{Role: Ward, Step: f.Step, Start: StartFresh}
	switch f.Outcome {
	case MergeMerged:
		e.event(EventMerged, f.Step, "", "commit", f.Commit)
		e.noteFolded(f)
		e.noteMerged(f.Step, f.Commit)
		e.step(f.Step).Counts.Merge = 0
		e.leaveQueue(f.Step)
		if f.Step == StepReview {
			e.enter(PhaseComplete)
		} else {
			e.settle(f.Step, StageDone)
		}
	case MergeUpdated:
		e.event(EventMergeUpdated, f.Step, "")
		e.noteUpdated(f.Step, f.Files, f.Commit)
		e.queue(ward)
	case MergeReady:
		e.queue(Launch{Role: Ward, Step: f.Step, Start: StartFresh, Brief: Brief{Kind: BriefBeforeMerge}})
	case MergeConflict:
		e.event(EventMergeConflict, f.Step, "", "files", files)
		e.leaveQueue(f.Step)
		e.mend(Launch{Role: Spiritmender, Step: f.Step, Start: StartFollowup,
			Brief: Brief{Kind: BriefConflict, From: Ward, Files: slices.Clone(f.Files)}}, "conflict in "+files)
	default:
		e.leaveQueue(f.Step)
		e.block(f.Step, BlockMerge, "the merge could not be done: "+f.Why, ward)
	}
	return nil
}
