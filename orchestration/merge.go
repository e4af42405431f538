package orchestration

import (
	"slices"
	"strings"
)

// The merge queue (worktree mode): work that was found good reaches the quest's
// branch one line at a time, and only in a state that ward has passed.

// toMerge puts a line that is good and green into the queue. A line that was
// brought up to date and checked again still has its turn.
func (e *edit) toMerge(line string) {
	e.step(line).Stage = StageMerge
	if !slices.Contains(e.q.Merging, line) {
		e.q.Merging, e.touched = append(slices.Clip(e.q.Merging), line), true
		e.event(EventMergeQueued, line, "")
	}
	if e.q.Merging[0] == line {
		e.nextMerge()
	}
}

// nextMerge starts the merge of the line whose turn it is, unless it is being
// checked.
func (e *edit) nextMerge() {
	if line := e.q.MergeTurn(); line != "" {
		e.effect(MergeLine{Line: line})
	}
}

// MergeTurn returns the line that is to be merged now, or "". After a restart
// the engine starts that merge again.
func (q *Quest) MergeTurn() string {
	if q.Over() || len(q.Merging) == 0 || q.Line(q.Merging[0]).Stage != StageMerge {
		return ""
	}
	return q.Merging[0]
}

// leaveQueue takes a line out of the queue; the next one has its turn.
func (e *edit) leaveQueue(line string) {
	at := slices.Index(e.q.Merging, line)
	if at < 0 {
		return
	}
	e.q.Merging, e.touched = slices.Concat(e.q.Merging[:at], e.q.Merging[at+1:]), true
	if at == 0 {
		e.nextMerge()
	}
}

// mergeEnded is what a merge leads to. A report of a line whose turn it is not
// (dropped meanwhile, or told twice) is stale.
func (e *edit) mergeEnded(f MergeEnded) error {
	if e.q.Line(f.Line) == nil {
		return notFound("there is no line %s in this quest", f.Line)
	}
	if e.q.MergeTurn() != f.Line {
		return nil
	}
	files := strings.Join(f.Files, ", ")
	ward := Launch{Role: Ward, Line: f.Line, Start: StartFresh}
	switch f.Outcome {
	case MergeMerged:
		e.event(EventMerged, f.Line, "", "commit", f.Commit)
		e.leaveQueue(f.Line)
		if f.Line == LineReview {
			e.enter(PhaseComplete)
		} else {
			e.settle(f.Line, StageDone)
		}
	case MergeUpdated:
		e.event(EventMergeUpdated, f.Line, "")
		e.queue(ward)
	case MergeConflict:
		e.event(EventMergeConflict, f.Line, "", "files", files)
		e.leaveQueue(f.Line)
		e.mend(Launch{Role: Spiritmender, Line: f.Line, Start: StartFollowup,
			Brief: Brief{From: Ward, Reason: "merging the quest's branch into this step's ended in a conflict",
				Context: "These files hold conflict markers; keep what both sides want: " + files}}, "conflict in "+files)
	default:
		e.leaveQueue(f.Line)
		e.block(f.Line, BlockMerge, "the merge could not be done: "+f.Why, ward)
	}
	return nil
}
