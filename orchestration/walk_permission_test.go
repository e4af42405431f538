package orchestration_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// permissions are what a person said about calls, as the model remembers it.
type permissions struct {
	rules map[string]bool // "step rule" and "quest rule"
	once  map[string]bool // "step call": it may still be made
	no    map[string]bool // "step call"
}

// mayPass says whether a call passes, and whether it is refused without a question.
func (p *permissions) mayPass(step string, c orchestration.Call) (passes, refused bool) {
	key := step + " " + c.Text
	open := slices.ContainsFunc(c.Rules, func(rule string) bool { return !p.rules[step+" "+rule] && !p.rules["* "+rule] })
	switch {
	case !open:
		return true, false
	case p.no[key]:
		return false, true
	default:
		return p.once[key], false
	}
}

// permission checks what became of a call before which a run asked.
func (m *model) permission(prev, q *orchestration.Quest, f orchestration.PermissionAsked) error {
	r := prev.Run(f.Run)
	if r.Signal != nil { // it joins the question, or changes nothing
		if q.Questions.Len() != prev.Questions.Len() {
			return fmt.Errorf("%s asked a second question", r.ID)
		}
		return nil
	}
	passes, refused := m.permits.mayPass(r.Step, f.Call)
	asked := q.Questions.Len() - prev.Questions.Len()
	switch {
	case refused:
		return fmt.Errorf("%s was denied %q, and asked again", r.ID, f.Call.Text)
	case passes && (!q.Permits(r.ID) || asked != 0):
		return fmt.Errorf("%s may call %q, and waits", r.ID, f.Call.Text)
	case !passes && (q.Permits(r.ID) || asked != 1 || q.Step(r.Step).Hold != orchestration.HoldQuestion || q.Run(r.ID).Signal == nil):
		return fmt.Errorf("%s calls %q, and nobody is asked: %d questions, hold %q", r.ID, f.Call.Text, asked, q.Step(r.Step).Hold)
	}
	if passes {
		if key := r.Step + " " + f.Call.Text; slices.ContainsFunc(f.Call.Rules, func(rule string) bool { return !m.permits.rules[r.Step+" "+rule] && !m.permits.rules["* "+rule] }) {
			m.permits.once[key] = false
		}
		return nil
	}
	c := m.count(r.Step)
	c.Crash, c.Stuck, c.Nudge, c.Infra = 0, 0, 0, 0
	return nil
}

// decided remembers what a person said.
func (m *model) decided(prev *orchestration.Quest, f orchestration.AnswerGiven) {
	question := prev.Question(f.Question)
	for i, d := range f.Decisions {
		c := question.Calls[i]
		key := question.Step + " " + c.Text
		switch d {
		case orchestration.AllowOnce:
			m.permits.once[key], m.permits.no[key] = true, false
		case orchestration.DenyCall:
			m.permits.once[key], m.permits.no[key] = false, true
		default:
			scope := map[orchestration.CallDecision]string{orchestration.AllowStep: question.Step, orchestration.AllowQuest: "*"}[d]
			for _, rule := range c.Rules {
				m.permits.rules[scope+" "+rule] = true
			}
		}
	}
}

func drawCall(rt *rapid.T) orchestration.Call {
	text := rapid.SampledFrom([]string{"git push a", "git push b", "curl c"}).Draw(rt, "call")
	rules := []string{"Bash(git push *)"}
	if text == "curl c" {
		rules = []string{"Bash(curl *)"}
	}
	return orchestration.Call{Tool: "Bash", Text: text, Rules: rules}
}

// asksPermission lets a run ask before a call. Often it asks before another one while it ends.
func (w *walk) asksPermission(r *orchestration.Run) {
	f := orchestration.PermissionAsked{Run: r.ID, Call: drawCall(w.rt), Why: "I need it"}
	passes, refused := w.m.permits.mayPass(r.Step, f.Call)
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
			w.must(orchestration.PermissionAsked{Run: r.ID, Call: drawCall(w.rt)})
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
		at := w.q.DeniesAt(x)
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
