package orchestration_test

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// press is a control of the quest, a step or a run, with the input that it makes.
type press struct {
	control orchestration.Control
	offered bool
	input   orchestration.InputKind
	step    *orchestration.Step // nil: of the quest
	run     *orchestration.Run
}

// presses returns every control, whether it is offered or not.
func (w *walk) presses() []press {
	own := w.q.Controls(w.now, w.holds)
	list := []press{
		{control: orchestration.ControlPause, input: orchestration.PausePressed{}},
		{control: orchestration.ControlPauseNow, input: orchestration.PausePressed{Now: true}},
		{control: orchestration.ControlResume, input: orchestration.ResumePressed{}},
		{control: orchestration.ControlAbandon, input: orchestration.AbandonPressed{}},
		{control: orchestration.ControlEdit, input: orchestration.QuestEdited{}},
		{control: orchestration.ControlAccept, input: orchestration.BaselineAcceptPressed{}},
		{control: orchestration.ControlDeliver, input: orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"}},
		{control: orchestration.ControlPush, input: orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"}},
		{control: orchestration.ControlLeave, input: orchestration.WorkLeft{}},
		{control: orchestration.ControlChange, input: orchestration.ChangeRequested{Text: "in blue"}},
		{control: orchestration.ControlReview, input: orchestration.ReviewPressed{}},
		{control: orchestration.ControlComments, input: orchestration.CommentsSent{Comments: []orchestration.Comment{{File: "f0", Text: "why?"}}}},
	}
	for i := range list {
		list[i].offered = slices.Contains(own, list[i].control)
	}
	possible := w.q.SizesPossible()
	if slices.Contains(own, orchestration.ControlSize) != (len(possible) > 0) {
		w.rt.Fatalf("a size is offered, and %v are possible", possible)
	}
	for _, s := range orchestration.Sizes[1:] {
		list = append(list, press{control: orchestration.ControlSize, offered: slices.Contains(possible, s), input: orchestration.SizeChosen{Size: s}})
	}
	for _, s := range w.steps() {
		list = append(list, w.ofStep(s)...)
	}
	for _, r := range w.q.Runs.All() {
		controls := w.q.RunControls(r)
		list = append(list,
			press{orchestration.ControlStop, slices.Contains(controls, orchestration.ControlStop), orchestration.StopPressed{Run: r.ID}, nil, r},
			press{orchestration.ControlMessage, slices.Contains(controls, orchestration.ControlMessage), orchestration.MessageSent{Run: r.ID, Text: "mind the tests"}, nil, r},
			press{orchestration.ControlAllow, slices.Contains(controls, orchestration.ControlAllow), orchestration.RuleAllowed{Run: r.ID, Rule: "WebFetch(domain:x.org)", For: orchestration.AllowStep}, nil, r})
	}
	return list
}

func (w *walk) ofStep(s *orchestration.Step) []press {
	controls := w.q.StepControls(s)
	var list []press
	add := func(c orchestration.Control, f orchestration.InputKind) {
		list = append(list, press{c, slices.Contains(controls, c), f, s, nil})
	}
	for _, x := range w.q.Questions.All() {
		if x.Step == s.ID && (x.Open() || !slices.Contains(controls, orchestration.ControlAnswer)) {
			add(orchestration.ControlAnswer, w.answerOf(x))
		}
	}
	add(orchestration.ControlApprove, orchestration.GateDecided{Gate: s.ID, Approve: true})
	add(orchestration.ControlFeedback, orchestration.GateDecided{Gate: s.ID, Feedback: "shorter"})
	add(orchestration.ControlRetry, orchestration.RetryPressed{Step: s.ID})
	// With retry but without retry-fresh, a fresh retry would be a plain one.
	if !slices.Contains(controls, orchestration.ControlRetry) || slices.Contains(controls, orchestration.ControlRetryFresh) {
		add(orchestration.ControlRetryFresh, orchestration.RetryPressed{Step: s.ID, Fresh: true})
	}
	add(orchestration.ControlEdit, orchestration.StepEdited{Step: s.ID})
	add(orchestration.ControlResplit, orchestration.ResplitPressed{Step: s.ID, Reason: "too large"})
	add(orchestration.ControlSkip, orchestration.SkipPressed{Step: s.ID, Reason: "not now"})
	add(orchestration.ControlTakeOver, orchestration.TakeOverPressed{Step: s.ID})
	add(orchestration.ControlFallback, orchestration.FallbackPressed{Step: s.ID})
	add(orchestration.ControlMarkDone, orchestration.MarkDonePressed{Step: s.ID})
	add(orchestration.ControlPriority, orchestration.StepEdited{Step: s.ID, Priority: new(orchestration.Priority)})
	add(orchestration.ControlUndoSkip, orchestration.SkipUndone{Step: s.ID})
	add(orchestration.ControlComments, orchestration.CommentsSent{Step: s.ID, Comments: []orchestration.Comment{{File: "f0", Text: "why?"}}})
	return list
}

// pressable checks every control. Apply must accept each control that is offered, and it
// must have its effect. Apply must refuse each other control, or the control was pressed
// before and changes nothing.
func (w *walk) pressable() error {
	for _, p := range w.presses() {
		if p.control == orchestration.ControlUndoSkip && p.step.Stage == orchestration.StageSkipped && p.offered != (!w.q.Over() && !w.q.Changing() && !w.m.late[p.step.ID]) {
			return fmt.Errorf("undo the skip of %s: offered %v, too late %v", p.step.ID, p.offered, w.m.late[p.step.ID])
		}
		t, err := orchestration.Apply(w.q, orchestration.Input{At: w.now, Actor: "user", Kind: p.input})
		switch {
		case !p.offered && err == nil && !t.Empty():
			return fmt.Errorf("%s is not offered, and Apply takes %T %+v", p.control, p.input, p.input)
		case !p.offered:
			continue
		case err != nil:
			return fmt.Errorf("%s is offered, and Apply refuses %T %+v: %w", p.control, p.input, p.input, err)
		case p.control == orchestration.ControlResume && t.Empty() && len(w.q.OwnHolds(w.holds, w.now)) > 0:
			continue // trying the account again is a matter of the engine
		case t.Empty() || !p.did(t.Quest):
			return fmt.Errorf("%s is offered and does not do what it says: %T %+v", p.control, p.input, p.input)
		}
		if err := w.asSeen(p); err != nil {
			return err
		}
		if err := orchestration.Check(t.Quest); err != nil {
			return fmt.Errorf("%s is offered, and after %T %+v: %w", p.control, p.input, p.input, err)
		}
		w.cov.add("offered: " + string(p.control))
	}
	for _, s := range w.steps() {
		w.earlier[s.ID] = s.State()
	}
	if can := slices.Contains(w.q.Controls(w.now, w.holds), orchestration.ControlDelete); can != (w.q.Over() && len(w.q.OpenRuns()) == 0) {
		return fmt.Errorf("delete is offered: %v", can)
	}
	if can := slices.Contains(w.q.Controls(w.now, w.holds), orchestration.ControlFollowUp); can != w.q.Over() {
		return fmt.Errorf("a follow-up is offered: %v", can)
	}
	return nil
}

// asSeen: a decision about the step as it is counts, and one about the step as it was
// before does not.
func (w *walk) asSeen(p press) error {
	step := p.step
	switch f := p.input.(type) {
	case orchestration.MessageSent:
		step = w.q.Step(w.q.Run(f.Run).Step)
	case orchestration.RetryPressed, orchestration.SkipPressed, orchestration.SkipUndone, orchestration.TakeOverPressed,
		orchestration.MarkDonePressed, orchestration.ResplitPressed:
	default:
		return nil
	}
	for state, counts := range map[string]bool{step.State(): true, w.earlier[step.ID]: false} {
		if state == "" || !counts && state == step.State() {
			continue
		}
		f := orchestration.AsSeen{Step: step.ID, State: state, Decision: p.input}
		_, err := orchestration.Apply(w.q, orchestration.Input{At: w.now, Actor: "user", Kind: f})
		if (err == nil) != counts {
			return fmt.Errorf("%s of %s, which is %s, as seen when it was %q: %w", p.control, step.ID, step.State(), state, err)
		}
	}
	return nil
}

// did reports whether the control has had its effect on the quest.
func (p press) did(q *orchestration.Quest) bool {
	if p.control == orchestration.ControlAllow {
		return slices.Contains(q.Allowances, orchestration.Allowance{Rule: "WebFetch(domain:x.org)", Step: p.run.Step})
	}
	if p.run != nil {
		s := q.Step(p.run.Step)
		if p.control == orchestration.ControlStop {
			return s.Hold == orchestration.HoldBlocked && s.Block.Kind == orchestration.BlockStopped
		}
		return p.next(q, s).ResumedFrom == p.run.ID && p.next(q, s).Brief.Message != ""
	}
	if p.step == nil {
		switch p.control {
		case orchestration.ControlPause, orchestration.ControlPauseNow:
			return q.Paused
		case orchestration.ControlResume:
			return !q.Paused && (q.Wait == nil || q.Wait.Kind != orchestration.WaitStart)
		case orchestration.ControlAbandon:
			return q.Abandoned
		case orchestration.ControlAccept:
			return q.Baseline == orchestration.BaselineAccepted
		case orchestration.ControlDeliver, orchestration.ControlPush:
			return q.Delivered != nil
		case orchestration.ControlLeave:
			return !q.LeftAt.IsZero()
		case orchestration.ControlChange:
			return q.Changing()
		case orchestration.ControlSize:
			return q.Size == p.input.(orchestration.SizeChosen).Size
		case orchestration.ControlReview:
			return q.Phase == orchestration.PhaseReview
		default:
			return true
		}
	}
	s := q.Step(p.step.ID)
	switch p.control {
	case orchestration.ControlAnswer:
		return p.next(q, s).Start == orchestration.StartAnswer
	case orchestration.ControlApprove:
		return s.Stage == orchestration.StageDone || q.Baseline == orchestration.BaselinePending
	case orchestration.ControlFeedback:
		if q.Size == orchestration.SizeErrand {
			s = q.Step(orchestration.StepRequirements)
		}
		return p.next(q, s).Brief.Feedback != ""
	case orchestration.ControlRetry:
		return p.next(q, s).Role == p.step.Block.Retry.Role
	case orchestration.ControlRetryFresh:
		return p.next(q, s).Role == p.step.Block.Retry.Role && p.next(q, s).ResumedFrom == ""
	case orchestration.ControlResplit:
		return p.next(q, s).Role == orchestration.PathSeeker
	case orchestration.ControlSkip:
		return s.Stage == orchestration.StageSkipped
	case orchestration.ControlTakeOver:
		return yours(q, s.ID) == nil
	case orchestration.ControlFallback:
		return p.next(q, s).ResumedFrom == "" && p.next(q, s).With != ""
	case orchestration.ControlMarkDone:
		return p.next(q, s).Role == orchestration.Ward && s.Verdict
	case orchestration.ControlUndoSkip:
		return s.Stage == orchestration.StageReady || s.Stage == orchestration.StageWaiting
	default:
		return true
	}
}

// next returns the run of the step that waits for a slot.
func (p press) next(q *orchestration.Quest, s *orchestration.Step) *orchestration.Run {
	if r := q.Run(s.Run); s.Hold == orchestration.HoldNone && r.State == orchestration.RunQueued {
		return r
	}
	return &orchestration.Run{}
}
