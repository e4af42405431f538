package orchestration

import "strconv"

// What happens after the signal "complete": one method for each row of the routing table.

// requirementsWritten opens the gate of the requirements, or enters the plan phase. It
// refuses a complete while no requirements are stored.
func (e *edit) requirementsWritten(r *Run, _ Signal) error {
	switch {
	case e.q.Size == SizeAuto:
		return invalid("the quest has no size yet: call set-size first, then signal complete again")
	case e.q.Errand():
		e.errandSaid()
		return nil
	case len(e.q.Requirements) == 0:
		return invalid("no requirements are stored: call set-requirements first, then signal complete again")
	}
	if err := e.q.checkSize(e.q.Requirements); err != nil {
		return err // they were stored for a larger size
	}
	if e.q.GateRequirements == GatePending {
		e.openGate(StepRequirements)
		return nil
	}
	e.lock()
	e.enter(PhasePlan)
	return nil
}

func (e *edit) lock() {
	e.q.Locked = true
	e.event(EventRequirementsLocked, StepRequirements, "", "count", strconv.Itoa(len(e.q.Requirements)))
}

func (e *edit) openGate(step string) {
	if step == StepRequirements {
		e.q.GateRequirements = GateOpen
	} else {
		e.q.GatePlan = GateOpen
	}
	e.event(EventGateOpened, step, "", "gate", step, "size", e.q.gateSize())
}

// planWritten opens the gate of the plan, or starts the steps. It refuses a complete
// while no plan with at least one step is stored.
func (e *edit) planWritten(r *Run, _ Signal) error {
	if e.q.replans() {
		if err := e.planAgain(r); err != nil {
			return err
		}
		e.planInForce()
		return nil
	}
	draft := r.Draft
	if draft == nil {
		return invalid("no plan is stored: call plan-steps with at least one step first, then signal complete again")
	}
	if faults := e.q.checkWholePlan(*draft); len(faults) > 0 {
		return planFault(faults)
	}
	e.replacePlan(*draft, r.ID)
	e.planInForce()
	return nil
}

// planInForce opens the gate of the plan, or lets the steps start.
func (e *edit) planInForce() {
	if e.q.GatePlan == GatePending {
		e.openGate(StepPlan)
		return
	}
	e.enter(PhaseSteps)
}

// resumeReturn resumes the run that waits for this one and passes on the summary.
func (e *edit) resumeReturn(r *Run, s Signal) error {
	if e.q.Looks(e.q.Run(r.ReturnTo)) {
		e.lookUnchecked()
	}
	e.queue(e.q.resume(r.ReturnTo, r.Role, s.Summary))
	return nil
}

// reviewOn goes on with what the review still owes. PathSeeker was called from the review
// and added no steps, and no run waits for it.
func (e *edit) reviewOn(r *Run, s Signal) error {
	e.lookUnchecked()
	e.queue(e.nextInReview(PathSeeker, s.Summary))
	return nil
}

func (e *edit) startAgain(r *Run, s Signal) error {
	e.step(r.Step).forgetVerdict()
	e.queue(Launch{Role: Codeweaver, Step: r.Step, Start: StartFresh, Brief: Brief{From: PathSeeker, Summary: s.Summary}})
	return nil
}

// toWard sends the work to the check, so that no role continues with unchecked code.
func (e *edit) toWard(r *Run, s Signal) error {
	step := e.step(r.Step)
	switch {
	case e.q.Looks(r):
		e.lookEnded(r, s)
	case e.q.Besieges(r):
		step.Besieged, step.SiegeProof = r.ID, &Proof{Run: r.ID}
	case e.q.isVerdict(r, e.heard):
		step.Verdict, step.Proof = true, &Proof{Run: r.ID}
	case r.ReturnTo == "" && r.Role.Builds() && !step.Whole():
		step.forgetVerdict()
	}
	e.queue(check(r, s.Summary))
	return nil
}

// resplit puts PathSeeker's draft into force. The draft adds and changes steps, and it
// may replace the step that the run works for.
func (e *edit) resplit(r *Run, s Signal) error {
	draft := r.Draft
	merged, faults := e.q.merge(r, *draft)
	if len(faults) > 0 {
		return planFault(faults)
	}
	inReview := r.Step == StepReview
	own := e.q.Step(r.Step)
	added := e.mergePlan(merged, r.ID)
	var err error
	switch {
	case inReview && added > 0:
		e.reopen(r, s, merged.added)
	case merged.replaces != "":
		e.supersede(own.ID, merged.replacements)
	case r.ReturnTo != "":
		err = e.resumeReturn(r, s)
	case inReview:
		err = e.reviewOn(r, s)
	default:
		err = e.startAgain(r, s)
	}
	e.wakeAll()
	return err
}

// reopen leaves the review so that the new steps can be built. Afterwards the review
// starts again, with a fresh Lawbringer that is told the findings.
func (e *edit) reopen(r *Run, s Signal, added []PlanStep) {
	found := s.Summary
	if asked := e.q.asked(r.Launch); asked.Reason != "" {
		found = asked.Reason + ": " + asked.Context
	}
	ids := make([]string, len(added))
	for i, p := range added {
		ids[i] = p.ID
	}
	e.planned(found, ids)
	e.backToSteps()
}

// backToSteps returns a quest in review, or a complete one, to its steps after new ones
// were added.
func (e *edit) backToSteps() {
	if review := e.step(StepReview); review.Looked != "" {
		e.round(review)
	}
	e.leaveReview("new steps were planned")
}

// leaveReview drops what the review has open and returns to the steps.
func (e *edit) leaveReview(why string) {
	e.dropReview(why)
	e.q.Phase = PhaseSteps
	e.event(EventPhaseEntered, "", "", "phase", string(PhaseSteps))
}

// dropReview drops what the review has open. It begins again later. The user's comments
// that nobody has done yet wait for it.
func (e *edit) dropReview(why string) {
	undone := e.q.undoneComments(e.q.Step(StepReview))
	e.drop(StepReview, why)
	if e.closeUntouched(FindingOpen); e.q.Phase == PhaseReview {
		e.closeUntouched(FindingStands)
	}
	review := e.step(StepReview)
	review.Comments = joinComments(undone, review.Comments)
	review.Stage = StageWaiting
	review.forgetSiege()
	review.forgetVerdict()
}

// supersede ends the step that a re-split replaced. None of its runs will be resumed.
func (e *edit) supersede(id string, by []string) {
	e.drop(id, "the step was replaced by "+list(by))
	e.step(id).ReplacedBy = by
	e.settle(id, StageSuperseded)
}
