package orchestration

import "slices"

// What the user presses on a quest as a whole. Every control is safe to press
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

// pause: no new run starts; with now, running ones are interrupted and will
// be resumed.
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
			e.queue(again(e.q.Run(r.ID), StartInterrupted))
		}
	}
}

func (q *Quest) mayResume() error {
	if w := q.Wait; w != nil && w.Kind != WaitStart {
		return conflict("%s", w.Reason)
	}
	return nil
}

// unpause ends the pause and every wait that is no question, gate or block.
// What the account's holds make of it is the engine's: they become probes.
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

// abandon ends the quest for good; its work stays where it is.
func (e *edit) abandon() {
	const why = "the quest was abandoned"
	e.q.Abandoned, e.q.EndedAt, e.touched = true, e.at, true // first: nothing is merged any more
	for _, id := range WholeLines {
		e.drop(id, why)
	}
	for n, s := range e.q.Steps.All() {
		if !s.Stage.Settled() && (s.Run != "" || s.Hold != HoldNone) {
			e.drop(e.q.Steps.At(n).ID, why)
		}
	}
	e.q.ready = nil
	e.event(EventQuestAbandoned, "", "")
	for _, id := range []string{LinePlan, LineReview} {
		e.release(id)
	}
	for _, s := range e.q.Steps.All() {
		if !s.Stage.Settled() {
			e.release(s.ID)
		}
	}
}

func (q *Quest) mayAnswer(f AnswerGiven) error {
	question := q.Question(f.Question)
	switch {
	case question == nil:
		return notFound("there is no question %s", f.Question)
	case !question.AnsweredAt.IsZero():
		return conflict("%s answered already: %s", question.AnsweredBy, question.Answer)
	case question.Closed != "":
		return conflict("%s", question.Closed)
	}
	return nil
}

// answer: the first one counts and resumes the run that asked.
func (e *edit) answer(f AnswerGiven) error {
	if blank(f.Answer) {
		err := invalid("write an answer: the agent resumes with exactly this text")
		err.Fields = map[string]string{"answer": "it is empty"}
		return err
	}
	q := e.question(f.Question)
	q.Answer, q.AnsweredBy, q.AnsweredAt = f.Answer, e.actor, e.at
	e.event(EventQuestionAnswered, q.Line, q.Run, "question", q.ID, "answer", f.Answer)
	r := e.q.Run(q.Run)
	e.queue(Launch{Role: r.Role, Line: r.Line, Start: StartAnswer, ResumedFrom: r.ID, ReturnTo: r.ReturnTo,
		Brief: withAnswer(r.Brief, q.Text, f.Answer)})
	return nil
}

func withAnswer(b Brief, question, answer string) Brief {
	b.Question, b.Answer = question, answer
	return b
}

// GateOf is how far the approval of the requirements or the plan is; "" for any
// other line.
func (q *Quest) GateOf(line string) Gate {
	switch line {
	case LineRequirements:
		return q.GateRequirements
	case LinePlan:
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
		return nil // feedback is taken then, gate or none
	case state != GateOpen:
		return conflict("the gate %s is not open (%s)", f.Gate, state)
	}
	return nil
}

// blockedDocument: who writes the requirements or the plan is blocked.
func (q *Quest) blockedDocument(line string) bool {
	return q.Line(line).Hold == HoldBlocked && (line != LinePlan || q.Phase == PhasePlan) // later its tree serves the baseline
}

// gate: approve, or send back with feedback, which resumes the session.
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
	if e.q.GateOf(f.Gate) != GateOff {
		e.setGate(f.Gate, GatePending)
	}
	if e.q.blockedDocument(f.Gate) {
		e.step(f.Gate).Counts = Counts{}
	}
	e.event(EventGateSentBack, f.Gate, "", "gate", f.Gate, "feedback", f.Feedback, "document", e.q.document(f.Gate))
	last := e.q.Run(e.q.Line(f.Gate).Run)
	for last.Role == Ward && last.ReturnTo != "" { // who waits for the check can make something of it
		last = e.q.Run(last.ReturnTo)
	}
	l := Launch{Role: last.Role, Line: f.Gate, Start: StartFeedback, ReturnTo: last.ReturnTo, ResumedFrom: last.ID,
		Brief: Brief{Feedback: f.Feedback}}
	if !last.Opened {
		if last.Waiting { // the fresh session goes on in its place
			e.run(last.ID).Waiting = false
		}
		l.Brief = e.q.asked(last.Launch)
		l.Brief.Feedback = f.Feedback
		l.Start, l.ResumedFrom = StartHandoff, ""
	}
	e.queue(l)
	return nil
}

func (e *edit) setGate(line string, g Gate) {
	if e.touched = true; line == LineRequirements {
		e.q.GateRequirements = g
	} else {
		e.q.GatePlan = g
	}
}

func (e *edit) approve(line string) {
	e.setGate(line, GateApproved)
	e.event(EventGateApproved, line, "", "gate", line)
	if line == LineRequirements {
		e.lock()
		e.enter(PhasePlan)
	} else {
		e.enter(PhaseSteps)
	}
}
