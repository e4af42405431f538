package orchestration

import "fmt"

func (q *Quest) mayMessage(f MessageSent) error {
	r := q.Run(f.Run)
	switch {
	case r == nil:
		return notFound("there is no run %s", f.Run)
	case !r.Role.Agent():
		return conflict("ward is the project's check command, not an agent; it takes no message")
	}
	if why := q.noMessage(r); why != "" {
		return conflict("%s", why)
	}
	return nil
}

// message ends a run and resumes its session with the text. The newest run of a blocked
// step accepts a message as well, and that ends the block.
func (e *edit) message(f MessageSent) error {
	if blank(f.Text) {
		err := invalid("write a message: the agent resumes with exactly this text")
		err.Fields = map[string]string{"text": "it is empty"}
		return err
	}
	r := e.q.Run(f.Run)
	e.event(EventRunMessaged, r.Step, r.ID, "text", f.Text)
	e.resumeWith(r, Brief{Message: f.Text})
	return nil
}

// resumeWith ends a run that accepts a message, and resumes its session with the
// message or the allowed rule of the brief.
func (e *edit) resumeWith(r *Run, said Brief) {
	if e.q.Step(r.Step).Hold == HoldBlocked {
		e.step(r.Step).Counts = Counts{}
	} else {
		e.endLive(r, OutcomeStopped)
	}
	l := again(e.q.Run(r.ID), StartMessage)
	l.Brief.Message, l.Brief.Allowed = said.Message, said.Allowed
	e.queue(l)
}

// noMessage says why a run accepts no message, and what to do instead.
func (q *Quest) noMessage(r *Run) string {
	step := q.Step(r.Step)
	newest, blocked := q.Run(step.Run), step.Run == r.ID && step.Hold == HoldBlocked
	switch {
	case step.Hold == HoldYours && (r.Waiting || step.Run == r.ID):
		return fmt.Sprintf("%s: %s; give it back first", step.ID, yoursWords(step.Block.By, ""))
	case r.Waiting && blocked:
		return fmt.Sprintf("run %s waits for %s, which cannot start because a limit was reached: retry or skip the step", r.ID,
			step.Block.Retry.Role)
	case r.Waiting:
		return q.waitsFor(r)
	case blocked && step.Block.Kind == BlockPartial:
		return fmt.Sprintf("run %s takes no message: its context is full; retry continues in a fresh session", r.ID)
	case blocked && r.Opened:
		return ""
	case blocked:
		return fmt.Sprintf("run %s never opened its session; retry starts it", r.ID)
	case step.Run == r.ID && (q.GateOf(step.ID) == GateOpen):
		return fmt.Sprintf("run %s is over and its work waits for your approval: send it back with a comment instead", r.ID)
	case r.Stopping != "" || r.State == RunSignalled || r.State == RunEnded:
		why := fmt.Sprintf("run %s is over (%s)", r.ID, q.endedAs(r))
		if newest.ID != r.ID && newest.State != RunEnded {
			why += fmt.Sprintf("; %s (%s) continues in its place", newest.ID, newest.Role)
		}
		return why
	case !r.Opened || r.State != RunRunning:
		return fmt.Sprintf("run %s has not opened its session yet; try again in a moment", r.ID)
	}
	return ""
}

// waitsFor says what a waiting run waits for.
func (q *Quest) waitsFor(r *Run) string {
	for _, question := range q.Questions.All() {
		if question.Run == r.ID && question.Open() {
			return fmt.Sprintf("run %s waits for an answer: answer question %s instead", r.ID, question.ID)
		}
	}
	return fmt.Sprintf("run %s waits for %s, which works on its behalf; message that run instead", r.ID, q.Step(r.Step).Run)
}
