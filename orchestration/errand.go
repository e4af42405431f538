package orchestration

import (
	"slices"
	"strings"
)

// An errand: one step, which is the request itself (docs/state-machine.md#sizes). The check
// and the merge follow, and no review, unless the user asks for one.

// isErrand reports whether s is the one step of an errand.
func (q *Quest) isErrand(s *Step) bool {
	return s != nil && s.ID == StepErrand && q.Errand() && !s.outgrown()
}

// outgrown reports whether the step was an errand that turned out to be more than one. Its
// tree stays until the quest is over, so that others can see what was done.
func (s *Step) outgrown() bool {
	return s.Stage == StageSuperseded && len(s.ReplacedBy) == 0 && s.begun()
}

// errandSaid begins the errand that ChaosWhisperer said the quest is. With a gate on, the
// user decides: a text in the repository must not walk past a gate.
func (e *edit) errandSaid() {
	switch {
	case e.q.SizedBy != "" && e.q.GateRequirements == GatePending:
		e.openGate(StepRequirements)
	case e.q.SizedBy != "" && e.q.GatePlan == GatePending:
		e.openGate(StepPlan)
	default:
		e.startErrand()
	}
}

// startErrand makes the request the only step of the plan.
func (e *edit) startErrand() {
	by := ""
	if look := e.q.lastLook(); look != nil && e.q.SizedBy != "" {
		by = look.ID
	}
	e.q.Locked, e.reqs = true, true
	e.step(StepRequirements).Stage = StageDone
	e.replacePlan(PlanDraft{Steps: []PlanStep{{ID: StepErrand, Title: e.q.Title, Description: e.q.Request}}}, by)
	e.enter(PhaseSteps)
}

// looked returns what ChaosWhisperer saw before an errand, for the one who does it.
func (q *Quest) looked() (Role, string) {
	if look := q.lastLook(); look != nil {
		return ChaosWhisperer, look.Signal.Summary
	}
	return "", ""
}

// unreviewed reports whether the quest ends without a review: an errand, of which the user
// has asked for none. Of a quest in a list, which has no steps, it is not known.
func (q *Quest) unreviewed() bool {
	review := q.Step(StepReview)
	return q.Errand() && review != nil && review.Run == ""
}

// Unchanged reports whether an errand is done and has changed no file, as far as the
// server knows.
func (q *Quest) Unchanged() bool {
	s := q.Step(StepErrand)
	switch {
	case !q.isErrand(s) || s.Stage != StageDone || q.Steps.Len() > 1:
		return false
	case q.Workspace == WorkspaceWorktree:
		return len(s.Changed) == 0
	}
	return s.StartTree != "" && s.StartTree == s.GreenTree
}

func (q *Quest) mayReview() error {
	switch {
	case q.Delivered != nil:
		return conflict("the quest is merged (%s into %s): start a follow-up quest for what should be different", q.Delivered.How,
			q.Delivered.Branch)
	case !q.Errand():
		return conflict("only an errand ends without a review")
	case q.Step(StepReview) == nil:
		return conflict("this is a quest in a list: load it")
	case q.Step(StepReview).Run != "":
		return errRepeat
	case q.Phase != PhaseComplete:
		return conflict("the errand is not done yet: it can be reviewed once it is complete")
	case q.Unchanged():
		return conflict("nothing was changed, so there is nothing to review")
	}
	return nil
}

// reviewErrand has Lawbringer look at the work of a complete errand.
func (e *edit) reviewErrand() {
	e.openAgain()
	e.enter(PhaseReview)
}

// outgrows is the row of the routing table for an errand that is more than one.
func outgrows(e *edit, r *Run, s Signal) bool { return e.q.outgrows(r, s) }

func (q *Quest) outgrows(r *Run, s Signal) bool {
	return s.Kind == NeedsRoleFollowup && s.TargetRole == PathSeeker && q.isErrand(q.Step(r.Step))
}

// grow makes an errand full, because its agent asks for PathSeeker.
func (e *edit) grow(r *Run, s Signal) error {
	e.size(SizeFull, r.ID, firstLine(s.Reason))
	e.outgrow(e.q.Step(r.Step), s.Reason+"\n\n"+s.Context)
	return nil
}

// outgrow leads an errand back to the requirements. Its step is superseded at once, and
// what waits there is dropped; its tree stays, and the user's comments that nobody has
// done yet. A fresh ChaosWhisperer is told why, and the plan that follows is laid over the
// steps like one after a change.
func (e *edit) outgrow(s *Step, why string) {
	undone := e.q.undoneComments(s)
	e.q.dropReady(s.N)
	e.drop(s.ID, "the errand became a larger quest")
	w := e.step(s.ID)
	w.forgetVerdict()
	w.Comments = joinComments(undone, w.Comments)
	w.Stage, w.EndedAt, w.HoldsFiles = StageSuperseded, e.at, false
	e.reindex()
	e.event(EventStepSuperseded, s.ID, "", "grew", "true")
	e.q.Changes = append(slices.Clip(e.q.Changes), Change{Text: why, By: e.actor, At: e.at, Grew: s.ID})
	e.event(EventQuestGrew, s.ID, "", "reason", why)
	e.documentsAgain()
	e.queue(Launch{Role: ChaosWhisperer, Step: StepRequirements, Start: StartFresh})
}

// releaseErrand gives up the tree of an errand that became a larger quest.
func (e *edit) releaseErrand() {
	if s := e.q.Step(StepErrand); s != nil && s.outgrown() {
		e.release(s.ID)
	}
}

// SizeSaid says the size with the agent's reason, if it said one.
func (q *Quest) SizeSaid() string {
	if q.SizeReason == "" {
		return string(q.Size)
	}
	return string(q.Size) + ", because " + strings.TrimSuffix(firstLine(q.SizeReason), ".")
}
