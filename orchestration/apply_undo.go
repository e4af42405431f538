package orchestration

import (
	"strings"
	"time"
)

// Undo of a skip. It is possible until somebody has built on the skip: a step that
// depends on the skipped one, or an agent of the review.

func (q *Quest) mayUndoSkip(f SkipUndone) error {
	s := q.Step(f.Step)
	switch {
	case s == nil:
		return notFound("there is no step %s", f.Step)
	case s.Whole():
		return conflict("%s belongs to the whole quest and cannot be skipped", f.Step)
	case s.Stage == StageWaiting || s.Stage == StageReady:
		return errRepeat
	case s.Stage != StageSkipped:
		return conflict("%s is not skipped (%s)", f.Step, s.Stage)
	}
	if q.Changing() {
		return conflict("the plan is being made again: undo the skip of %s when it is written", f.Step)
	}
	if why := q.skipIsFinal(s); why != "" {
		return conflict("it is too late to undo the skip of %s: %s. %s", f.Step, why, q.insteadOfUndo())
	}
	return nil
}

// skipIsFinal says why the skip of a step cannot be undone any more; "" means that it can
// be undone.
func (q *Quest) skipIsFinal(s *Step) string {
	var started []string
	for _, n := range q.index.dependents[s.N] {
		if d := q.Steps.At(n); d.Started {
			started = append(started, d.ID)
		}
	}
	switch {
	case len(started) > 0:
		return strings.Join(started, ", ") + " depends on it and has started"
	case s.Final:
		return "an agent of the review has started"
	}
	return ""
}

// insteadOfUndo says what to do for the work of a step whose skip is final.
func (q *Quest) insteadOfUndo() string {
	switch {
	case q.Phase == PhaseSteps:
		return "Let PathSeeker plan a new step for this work: split a step again"
	case q.noComments(nil, "") == "":
		return "Send comments on the quest's diff: they become a new step"
	default:
		return "Start a new quest for this work"
	}
}

// undoable reports whether a step is skipped and may come back. Until then its tree is
// kept.
func (q *Quest) undoable(s *Step) bool {
	return s.Stage == StageSkipped && !q.Over() && q.skipIsFinal(s) == ""
}

// undoSkip makes a skipped step ready again, or lets it wait for its dependencies. It
// begins again in the tree that it had, with a fresh agent. A review that has only
// checked so far is dropped.
func (e *edit) undoSkip(f SkipUndone) {
	const why = "the skip of a step was undone"
	fresh := e.q.Phase == PhaseReview
	if fresh {
		e.leaveReview(why)
	}
	s := e.step(f.Step)
	s.Stage, s.Reason, s.EndedAt, s.Counts = StageWaiting, "", time.Time{}, Counts{}
	s.forgetVerdict()
	s.Comments = s.firstComments()
	e.unlist(s.Observables)
	e.event(EventSkipUndone, s.ID, "")
	for _, n := range e.q.index.dependents[s.N] {
		if d := e.q.Steps.At(n); d.Stage == StageReady {
			e.q.dropReady(n)
			e.stepAt(n).Stage = StageWaiting
		}
	}
	e.reindex() // its work counts in the chains again
	if fresh && !e.q.anyStarted() {
		e.startSteps() // the check of the base was dropped, because no step was left
		return
	}
	e.wake(s.N)
}

func (q *Quest) anyStarted() bool {
	for _, s := range q.Steps.All() {
		if s.Started {
			return true
		}
	}
	return false
}

// firstComments returns the comments that a step was made of, and those that still wait.
func (s *Step) firstComments() string {
	if strings.Contains(s.Comments, s.MadeOf) {
		return s.Comments
	}
	return strings.TrimSuffix(s.MadeOf+"\n\n"+s.Comments, "\n\n")
}

// startedBeside notes that a run has been granted a slot, so that skips before it
// cannot be undone. The trees of these steps are given up.
func (e *edit) startedBeside(r *Run) {
	if r.Step == StepReview && r.Role.Agent() {
		for n, s := range e.q.Steps.All() {
			if s.Stage == StageSkipped && !s.Final {
				e.stepAt(n).Final = true
				e.release(s.ID)
			}
		}
		return
	}
	e.buildsOn(e.q.Step(r.Step))
}

// buildsOn gives up the trees of skipped steps that this one depends on.
func (e *edit) buildsOn(s *Step) {
	for _, id := range s.DependsOn {
		if e.q.Step(id).Stage == StageSkipped {
			e.release(id)
		}
	}
}
