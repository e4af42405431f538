package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// answerWithin is the askTimeout of the tests. The loop looks around every full minute anyway.
const answerWithin = 90*minute + 7*time.Second

// asked begins a quest whose agent asks before a push.
func (r *rig) asked() (*orchestration.Quest, *orchestration.Question) {
	r.t.Helper()
	const rule = "Bash(git push *)"
	q := r.quest(1, func(n *orchestration.NewQuest) {
		n.Asks = orchestration.Asks{Rules: []string{rule}, Timeout: answerWithin}
	})
	p := r.runs.only()
	p.observer.SessionOpened(p.spec.SessionID)
	call := orchestration.Call{Tool: "Bash", Text: "git push origin x", Rules: []string{rule}}
	if err := r.submit(q.ID, orchestration.PermissionAsked{Run: p.spec.RunID, Call: call}); err != nil {
		r.t.Fatal(err)
	}
	p.exit(orchestration.EndInterrupted)
	r.living(r.t, 0)
	q = r.now(q.ID)
	return q, q.Questions.At(0)
}

func allowOnce(question string) orchestration.AnswerGiven {
	return orchestration.AnswerGiven{Question: question, Decisions: []orchestration.CallDecision{orchestration.AllowOnce}}
}

// goesOnWithout fails unless the agent was resumed once, at this time, without its call.
func (r *rig) goesOnWithout(question *orchestration.Question, at time.Time) {
	r.t.Helper()
	next := r.runs.only()
	q := r.now(next.spec.QuestID)
	now := q.Question(question.ID)
	if late := next.born.Sub(at); late < 0 || late > r.redial() || !next.spec.Resume || !now.Overdue() || !now.AnsweredAt.Equal(at) || now.Calls[0].Decision != "" {
		r.t.Errorf("resumed %v at %s, want at %s; the question: %+v", next.spec.Resume, next.born, at, now)
	}
	if told := q.Run(next.spec.RunID).Brief.Answer; !strings.Contains(told, "nobody answered within 1h30m7s") {
		r.t.Errorf("the agent is told %q", told)
	}
	if n := r.runs.started(); n != 2 {
		r.t.Errorf("%d processes were started, want 2: the one that asked, and the one that goes on", n)
	}
}

// docs/state-machine.md#permission
func TestAskTimeout_endsAQuestionAtItsVeryMoment(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q, question := r.asked()
		pass(answerWithin - time.Second)
		r.living(t, 0)
		pass(time.Second)
		r.goesOnWithout(question, question.AskedAt.Add(answerWithin))
		if err := r.submit(q.ID, allowOnce(question.ID)); orchestration.CodeOf(err) != orchestration.CodeConflict || !strings.Contains(err.Error(), "nobody answered in time") {
			t.Errorf("an answer after it: %v, want a conflict", err)
		}
		r.goesOnWithout(question, question.AskedAt.Add(answerWithin))
	})
}

// A server that starts again measures from the moment of the question.
func TestAskTimeout_goesOnOverARestart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ down, ends time.Duration }{
		"up again in time": {10 * minute, answerWithin},
		"down at the time": {50 * minute, 100 * minute},
		"down until it":    {answerWithin - 50*minute, answerWithin},
		"down for a night": {600 * minute, 650 * minute},
		"up for a second":  {answerWithin - 50*minute - time.Second, answerWithin},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t)
				_, question := r.asked()
				pass(50 * minute)
				kill(r)
				pass(c.down)
				r.start()
				defer r.stop()
				if left := c.ends - 50*minute - c.down; left > 0 {
					pass(left - time.Second)
					r.living(t, 0)
					pass(time.Second)
				}
				r.goesOnWithout(question, question.AskedAt.Add(c.ends))
			})
		})
	}
}

// Whichever of the two comes first counts, and the other one changes nothing.
func TestAskTimeout_andAnAnswerAtTheSameMomentResumeOnce(t *testing.T) {
	t.Parallel()
	for _, before := range []time.Duration{time.Nanosecond, 0, -time.Nanosecond} {
		t.Run(before.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t)
				defer r.stop()
				q, question := r.asked()
				said := make(chan error, 1)
				go func() {
					time.Sleep(time.Until(question.AskedAt.Add(answerWithin - before)))
					_, err := r.Submit(t.Context(), q.ID, "user", allowOnce(question.ID))
					said <- err
				}()
				pass(91 * minute)
				err := <-said
				if err != nil {
					if before > 0 || orchestration.CodeOf(err) != orchestration.CodeConflict {
						t.Errorf("the answer was refused: %v", err)
					}
					r.goesOnWithout(question, question.AskedAt.Add(answerWithin))
					return
				}
				if now := r.now(q.ID).Question(question.ID); before < 0 || now.Overdue() || now.Calls[0].Decision != orchestration.AllowOnce {
					t.Errorf("the answer was accepted, and the question is %+v", now)
				}
				if n := r.runs.started(); n != 2 || len(r.runs.living()) != 1 {
					t.Errorf("%d processes were started, want 2", n)
				}
			})
		})
	}
}

// The server was asleep when the time ran out, and the first that it hears is the answer:
// nobody has told the agent anything else yet.
func TestAskTimeout_anAnswerThatTheServerHearsFirstCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := &wall{}
		r := newRig(t, func(c *engine.Config) { c.Clock = w.now })
		defer r.stop()
		q, question := r.asked()
		w.set(100 * minute)
		if err := r.submit(q.ID, allowOnce(question.ID)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if now := r.now(q.ID).Question(question.ID); now.Overdue() || now.Calls[0].Decision != orchestration.AllowOnce {
			t.Errorf("the question is %+v", now)
		}
		if next := r.runs.only(); !next.spec.Resume || r.runs.started() != 2 {
			t.Errorf("resumed %v, %d processes", next.spec.Resume, r.runs.started())
		}
	})
}
