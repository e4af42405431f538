package orchestration_test

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// said is what became of one call of a question. The model keeps all of them in the order
// of the answers.
type said struct {
	question *orchestration.Question
	call     orchestration.Call
	decision orchestration.CallDecision // "": nobody answered in time
	at       time.Time
	used     bool
}

// permissions are what a person said about calls, as the model remembers it.
type permissions struct{ said []*said }

// newest is what was last said about exactly this call in the step; nil: nothing.
func (p *permissions) newest(step string, c orchestration.Call) *said {
	for _, s := range slices.Backward(p.said) {
		if s.question.Step == step && s.call.Text == c.Text {
			return s
		}
	}
	return nil
}

// allowed says whether people have allowed all rules of a call for a step, and at least one of
// them after something else was said.
func (p *permissions) allowed(step string, c orchestration.Call, before *said) (all, later bool) {
	all = true
	for _, rule := range c.Rules {
		one := false
		for i, s := range p.said {
			if slices.Contains(s.call.Rules, rule) && (s.decision == orchestration.AllowQuest || s.decision == orchestration.AllowStep && s.question.Step == step) {
				one = true
				later = later || before != nil && i > slices.Index(p.said, before) && s.question != before.question && (s.question.Step == step || s.at.After(before.at))
			}
		}
		all = all && one
	}
	return all, later
}

// mayPass says whether a call passes, and whether it is refused without a question. A denial
// is looked at first: it holds until something later allows this call.
func (p *permissions) mayPass(q *orchestration.Quest, r *orchestration.Run, c orchestration.Call) (passes, refused bool) {
	newest := p.newest(r.Step, c)
	all, later := p.allowed(r.Step, c, newest)
	switch {
	case newest != nil && newest.decision == orchestration.DenyCall:
		return all && later, !all || !later
	case all:
		return true, false
	case newest != nil && newest.decision == "":
		return false, p.alone(q, r, q.Run(newest.question.Run))
	default:
		return newest != nil && newest.decision == orchestration.AllowOnce && !newest.used, false
	}
}

// alone says whether a session went on from a run to another one without a person.
func (p *permissions) alone(q *orchestration.Quest, r, from *orchestration.Run) bool {
	itself := []orchestration.StartKind{orchestration.StartInterrupted, orchestration.StartNudge, orchestration.StartFollowupDone}
	begun := false
	for _, next := range q.Runs.All() {
		if next.SessionID != from.SessionID || !begun {
			begun = begun || next == from
			continue
		}
		overdue := next.Start == orchestration.StartAnswer && slices.ContainsFunc(p.said, func(s *said) bool { return s.question.Run == next.ResumedFrom && s.decision == "" })
		if !slices.Contains(itself, next.Start) && !overdue {
			return false
		}
	}
	return r.SessionID == from.SessionID
}

// permission checks what became of a call before which a run asked.
func (m *model) permission(prev, q *orchestration.Quest, f orchestration.PermissionAsked) error {
	r := prev.Run(f.Run)
	passes, refused := m.permits.mayPass(prev, r, f.Call)
	asked := q.Questions.Len() - prev.Questions.Len()
	if r.Signal != nil { // it joins the question
		last := q.Questions.At(q.Questions.Len() - 1)
		if asked != 0 || passes || refused || !q.AskedAbout(r.ID, f.Call) || !last.Open() {
			return fmt.Errorf("%s ends, and calls %q: passes %v, refused %v, %d questions", r.ID, f.Call.Text, passes, refused, asked)
		}
		return nil
	}
	waits := q.AskedAbout(r.ID, f.Call)
	switch {
	case refused:
		return fmt.Errorf("%s was denied %q, and asked again", r.ID, f.Call.Text)
	case passes && (waits || asked != 0 || q.Run(r.ID).Signal != nil):
		return fmt.Errorf("%s may call %q, and waits", r.ID, f.Call.Text)
	case !passes && (!waits || asked != 1 || q.Step(r.Step).Hold != orchestration.HoldQuestion || q.Run(r.ID).Signal == nil):
		return fmt.Errorf("%s calls %q, and nobody is asked: %d questions, hold %q", r.ID, f.Call.Text, asked, q.Step(r.Step).Hold)
	}
	if passes {
		newest := m.permits.newest(r.Step, f.Call)
		if all, _ := m.permits.allowed(r.Step, f.Call, nil); !all {
			newest.used = true
		}
		return nil
	}
	c := m.count(r.Step)
	c.Crash, c.Stuck, c.Nudge, c.Infra = 0, 0, 0, 0
	return nil
}

// decided remembers what a person said; no decisions: time was over.
func (m *model) decided(prev, q *orchestration.Quest, id string, decisions []orchestration.CallDecision) {
	question := prev.Question(id)
	for i, c := range question.Calls {
		s := &said{question: question, call: c, at: q.Question(id).AnsweredAt}
		if len(decisions) > 0 {
			s.decision = decisions[i]
		}
		m.permits.said = append(m.permits.said, s)
	}
}

func drawCall(rt *rapid.T) orchestration.Call {
	text := rapid.SampledFrom([]string{"git push a", "git push b", "curl c"}).Draw(rt, "call")
	rules := []string{"Bash(git push *)"}
	switch text {
	case "git push b":
		rules = append(rules, "Bash(git *)")
	case "curl c":
		rules = []string{"Bash(curl *)"}
	}
	return orchestration.Call{Tool: "Bash", Text: text, Rules: rules}
}

// asksPermission lets a run ask before a call. Often it asks before another one while it ends.
func (w *walk) asksPermission(r *orchestration.Run) {
	f := orchestration.PermissionAsked{Run: r.ID, Call: drawCall(w.rt), Why: "I need it"}
	passes, refused := w.m.permits.mayPass(w.q, r, f.Call)
	err := w.apply(f)
	if refused != (err != nil) {
		w.rt.Fatalf("%s asks before %q: %v, want a refusal: %v", r.ID, f.Call.Text, err, refused)
	}
	switch {
	case refused:
		w.cov.add("permission: denied before")
	case passes:
		w.cov.add("permission: passes")
	default:
		w.cov.add("permission: asked")
		if w.one("another call", 3) {
			f.Call = drawCall(w.rt)
			passes, refused = w.m.permits.mayPass(w.q, r, f.Call)
			if err := w.apply(f); (passes || refused) != (err != nil) {
				w.rt.Fatalf("%s ends, and asks before %q: %v; passes %v, refused %v", r.ID, f.Call.Text, err, passes, refused)
			}
			w.cov.add("permission: another call of the same run")
		}
	}
}

// decisionsOn are what the user may say about the calls of a question.
func (w *walk) answerOf(x *orchestration.Question) orchestration.AnswerGiven {
	f := orchestration.AnswerGiven{Question: x.ID, Answer: "this"}
	for range x.Calls {
		f.Decisions = append(f.Decisions, rapid.SampledFrom(orchestration.CallDecisions).Draw(w.rt, "decision"))
	}
	return f
}

// overdue lets the time of a question run out.
func (w *walk) overdue() {
	for _, x := range w.q.Questions.All() {
		at := w.q.OverdueAt(x)
		if at.IsZero() {
			continue
		}
		early := w.now.Before(at)
		w.must(orchestration.QuestionOverdue{Question: x.ID})
		if w.q.Question(x.ID).Open() != early {
			w.rt.Fatalf("%s: open %v at %v, and its time is up at %v", x.ID, !early, w.now, at)
		}
		if !early {
			w.cov.add("permission: nobody answered")
		}
		return
	}
}
