package orchestration_test

import (
	"fmt"
	"slices"
	"strings"

	"questboard/orchestration"
)

// remember notes in the walk's own words what the user decides with an accepted input.
func (w *walk) remember(before *orchestration.Quest, f orchestration.InputKind) {
	add := func(kind orchestration.DecisionKind, step, text string) {
		w.decided = append(w.decided, orchestration.Decision{Kind: kind, Step: step, Text: text})
		w.cov.add("decided: " + string(kind))
	}
	forget := func(kind orchestration.DecisionKind, step string) {
		w.decided = slices.DeleteFunc(w.decided, func(d orchestration.Decision) bool { return d.Kind == kind && d.Step == step })
	}
	switch f := f.(type) {
	case orchestration.AnswerGiven:
		if !before.Question(f.Question).AsksPermission() {
			add(orchestration.DecidedAnswer, before.Question(f.Question).Step, f.Answer)
		}
	case orchestration.GateDecided:
		if !f.Approve {
			add(orchestration.DecidedFeedback, f.Gate, f.Feedback)
		}
	case orchestration.MessageSent:
		add(orchestration.DecidedMessage, before.Run(f.Run).Step, f.Text)
	case orchestration.RetryPressed:
		if f.Instructions != "" {
			add(orchestration.DecidedRetry, f.Step, f.Instructions)
		}
	case orchestration.ResplitPressed:
		forget(orchestration.DecidedComments, f.Step) // as with a skip
		add(orchestration.DecidedSplit, f.Step, f.Reason)
	case orchestration.SkipPressed:
		forget(orchestration.DecidedComments, f.Step) // those that no agent has seen end with the step
		add(orchestration.DecidedSkip, f.Step, f.Reason)
	case orchestration.SkipUndone:
		forget(orchestration.DecidedSkip, f.Step)
	case orchestration.CommentsSent:
		if s := before.Step(f.Step); s != nil && s.Stage != orchestration.StageDone {
			add(orchestration.DecidedComments, f.Step, f.Comments[0].Text)
		}
	case orchestration.MarkDonePressed: // the person has seen to the comments
		forget(orchestration.DecidedComments, f.Step)
	case orchestration.ChangeRequested:
		add(orchestration.DecidedChange, "", f.Text)
	}
}

// remembers checks that all that the user decided is among the quest's decisions.
func (w *walk) remembers() error {
	list := w.q.Decisions()
	for _, want := range w.decided {
		if !slices.ContainsFunc(list, func(d orchestration.Decision) bool {
			return d.Kind == want.Kind && d.Step == want.Step && strings.Contains(d.Text, want.Text)
		}) {
			return fmt.Errorf("what the user decided is forgotten: %+v, of %+v", want, list)
		}
	}
	for i, d := range list {
		if !slices.Contains(orchestration.DecisionKinds, d.Kind) {
			return fmt.Errorf("a decision of no kind: %+v", d)
		}
		if i > 0 && !d.At.IsZero() && d.At.Before(list[i-1].At) {
			return fmt.Errorf("decisions are not in order: %+v", list)
		}
	}
	return nil
}
