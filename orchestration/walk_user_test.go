package orchestration_test

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"questboard/orchestration"
)

// press makes one move that the user may make now.
func (w *walk) press() {
	moves := w.decisions()
	if len(moves) == 0 || w.one("meddles", 3) {
		moves = append(moves, w.controls()...)
	}
	if len(moves) == 0 {
		return
	}
	m := moves[w.pick("press", len(moves))]
	if _, is := m.input.(orchestration.ChangeRequested); is {
		w.noteChange()
	}
	w.must(m.input)
	w.cov.add("control: " + m.name)
}

type move struct {
	name  string
	input orchestration.InputKind
}

// decisions returns the decisions that something waits for. A helpful user makes one.
func (w *walk) decisions() []move {
	var moves []move
	add := func(name string, f orchestration.InputKind) { moves = append(moves, move{name, f}) }
	for _, x := range w.q.Questions.All() {
		if x.Open() {
			add("answer", w.answerOf(x))
		}
	}
	for _, gate := range []string{orchestration.StepRequirements, orchestration.StepPlan} {
		open := w.q.GateRequirements
		if gate == orchestration.StepPlan {
			open = w.q.GatePlan
		}
		if open == orchestration.GateOpen {
			add("gate", orchestration.GateDecided{Gate: gate, Approve: true})
			if gate == orchestration.StepPlan && w.q.Size != orchestration.SizeErrand && w.one("sends the plan back", 4) {
				add("send back", orchestration.GateDecided{Gate: gate, Feedback: "is that all?"})
			}
		}
	}
	if w.q.Baseline == orchestration.BaselineRed && len(w.q.KnownFaults) > 0 {
		add("accept", orchestration.BaselineAcceptPressed{})
	}
	for _, s := range w.steps() {
		if s.Hold == orchestration.HoldYours {
			add("give back", orchestration.RetryPressed{Step: s.ID, Fresh: w.one("fresh", 2)})
			if !w.lives(s.ID) {
				add("done", orchestration.MarkDonePressed{Step: s.ID})
			}
		}
		if s.Hold == orchestration.HoldBlocked {
			add("retry", orchestration.RetryPressed{Step: s.ID, Fresh: w.one("fresh", 2)})
			add("retry with instructions", orchestration.RetryPressed{Step: s.ID, Fresh: w.one("fresh", 2), Instructions: fmt.Sprint("try ", w.q.Version)})
		}
	}
	if wait := w.q.Wait; wait != nil && wait.Kind != orchestration.WaitStart {
		budget, limits := 0.0, w.q.Limits
		limits.Runs = 5000
		add("edit", orchestration.QuestEdited{BudgetUSD: &budget, Limits: &limits})
	}
	if wait := w.q.Wait; w.q.Paused && (wait == nil || wait.Kind == orchestration.WaitStart) || wait != nil && wait.Kind == orchestration.WaitStart {
		add("resume", orchestration.ResumePressed{})
	}
	if w.q.Phase == orchestration.PhaseRequirements {
		title := "My title"
		add("title", orchestration.QuestEdited{Title: &title})
	}
	if w.q.Asks.Timeout == 0 && w.one("asks for a time", 4) {
		add("ask", orchestration.QuestEdited{Asks: &orchestration.Asks{Rules: []string{"Bash(git push *)"}, Timeout: time.Hour}})
	}
	return moves
}

// controls returns what the user may press at any time.
func (w *walk) controls() []move {
	var moves []move
	add := func(name string, f orchestration.InputKind) { moves = append(moves, move{name, f}) }
	if !w.q.Paused {
		add("pause", orchestration.PausePressed{Now: w.one("now", 2)})
	}
	for _, r := range w.q.OpenRuns() {
		if r.State == orchestration.RunQueued && w.lives(r.Step) && w.one("in the queue", 2) {
			add("stop in the queue", orchestration.StopPressed{Run: r.ID})
		}
		if r.State == orchestration.RunRunning && r.Stopping == "" {
			add("stop", orchestration.StopPressed{Run: r.ID})
			if r.Role.Agent() && r.Opened {
				add("message", orchestration.MessageSent{Run: r.ID, Text: "mind the tests"})
			}
		}
	}
	if w.q.Phase != orchestration.PhaseRequirements && len(w.q.Changes) < 2 && w.one("another wish", 3) {
		add("change", orchestration.ChangeRequested{Text: fmt.Sprint("wish ", w.q.Version)})
	}
	moves = append(append(moves, w.priorities()...), w.sizes()...)
	if siege := rapid.SampledFrom(append([]orchestration.Siege{""}, orchestration.Sieges...)).Draw(w.rt, "another siege"); w.one("sieges", 2) {
		programs := drawPrograms(w.rt)
		add("programs", orchestration.QuestEdited{Programs: &programs})
		add("siege", orchestration.QuestEdited{Siege: &siege})
	}
	if w.one("another check", 3) {
		check := fmt.Sprint("make check-", w.q.Version)
		add("check", orchestration.QuestEdited{Ward: &check})
	}
	for _, s := range w.steps() {
		if r := w.q.Run(s.Run); r != nil && r.State == orchestration.RunQueued && w.q.FallbackFor(s.ID) != "" {
			add("go on with another program", orchestration.FallbackPressed{Step: s.ID})
		}
		if f, ok := w.commentOn(s); ok {
			name := "comment"
			if s.Stage == orchestration.StageDone {
				name = "comment on what is merged"
			}
			add(name, f)
		}
	}
	for _, s := range w.q.Steps.All() {
		if s.Stage == orchestration.StageSkipped && !w.m.late[s.ID] && !w.q.Changing() {
			add("undo a skip", orchestration.SkipUndone{Step: s.ID})
		}
		if w.q.GatePlan == orchestration.GateOpen && s.Stage == orchestration.StageWaiting && !hasBegun(s) && w.q.Size != orchestration.SizeErrand {
			add("edit at the gate", w.edited(s))
		}
		if w.q.Phase != orchestration.PhaseSteps && (!w.q.Changing() || !s.Started) || s.Stage.Settled() {
			continue
		}
		errand := w.q.Size == orchestration.SizeErrand && s.ID == orchestration.StepErrand
		if s.Hold != orchestration.HoldNone && !errand {
			add("skip", orchestration.SkipPressed{Step: s.ID, Reason: "not now"})
		}
		if (s.Stage != orchestration.StageMerge || s.Hold != orchestration.HoldNone) && s.Stage != orchestration.StageWaiting {
			if s.Hold != orchestration.HoldYours && (s.Hold != orchestration.HoldNone || s.Stage == orchestration.StageReady) && !w.lives(s.ID) {
				add("mark done", orchestration.MarkDonePressed{Step: s.ID})
			}
			if slices.Contains(w.q.StepControls(s), orchestration.ControlTakeOver) {
				add("take over", orchestration.TakeOverPressed{Step: s.ID})
			}
		}
		if s.Hold == orchestration.HoldYours || errand {
			continue
		}
		if s.Stage != orchestration.StageWaiting {
			add("resplit", orchestration.ResplitPressed{Step: s.ID, Reason: "too large"})
		} else if !s.Started { // else its skip was undone, and it waits for the new plan
			add("edit", w.edited(s))
		}
	}
	return moves
}

func (w *walk) edited(s *orchestration.Step) orchestration.StepEdited {
	title := "better"
	f := orchestration.StepEdited{Step: s.ID, Title: &title}
	if all := w.observables(); len(all) > 0 && w.one("another observable", 2) {
		f.Observables = &[]string{all[w.pick("which", len(all))]}
	}
	return f
}

// commentOn returns comments that a reader of a step's diff may send, each with another text: the same again
// would change nothing.
func (w *walk) commentOn(s *orchestration.Step) (orchestration.CommentsSent, bool) {
	f := orchestration.CommentsSent{Step: s.ID, Comments: []orchestration.Comment{{File: "f0", Line: 3, Quote: "x := 1",
		Text: fmt.Sprint("why? ", w.q.Version)}}}
	reads := s.Whole() && s.ID != orchestration.StepReview
	none := s.Stage == orchestration.StageSkipped || s.Stage == orchestration.StageSuperseded || s.Stage == orchestration.StageWaiting || !s.Started
	return f, w.q.Workspace == orchestration.WorkspaceWorktree && !reads && !none && s.Hold != orchestration.HoldYours && w.q.Steps.Len() < 12
}

// commentsAtTheEnd sometimes reopens a complete quest with a comment.
func (w *walk) commentsAtTheEnd() bool {
	if w.q.Abandoned || w.q.Workspace != orchestration.WorkspaceWorktree || w.q.Steps.Len() > 8 || w.one("content", 8) {
		return false
	}
	step := ""
	for _, s := range w.steps() {
		if _, ok := w.commentOn(s); ok && w.one("comments here", 2) {
			step = s.ID
		}
	}
	f := orchestration.CommentsSent{Step: step, Comments: []orchestration.Comment{{File: "f0", Text: fmt.Sprint("one more thing ", w.q.Version)}}}
	if w.m.review.rounds > 0 && w.q.Phase == orchestration.PhaseComplete {
		defer w.cov.add("review: begins at 0")
	}
	if err := w.apply(f); err != nil { // nothing was merged: all steps were skipped
		return false
	}
	w.cov.add("control: reopen")
	return true
}

// lives reports whether a process of the step is left.
func (w *walk) lives(step string) bool {
	return slices.ContainsFunc(w.live(), func(r *orchestration.Run) bool { return r.Step == step })
}

func (w *walk) steps() []*orchestration.Step {
	steps := append([]*orchestration.Step(nil), w.q.Whole[:]...)
	for _, s := range w.q.Steps.All() {
		steps = append(steps, s)
	}
	return steps
}

// finish shows that the quest can be completed from this state, by a helpful user and
// agents that do their job.
func (w *walk) finish() {
	for range 2000 {
		if w.q.Over() {
			return
		}
		w.holds = nil
		w.now = w.now.Add(31 * time.Minute)
		for _, m := range w.decisions() {
			if !w.q.Over() {
				_ = w.apply(m.input) // one decision may make the next one stale
			}
		}
		w.merge(orchestration.MergeMerged)
		w.grant()
		for _, r := range w.live() {
			switch {
			case r.State == orchestration.RunSignalled || r.Stopping != "":
				w.exit(r, orchestration.EndClean)
			case r.Role == orchestration.Ward:
				w.exit(r, orchestration.EndWardPassed)
			default:
				w.payInFull(r)
				w.say(r, orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "done"})
				w.exit(w.q.Run(r.ID), orchestration.EndClean)
			}
		}
	}
	why := w.q.Why(w.now, nil)
	for _, s := range w.steps() {
		why += fmt.Sprintf("\n%s at %s: %s", s.ID, s.Stage, w.q.StepWhy(s, w.now, nil).Words())
	}
	w.rt.Fatalf("no end after 2,000 rounds of help: phase %s, %s", w.q.Phase, why)
}

// payInFull stores the document that the role must write, and plans nothing new.
func (w *walk) payInFull(r *orchestration.Run) {
	switch {
	case r.Role == orchestration.ChaosWhisperer && w.q.Size == orchestration.SizeErrand:
	case r.Role == orchestration.ChaosWhisperer:
		if w.q.Size == orchestration.SizeAuto {
			w.must(orchestration.SizeSet{Run: r.ID, Size: orchestration.SizeFull, Reason: "it is large"})
		}
		w.must(orchestration.RequirementsSet{Run: r.ID, Requirements: walkRequirements()})
	case r.Role == orchestration.PathSeeker && r.Step == orchestration.StepPlan && beside(w.q):
		last := step("last-" + r.ID)
		last.Observables = w.homeless(nil)
		w.must(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{last}}})
	case r.Role == orchestration.PathSeeker && r.Step == orchestration.StepPlan:
		last := step("last")
		last.Observables = w.observables()
		w.must(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{last}}})
	}
}
