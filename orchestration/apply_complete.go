package orchestration

import "strconv"

// What a complete leads to, a row of the routing table each.

// requirementsWritten: refused unless requirements were stored; then the gate,
// or the plan.
func (e *edit) requirementsWritten(r *Run, _ Signal) error {
	if len(e.q.Requirements) == 0 {
		return invalid("no requirements are stored: call set-requirements first, then signal complete again")
	}
	if e.q.GateRequirements == GatePending {
		e.openGate(LineRequirements)
		return nil
	}
	e.lock()
	e.enter(PhasePlan)
	return nil
}

func (e *edit) lock() {
	e.q.Locked = true
	e.event(EventRequirementsLocked, LineRequirements, "", "count", strconv.Itoa(len(e.q.Requirements)))
}

func (e *edit) openGate(line string) {
	if line == LineRequirements {
		e.q.GateRequirements = GateOpen
	} else {
		e.q.GatePlan = GateOpen
	}
	e.event(EventGateOpened, line, "", "gate", line)
}

// planWritten: refused unless a plan with a step was stored; then the gate, or
// the steps.
func (e *edit) planWritten(r *Run, _ Signal) error {
	draft := r.Draft
	if draft == nil {
		return invalid("no plan is stored: call plan-steps with at least one step first, then signal complete again")
	}
	if faults := checkPlan(draft.Steps); len(faults) > 0 {
		return planFault(faults)
	}
	e.replacePlan(draft.Steps, r.ID)
	if e.q.GatePlan == GatePending {
		e.openGate(LinePlan)
		return nil
	}
	e.enter(PhaseSteps)
	return nil
}

// resumeReturn: the run that waits goes on, told what was accomplished.
func (e *edit) resumeReturn(r *Run, s Signal) error {
	e.queue(e.q.resume(r.ReturnTo, r.Role, s.Summary))
	return nil
}

// freshReview: PathSeeker changed nothing and nobody waits: another look.
func (e *edit) freshReview(r *Run, s Signal) error {
	e.queue(Launch{Role: Lawbringer, Line: LineReview, Start: StartFresh,
		Brief: Brief{From: PathSeeker, Summary: s.Summary, Findings: e.q.Line(LineReview).Findings}})
	return nil
}

// startAgain: the step starts again at codeweaver, fresh.
func (e *edit) startAgain(r *Run, s Signal) error {
	e.step(r.Line).Verdict = false
	e.queue(Launch{Role: Codeweaver, Line: r.Line, Start: StartFresh, Brief: Brief{From: PathSeeker, Summary: s.Summary}})
	return nil
}

// toWard: nobody builds on, reviews or believes unchecked code.
func (e *edit) toWard(r *Run, s Signal) error {
	line := e.step(r.Line)
	alone := r.ReturnTo == ""
	switch {
	case !line.Whole() && alone && r.Role == Siegemaster, r.Line == LineReview && alone && r.Role == Lawbringer:
		line.Verdict = true
	case !line.Whole() && alone && r.Role == Codeweaver:
		line.Verdict = false
	}
	e.queue(check(r, s.Summary))
	return nil
}

// resplit puts the draft into force: steps are added or changed, and the run's
// own step may be replaced.
func (e *edit) resplit(r *Run, s Signal) error {
	draft := r.Draft
	merged, faults := e.q.merge(r, *draft)
	if len(faults) > 0 {
		return planFault(faults)
	}
	inReview := r.Line == LineReview
	own := e.q.Line(r.Line)
	added := e.mergePlan(merged, r.ID)
	var err error
	switch {
	case inReview && added > 0:
		e.reopen(r, s)
	case draft.Replaces != "":
		e.supersede(own.ID, merged.replacements)
	case r.ReturnTo != "":
		err = e.resumeReturn(r, s)
	case inReview:
		err = e.freshReview(r, s)
	default:
		err = e.startAgain(r, s)
	}
	e.wakeAll()
	return err
}

// reopen leaves the review for the new steps; it starts anew afterwards, with
// a fresh lawbringer that is told the findings.
func (e *edit) reopen(r *Run, s Signal) {
	found := s.Summary
	if asked := e.q.asked(r.Launch); asked.Reason != "" {
		found = asked.Reason + ": " + asked.Context
	}
	e.backToSteps(found)
}

// backToSteps ends a review, or leaves the end, for steps that were added.
func (e *edit) backToSteps(found string) {
	e.drop(LineReview, "new steps were planned")
	review := e.step(LineReview)
	review.Findings = append(append([]string(nil), review.Findings...), found)
	review.Stage = StageWaiting
	e.q.Phase = PhaseSteps
	e.event(EventPhaseEntered, "", "", "phase", string(PhaseSteps))
}

// supersede ends the step that a re-split replaced. Nobody resumes there.
func (e *edit) supersede(id string, by []string) {
	e.drop(id, "the step was replaced by "+list(by))
	e.step(id).ReplacedBy = by
	e.settle(id, StageSuperseded)
}
