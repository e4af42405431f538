package orchestration

import "slices"

// The controls of a quest as a whole, and its gates and questions. Each is safe to press
// twice.

func (q *Quest) mayPause(f PausePressed) error {
	if !q.Paused || f.Now && slices.ContainsFunc(q.OpenRuns(), (*Run).interruptible) {
		return nil
	}
	return errRepeat
}

func (r *Run) interruptible() bool {
	return (r.State == RunStarting || r.State == RunRunning) && r.Stopping == ""
}

// pause stops new runs from starting. With now it also interrupts the running ones,
// which are resumed later.
func (e *edit) pause(f PausePressed) {
	if !e.q.Paused {
		e.q.Paused, e.touched = true, true
		now := ""
		if f.Now {
			now = "true"
		}
		e.event(EventQuestPaused, "", "", "now", now)
	}
	for _, r := range e.q.OpenRuns() {
		if f.Now && r.interruptible() {
			e.endLive(r, OutcomeInterrupted)
			e.queue(again(e.q.Run(r.ID), StartInterrupted).after(&Cause{End: EndInterrupted, Why: "paused by the user", User: true}))
		}
	}
}

func (q *Quest) mayResume() error {
	if w := q.Wait; w != nil && w.Kind != WaitStart {
		return conflict("%s", w.Reason)
	}
	return nil
}

// unpause ends the pause and every wait except questions, gates and blocks. The engine
// deals with holds of an account: it lets one run probe whether the account works.
func (e *edit) unpause() {
	if e.q.Wait != nil {
		e.q.Wait, e.touched = nil, true
		e.limitSpending()
	}
	for _, r := range e.q.OpenRuns() {
		if r.State == RunQueued && r.NotBefore.After(e.at) {
			e.run(r.ID).NotBefore = e.at
		}
	}
	if e.q.Paused {
		e.q.Paused, e.touched = false, true
	}
	if e.touched || len(e.runs) > 0 {
		e.event(EventQuestResumed, "", "")
	}
}

// abandon ends the quest for good. Its work stays where it is.
func (e *edit) abandon() {
	const why = "the quest was abandoned"
	e.q.Abandoned, e.q.EndedAt, e.touched = true, e.at, true // before the drops below, so that they start no merge
	for _, id := range QuestWideSteps {
		e.drop(id, why)
	}
	for n, s := range e.q.Steps.All() {
		if !s.Stage.Settled() && (s.Run != "" || s.Hold != HoldNone) {
			e.drop(e.q.Steps.At(n).ID, why)
		}
	}
	e.q.ready = nil
	e.event(EventQuestAbandoned, "", "")
	for _, id := range []string{StepPlan, StepReview, StepBaseline} {
		e.release(id)
	}
	for _, s := range e.q.Steps.All() {
		if !s.Stage.Settled() || s.Stage == StageSkipped {
			e.release(s.ID)
		}
	}
	e.releaseErrand()
}

func (q *Quest) mayAnswer(f AnswerGiven) error {
	question := q.Question(f.Question)
	switch {
	case question == nil:
		return notFound("there is no question %s", f.Question)
	case question.Overdue():
		return conflict("nobody answered in time, and the agent went on without it")
	case !question.AnsweredAt.IsZero():
		return conflict("%s answered already: %s", question.AnsweredBy, question.Answer)
	case question.Closed != "":
		return conflict("%s", question.Closed)
	}
	return nil
}

// answer resumes the run that asked. Only the first answer counts.
func (e *edit) answer(f AnswerGiven) error {
	q := e.question(f.Question)
	switch {
	case q.AsksPermission():
		words, err := e.decide(q, f)
		if err != nil {
			return err
		}
		f.Answer = words
	case len(f.Decisions) > 0:
		err := invalid("this question asks for no permission: write an answer")
		err.Fields = map[string]string{"decisions": err.Message}
		return err
	case blank(f.Answer):
		err := invalid("write an answer: the agent resumes with exactly this text")
		err.Fields = map[string]string{"answer": "it is empty"}
		return err
	}
	e.answered(q, f.Answer, q.decidedInShort(f))
	return nil
}

// answered resumes the session that asked. short is what the history has of the answer.
func (e *edit) answered(q *Question, text, short string) {
	q.Answer, q.AnsweredBy, q.AnsweredAt = text, e.actor, e.at
	e.event(EventQuestionAnswered, q.Step, q.Run, "question", q.ID, "answer", short, "rule", q.matched())
	r := e.q.Run(q.Run)
	e.queue(Launch{Role: r.Role, Step: r.Step, Start: StartAnswer, ResumedFrom: r.ID, ReturnTo: r.ReturnTo,
		Brief: withAnswer(r.begun().Brief, q.Says(), text)})
}

func withAnswer(b Brief, question, answer string) Brief {
	b.Question, b.Answer, b.Cause = question, answer, nil // the cause was told before the question
	return b
}

// GateOf returns the state of the gate for the requirements or the plan; "" for any
// other step.
func (q *Quest) GateOf(step string) Gate {
	switch step {
	case StepRequirements:
		return q.GateRequirements
	case StepPlan:
		return q.GatePlan
	default:
		return ""
	}
}

func (q *Quest) mayDecide(f GateDecided) error {
	switch state := q.GateOf(f.Gate); {
	case state == "":
		return notFound("there is no gate %q; gates are requirements and plan", f.Gate)
	case state == GateApproved && f.Approve:
		return errRepeat
	case !f.Approve && q.blockedDocument(f.Gate):
		return nil // a blocked document accepts feedback, with or without a gate
	case state != GateOpen:
		return conflict("the gate %s is not open (%s)", f.Gate, state)
	}
	return nil
}

// blockedDocument reports whether the role that writes the requirements or the plan is
// blocked.
func (q *Quest) blockedDocument(step string) bool {
	// after the plan phase this step only checks the base
	return q.Step(step).Hold == HoldBlocked && (step != StepPlan || q.Phase == PhasePlan)
}

// gate approves a document, or sends it back with feedback and resumes the session.
func (e *edit) gate(f GateDecided) error {
	if f.Approve {
		e.approve(f.Gate)
		return nil
	}
	if blank(f.Feedback) {
		err := invalid("say what should change: the agent resumes with exactly this text")
		err.Fields = map[string]string{"feedback": "it is empty"}
		return err
	}
	stood := e.q.GateOf(f.Gate) == GateOpen
	if e.q.GateOf(f.Gate) != GateOff {
		e.setGate(f.Gate, GatePending)
	}
	if e.q.blockedDocument(f.Gate) {
		e.step(f.Gate).Counts = Counts{}
	}
	e.event(EventGateSentBack, f.Gate, "", "gate", f.Gate, "size", e.q.gateSize(), "feedback", f.Feedback, "document", e.q.document(f.Gate))
	step := f.Gate
	if e.q.Errand() {
		step = StepRequirements // ChaosWhisperer said the size, at either gate
	}
	last := e.q.Run(e.q.Step(step).Run)
	for last.Role == Ward && last.ReturnTo != "" { // ward reads no feedback; the run that waits for it does
		last = e.q.Run(last.ReturnTo)
	}
	l := Launch{Role: last.Role, Step: step, Start: StartFeedback, ReturnTo: last.ReturnTo, ResumedFrom: last.ID,
		Brief: Brief{Feedback: f.Feedback}}
	if !last.Opened {
		if last.Waiting { // a fresh session takes this run's place
			e.run(last.ID).Waiting = false
		}
		l.Brief = e.q.asked(last.Launch)
		l.Brief.Feedback = f.Feedback
		l.Start, l.ResumedFrom = StartHandoff, ""
	}
	if r := e.queue(l); stood && r.Role == PathSeeker {
		r.Draft = e.q.standing()
	}
	return nil
}

// standing is the draft of a plan that is sent back: the plan as a person left it at the gate,
// which need not be as PathSeeker stored it. What they took out is left out.
func (q *Quest) standing() *PlanDraft {
	d, l := q.asItIs(), q.lists()
	d.Review, d.Uncovered = slices.Clone(l.review), slices.Clone(l.uncovered)
	placed, named := q.carriers(), q.waived()
	for _, u := range d.Uncovered {
		named = append(slices.Clip(named), u.Observable)
	}
	for _, o := range q.observables() {
		if len(placed[o]) == 0 && !slices.Contains(named, o) {
			d.Uncovered = append(d.Uncovered, Uncovered{Observable: o, Why: "a person took it out of the plan"})
		}
	}
	return &d
}

// NotAsStored returns the steps of a plan that was sent back to this run which are no longer as
// it stored them: a person edited them at the gate, or they wait for another step since.
func (q *Quest) NotAsStored(r *Run) (ids []string) {
	before := q.Run(r.ResumedFrom)
	if r.Start != StartFeedback || before == nil || before.Draft == nil || r.Draft == nil {
		return nil
	}
	for _, p := range r.Draft.Steps {
		at := slices.IndexFunc(before.Draft.Steps, func(old PlanStep) bool { return old.ID == p.ID })
		if at >= 0 && !p.same(before.Draft.Steps[at]) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// same reports whether a reader finds the same in both.
func (p PlanStep) same(other PlanStep) bool {
	return p.Title == other.Title && p.Description == other.Description && p.Risk == other.Risk && p.RiskReason == other.RiskReason &&
		slices.Equal(p.Files, other.Files) && slices.Equal(p.DependsOn, other.DependsOn) && slices.Equal(p.Observables, other.Observables)
}

func (e *edit) setGate(step string, g Gate) {
	if e.touched = true; step == StepRequirements {
		e.q.GateRequirements = g
	} else {
		e.q.GatePlan = g
	}
}

func (e *edit) approve(step string) {
	e.setGate(step, GateApproved)
	e.event(EventGateApproved, step, "", "gate", step, "size", e.q.gateSize())
	switch {
	case e.q.Errand():
		e.startErrand()
	case step == StepRequirements:
		e.lock()
		e.enter(PhasePlan)
	default:
		e.enter(PhaseSteps)
	}
}
