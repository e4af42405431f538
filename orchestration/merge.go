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
		e.noteMerged(f.Step, f.Commit)
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
