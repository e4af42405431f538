package orchestration

import (
	"fmt"
	"strings"
)

// continueFresh continues the work in a fresh session of the same role, because the
// context of the old one is full. If a run waited for the old one, it now waits for the
// new one.
func (e *edit) continueFresh(r *Run, s Signal) error {
	e.goOn(r, s.Progress, s.ContinuationPoint)
	return nil
}

func (e *edit) goOn(r *Run, progress, point string) {
	l := Launch{Role: r.Role, Step: r.Step, Start: StartContinuation, ReturnTo: r.ReturnTo, Brief: e.q.asked(r.begun())}
	l.Brief.Progress, l.Brief.ContinuationPoint = progress, point
	step := e.step(r.Step)
	step.Counts.Partial++
	if limit := e.q.limits().Partial; step.Counts.Partial > limit {
		e.block(r.Step, BlockPartial, fmt.Sprintf("%s ran out of its context window %d times, and %d continuations are allowed", r.Role.Name(),
			step.Counts.Partial, limit), l)
		return
	}
	e.queue(l)
}

// ask opens a question. The run ends and frees its slot; the answer will resume its
// session.
func (e *edit) ask(r *Run, s Signal) error {
	e.openQuestion(r, &Question{Text: s.Question, Context: s.Context, Wall: s.Wall})
	return nil
}

// openQuestion makes the run wait for the answer to a question.
func (e *edit) openQuestion(r *Run, q *Question) {
	n := e.q.Questions.Len()
	q.ID, q.Run, q.Step, q.Role, q.AskedAt = questionID(e.q.ID, n+1), r.ID, r.Step, r.Role, e.at
	e.q.Questions = e.q.Questions.Append(q)
	e.questions[n] = true
	e.run(r.ID).Waiting = true
	step := e.step(r.Step)
	step.Hold, step.HoldsFiles = HoldQuestion, false
	e.event(EventQuestionAsked, r.Step, r.ID, "question", q.ID, "text", q.Says(), "wall", string(q.Wall), "rule", q.matched())
}

// followup starts another role. With resume: true, this run waits for the other role,
// unless it was the last look of a review.
// With resume: false, the other role takes this run's place: a run that waited for this
// one now waits for the other role.
func (e *edit) followup(r *Run, s Signal) error {
	step := e.step(r.Step)
	l := Launch{Role: s.TargetRole, Step: r.Step, Start: StartFollowup, ReturnTo: r.ReturnTo,
		Brief: Brief{Kind: BriefRole, From: r.Role, Reason: s.Reason, Context: s.Context}}
	if *s.Resume && !e.q.isVerdict(r, e.heard) {
		e.run(r.ID).Waiting = true
		l.ReturnTo = r.ID
	}
	if e.q.Besieges(r) { // one that was over and is resumed has found something after all
		step.forgetSiege()
	}
	hand := strings.Join([]string{string(r.Role), string(s.TargetRole), s.Reason}, " ")
	again := step.Counts.LastFollowup == hand
	step.Counts.LastFollowup = hand
	step.Counts.Followups++
	if e.q.Looks(r) {
		if e.lookEnded(r, s); again {
			e.round(step) // no block: it comes to an end with the rounds
			again = false
		}
	} else if r.ReturnTo == "" && r.Role.judges(step) {
		step.forgetVerdict() // who judges has found something
	}
	e.lookAsked(l)
	if limit := e.q.limits().Followups; step.Counts.Followups > limit {
		e.block(r.Step, BlockFollowups, fmt.Sprintf("%d hand-overs between roles, and %d are allowed: %s", step.Counts.Followups, limit,
			e.q.chain(l)), l)
		return nil
	}
	if again {
		e.block(r.Step, BlockRepeat, fmt.Sprintf("%s asked %s for the same thing twice in a row (%s): %s", r.Role.Name(), s.TargetRole.Name(),
			firstLine(s.Reason), e.q.chain(l)), l)
		return nil
	}
	e.queue(l)
	return nil
}

// chain names the runs that wait for each other, from the new launch down to the first
// run.
func (q *Quest) chain(l Launch) string {
	words := []string{l.Role.Name()}
	for id := l.ReturnTo; id != ""; {
		r := q.Run(id)
		words = append(words, r.Role.Name()+" ("+r.ID+") waits")
		id = r.ReturnTo
	}
	return strings.Join(words, ", for which ")
}
