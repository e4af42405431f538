package orchestration

import (
	"fmt"
	"strings"
)

// continueFresh: a fresh session of the same role goes on, with the same
// return. Never a resume: that context is full.
func (e *edit) continueFresh(r *Run, s Signal) error {
	e.goOn(r, s.Progress, s.ContinuationPoint)
	return nil
}

func (e *edit) goOn(r *Run, progress, point string) {
	l := Launch{Role: r.Role, Line: r.Line, Start: StartContinuation, ReturnTo: r.ReturnTo, Brief: e.q.asked(r.Launch)}
	l.Brief.Progress, l.Brief.ContinuationPoint = progress, point
	line := e.step(r.Line)
	line.Counts.Partial++
	if limit := e.q.limits().Partial; line.Counts.Partial > limit {
		e.block(r.Line, BlockPartial, fmt.Sprintf("%s ran out of its context window %d times, and %d continuations are allowed", r.Role, line.Counts.Partial, limit), l)
		return
	}
	e.queue(l)
}

// ask: a question is open and the slot is free; the answer resumes.
func (e *edit) ask(r *Run, s Signal) error {
	n := e.q.Questions.Len()
	q := &Question{ID: questionID(e.q.ID, n+1), Run: r.ID, Line: r.Line, Role: r.Role,
		Text: s.Question, Context: s.Context, AskedAt: e.at}
	e.q.Questions = e.q.Questions.Append(q)
	e.questions[n] = true
	e.run(r.ID).Waiting = true
	line := e.step(r.Line)
	line.Hold, line.HoldsFiles = HoldQuestion, false
	e.event(EventQuestionAsked, r.Line, r.ID, "question", q.ID, "text", s.Question)
	return nil
}

// followup: another role acts first (resume) or instead (no resume: it hands
// on this run's own return).
func (e *edit) followup(r *Run, s Signal) error {
	line := e.step(r.Line)
	l := Launch{Role: s.TargetRole, Line: r.Line, Start: StartFollowup, ReturnTo: r.ReturnTo,
		Brief: Brief{From: r.Role, Reason: s.Reason, Context: s.Context}}
	if *s.Resume {
		e.run(r.ID).Waiting = true
		l.ReturnTo = r.ID
	} else if r.Line == LineReview && r.Role == Lawbringer && r.ReturnTo == "" && s.TargetRole != PathSeeker {
		line.Verdict = true // the findings are the verdict: mended and checked is good
	}
	hand := strings.Join([]string{string(r.Role), string(s.TargetRole), s.Reason}, " ")
	again := line.Counts.LastFollowup == hand
	line.Counts.LastFollowup = hand
	line.Counts.Followups++
	if limit := e.q.limits().Followups; line.Counts.Followups > limit {
		e.block(r.Line, BlockFollowups, fmt.Sprintf("%d hand-overs between roles, and %d are allowed: %s", line.Counts.Followups, limit, e.q.chain(l)), l)
		return nil
	}
	if again {
		e.block(r.Line, BlockRepeat, fmt.Sprintf("%s asked %s for the same thing twice in a row (%s): %s", r.Role, s.TargetRole, firstLine(s.Reason), e.q.chain(l)), l)
		return nil
	}
	e.queue(l)
	return nil
}

// chain names who waits for whom, from the launch down to the bottom run.
func (q *Quest) chain(l Launch) string {
	words := []string{string(l.Role)}
	for id := l.ReturnTo; id != ""; {
		r := q.Run(id)
		words = append(words, string(r.Role)+" ("+r.ID+") waits")
		id = r.ReturnTo
	}
	return strings.Join(words, ", for which ")
}
