package orchestration

import (
	"fmt"
)

// What a person does instead of an agent: take a step over, and say that it is done.
// Giving it back is a retry.

// mayHandle says why a person cannot work on the step now, whatever they want to do.
func (q *Quest) mayHandle(id string) error {
	s := q.Step(id)
	switch {
	case s == nil:
		return notFound("there is no step %s", id)
	case s.Whole():
		return conflict("%s belongs to the whole quest; its agent has to do it", id)
	case s.Stage.Settled():
		return conflict("%s is %s; nothing is left to do", id, s.Stage)
	case !q.atWork(s):
		return conflict("a person can do a step only during the Build phase")
	case s.Stage == StageMerge && s.Hold == HoldNone:
		return conflict("the work of %s is good, and is being merged; send comments if something should change", id)
	case s.Stage == StageWaiting && q.Baseline == BaselinePending && q.freed(s):
		return conflict("%s waits for the check of the base: try again when it has ended, or edit or skip the step", id)
	case s.Stage == StageWaiting, !s.Started && !q.freed(s): // the second: split again, and then a skip was undone
		return conflict("%s waits for its dependencies; edit or skip it instead", id)
	}
	return nil
}

func (q *Quest) mayTakeOver(f TakeOverPressed) error {
	if err := q.mayHandle(f.Step); err != nil {
		return err
	}
	s := q.Step(f.Step)
	switch {
	case s.Hold == HoldYours:
		return conflict("%s took %s over already: agree with them, or give it back first", byWords(s.Block.By), f.Step)
	}
	o := q.fileInUse(s)
	if check := q.checkedAlone(f.Step); o.Kind == ObstacleNone && check != "" {
		o = Obstacle{Kind: ObstacleCheck, Step: check}
	}
	if o.Kind != ObstacleNone {
		return conflict("%s cannot be taken over now: %s", f.Step, o.Words())
	}
	return nil
}

// InHand reports whether a person may have changed the step's tree, and nothing has
// committed that yet: they have the step, what starts next commits it first, or the step
// is skipped, perhaps by them.
func (q *Quest) InHand(id string) bool {
	s := q.Step(id)
	switch {
	case s == nil:
		return false
	case s.Block != nil:
		return s.Hold == HoldYours || s.Block.Retry.Brief.ByHand
	}
	next := q.Run(s.Run)
	return s.Stage == StageSkipped || next != nil && next.State == RunQueued && next.Brief.ByHand
}

// takeOver gives the step to the person who pressed. What was at work is stopped; who
// waits keeps waiting. Giving the step back starts what the hold prevented.
func (e *edit) takeOver(f TakeOverPressed) {
	const why = "the step was taken over"
	s := e.step(f.Step)
	var l Launch
	switch r := e.q.Run(s.Run); {
	case s.Hold == HoldBlocked:
		l = s.Block.Retry
	case s.Hold == HoldQuestion:
		e.closeQuestions(f.Step, why)
		e.run(s.Run).Waiting = false
		l = again(e.q.Run(s.Run), StartRetry).after(&Cause{End: EndInterrupted, Why: why + ", and your question is closed", User: true})
	case s.Stage == StageReady:
		l = s.opening()
		if e.q.dropReady(s.N); l.Brief.Comments != "" {
			s.Comments = ""
		}
	case r.State == RunQueued:
		e.leaveQueue(f.Step)
		e.unqueue(r, why)
		l = r.begun()
	default:
		e.leaveQueue(f.Step)
		e.endLive(r, OutcomeStopped)
		l = again(e.q.Run(r.ID), StartRetry).after(&Cause{End: EndInterrupted, Why: why, User: true})
	}
	if !s.Started {
		s.Started, s.StartedAt = true, e.at
		e.buildsOn(s)
	}
	e.yours(f.Step, e.actor, "", l)
	if e.q.Workspace == WorkspaceWorktree {
		e.effect(PrepareStep{Step: s.ID})
	}
}

// TakenOver reports whether a person works on the step, in a worktree of its own.
func (q *Quest) TakenOver(step string) bool {
	s := q.Step(step)
	return s != nil && s.Hold == HoldYours && q.Workspace == WorkspaceWorktree
}

// treeNotMade blocks a step of a person who has no tree to work in. To take it over once
// more is to try again.
func (e *edit) treeNotMade(f TreeNotMade) error {
	s := e.q.Step(f.Step)
	if s == nil {
		return notFound("there is no step %s", f.Step)
	}
	if e.q.TakenOver(f.Step) {
		e.block(f.Step, BlockSetup, "the working tree could not be made: "+f.Why, s.Block.Retry)
	}
	return nil
}

// yours holds a step for a person. It keeps its files.
func (e *edit) yours(step, by, reason string, l Launch) {
	s := e.step(step)
	marked := s.ByHand != ""
	s.agentsAgain()   // they may be next
	s.forgetVerdict() // what a person changes is tested
	if marked && l.Role == Ward && s.Visits[Codeweaver]+s.Visits[Spiritmender] == 0 {
		s.Comments = s.firstComments() // nobody has built it, so there is nothing to check
		if l = s.opening(); l.Brief.Comments != "" {
			s.Comments = ""
		}
	}
	if s.Stage == StageReady || s.Stage == StageMerge {
		s.Stage = l.Role.Stage()
		e.event(EventStepStage, step, "", "stage", string(s.Stage))
	}
	s.Hold, s.Block, s.HoldsFiles = HoldYours, &Block{Reason: reason, Retry: l, At: e.at, By: by}, true
	e.markChecks(step)
	e.event(EventStepYours, step, "", "by", by, "reason", reason)
}

func (q *Quest) mayMarkDone(f MarkDonePressed) error {
	if err := q.mayHandle(f.Step); err != nil {
		return err
	}
	s := q.Step(f.Step)
	if s.Hold == HoldNone && s.Stage != StageReady {
		return conflict("%s is at work on %s: take the step over, or stop its run first", Role(s.Stage).Name(), f.Step)
	}
	for _, r := range q.OpenRuns() {
		if r.Step == f.Step && r.Live() {
			return conflict("the process of run %s has not ended yet: try again in a few seconds", r.ID)
		}
	}
	return nil
}

// markDone takes what is in the tree as the person's work. It is committed and checked,
// and then merged without Siegemaster. What the step had open is dropped.
func (e *edit) markDone(f MarkDonePressed) {
	s := e.step(f.Step)
	if s.Stage == StageReady {
		e.q.dropReady(s.N)
	}
	held := s.HoldsFiles
	e.drop(f.Step, "the step was done by hand")
	s.HoldsFiles, s.Verdict, s.ByHand, s.Comments, s.Counts, s.Proof = held, true, e.actor, "", Counts{}, nil
	e.event(EventStepByHand, f.Step, "", "by", e.actor)
	e.queue(Launch{Role: Ward, Step: f.Step, Start: StartFresh, Brief: Brief{ByHand: true}})
}

// agentsAgain forgets that a person marked the step done: agents may continue the work,
// and then it has to be tested.
func (s *Step) agentsAgain() {
	if s.ByHand != "" {
		s.ByHand = ""
		s.forgetVerdict()
	}
}

// byHandFailed gives a step back to the person whose work did not pass.
func (e *edit) byHandFailed(l Launch, why string) {
	e.yours(l.Step, e.step(l.Step).ByHand, why, l)
}

// byWords names a person to the owner.
func byWords(actor string) string {
	if actor == "user" || actor == "" {
		return "you"
	}
	return actor
}

// yoursWords says who has a step, and what did not pass.
func yoursWords(by, reason string) string {
	if reason == "" {
		return "taken over by " + byWords(by)
	}
	return fmt.Sprintf("taken over by %s; %s", byWords(by), reason)
}
