package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

func TestUndoSkip_untilADependentHasASlot(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b", "a"))
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	r := p.signal("a", orchestration.Spiritmender, ask("a"))
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not needed"})
	p.stage("b", orchestration.StageReady)
	if p.freed["a"] {
		t.Error("the tree of a step is removed, and its skip can be undone")
	}
	p.do(orchestration.SkipUndone{Step: "a"})
	p.do(orchestration.SkipUndone{Step: "a"}) // safe to press twice
	p.stage("a", orchestration.StageReady)
	p.stage("b", orchestration.StageWaiting)
	if s := p.q.Step("a"); s.Reason != "" || !s.EndedAt.IsZero() || slices.ContainsFunc(runs(p.q), func(r *orchestration.Run) bool { return r.Waiting }) {
		t.Errorf("something of the skip or of the old stack is left: %+v", s)
	}
	p.refused(orchestration.AnswerGiven{Question: "abc-q1", Answer: "red"}, "no longer needed")
	again := p.at("a", orchestration.Codeweaver)
	if again.Start != orchestration.StartFresh || again.ReturnTo != "" || again.SessionID == r.SessionID {
		t.Errorf("it begins with %+v", again.Launch)
	}

	p.do(orchestration.StopPressed{Run: again.ID})
	p.do(orchestration.SkipPressed{Step: "a", Reason: "really"})
	p.exit(again, orchestration.EndCrashed)
	p.at("b", orchestration.Codeweaver)
	if !p.freed["a"] {
		t.Error("the skip is final, and the tree of the step is kept")
	}
	p.refused(orchestration.SkipUndone{Step: "a"}, "b depends on it and has started")
	if slices.Contains(p.q.StepControls(p.q.Step("a")), orchestration.ControlUndoSkip) {
		t.Error("it is offered and too late")
	}
	p.stage("a", orchestration.StageSkipped)
}

func TestUndoSkip_untilAnAgentOfTheReviewHasASlot_theCheckIsDropped(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"))
	p.good("a")
	p.merges("a", orchestration.MergeMerged)
	stopped := p.at("b", orchestration.Codeweaver)
	p.do(orchestration.StopPressed{Run: stopped.ID})
	p.exit(stopped, orchestration.EndCrashed)
	p.do(orchestration.SkipPressed{Step: "b", Reason: "not needed"})
	check := p.at("review", orchestration.Ward)
	p.do(orchestration.SkipUndone{Step: "b"})
	if p.q.Phase != orchestration.PhaseSteps || p.q.Run(check.ID).Stopping != orchestration.OutcomeStopped {
		t.Errorf("phase %s, the check is %+v", p.q.Phase, p.q.Run(check.ID))
	}
	p.stage("b", orchestration.StageReady)
	p.exit(check, orchestration.EndWardPassed) // it came too late
	p.stage("review", orchestration.StageWaiting)

	building := p.at("b", orchestration.Codeweaver)
	p.do(orchestration.StopPressed{Run: building.ID})
	p.do(orchestration.SkipPressed{Step: "b", Reason: "really"})
	p.exit(building, orchestration.EndCrashed)
	p.ward("review", orchestration.EndWardPassed)
	p.do(orchestration.SkipUndone{Step: "b"}) // Lawbringer waits for a slot
	p.do(orchestration.SkipPressed{Step: "b", Reason: "really"})
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Lawbringer)
	if !p.freed["b"] {
		t.Error("the skip is final, and the tree of the step is kept")
	}
	p.refused(orchestration.SkipUndone{Step: "b"}, "an agent of the review has started")
}

func TestUndoSkip_ofAStepWhoseDependenciesAreOpen_waitsForThem(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b", "a"))
	p.do(orchestration.SkipPressed{Step: "b", Reason: "not needed"})
	p.do(orchestration.SkipUndone{Step: "b"})
	p.stage("b", orchestration.StageWaiting)
	p.stepThrough("a")
	p.at("b", orchestration.Codeweaver)
	p.refused(orchestration.SkipUndone{Step: "b"}, "not skipped")
	p.refused(orchestration.SkipUndone{Step: "review"}, "cannot be skipped")
	if err := p.try(orchestration.SkipUndone{Step: "nobody"}); orchestration.CodeOf(err) != orchestration.CodeNotFound {
		t.Errorf("of a step that is missing: %v", err)
	}
}

// All steps were skipped, so the check of the base was dropped with them.
func TestUndoSkip_beforeAnythingHasStarted_checksTheBaseFirst(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Workspace, n.Plan = orchestration.WorkspaceWorktree, &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a")}}
	p := create(t, n)
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not needed"})
	if p.q.Phase != orchestration.PhaseReview || p.q.Baseline != orchestration.BaselineOff {
		t.Fatalf("phase %s, baseline %q", p.q.Phase, p.q.Baseline)
	}
	p.do(orchestration.SkipUndone{Step: "a"})
	p.stage("a", orchestration.StageWaiting)
	p.exit(p.q.Run("abc-r1"), orchestration.EndInterrupted) // the first check of the base
	p.ward("baseline", orchestration.EndWardPassed)
	p.at("a", orchestration.Codeweaver)
}

// A refusal names only what is possible: no comments in a shared folder, or without work
// that is merged; no re-split once the review has begun.
func TestUndoSkip_tooLate_namesWhatIsPossible(t *testing.T) {
	t.Parallel()
	undo := orchestration.SkipUndone{Step: "a"}
	for name, c := range map[string]struct {
		q     *player
		build bool
		words string
	}{
		"worktrees, b is merged":         {inWorktrees(t, step("a"), step("b")), true, "Send comments on the quest's diff"},
		"worktrees, nothing is merged":   {inWorktrees(t, step("a"), step("b")), false, "Start a new quest for this work"},
		"a shared folder":                {withSteps(t, step("a"), step("b")), true, "Start a new quest for this work"},
		"a dependent is built, a review": {withSteps(t, step("a"), step("b", "a")), true, "b depends on it and has started. Start a new quest for this work"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := c.q
			p.t = t
			p.do(orchestration.SkipPressed{Step: "a", Reason: "later"})
			switch {
			case !c.build:
				p.do(orchestration.SkipPressed{Step: "b", Reason: "later"})
			case p.q.Workspace == orchestration.WorkspaceWorktree:
				p.good("b")
				p.merges("b", orchestration.MergeMerged)
			default:
				p.stepThrough("b")
			}
			p.ward("review", orchestration.EndWardPassed)
			p.at("review", orchestration.Lawbringer)
			p.refused(undo, c.words)
		})
	}
}

// A step that was made of comments begins with them again.
func TestUndoSkip_ofComments_beginsWithThemAgain(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("z"))
	p.good("a")
	p.merges("a", orchestration.MergeMerged)
	p.do(orchestration.CommentsSent{Step: "a", Comments: []orchestration.Comment{{File: "a.go", Line: 1, Text: "in blue"}}})
	r := p.at("comments-1", orchestration.Spiritmender)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.exit(r, orchestration.EndCrashed)
	p.do(orchestration.SkipPressed{Step: "comments-1", Reason: "later"})
	p.do(orchestration.SkipUndone{Step: "comments-1"})
	if again := p.at("comments-1", orchestration.Spiritmender); again.Brief.Comments != r.Brief.Comments || again.Brief.Comments == "" {
		t.Errorf("it begins with %q, want %q", again.Brief.Comments, r.Brief.Comments)
	}
}

// Also if its first run was the check of a person's work, which drops the comments.
func TestUndoSkip_ofComments_afterMarkDone_beginsWithThemAgain(t *testing.T) {
	t.Parallel()
	for _, before := range [][]orchestration.InputKind{{}, {orchestration.TakeOverPressed{Step: "comments-1"}}} {
		p := inWorktrees(t, step("a"), step("z"))
		p.good("a")
		p.merges("a", orchestration.MergeMerged)
		p.do(orchestration.PausePressed{})
		p.do(commentsOn("a", "in blue"))
		for _, f := range before {
			p.do(f)
		}
		p.do(orchestration.MarkDonePressed{Step: "comments-1"})
		p.do(orchestration.StopPressed{Run: p.next("comments-1").ID})
		p.do(orchestration.SkipPressed{Step: "comments-1", Reason: "later"})
		p.do(orchestration.SkipUndone{Step: "comments-1"})
		p.do(orchestration.ResumePressed{})
		if r := p.at("comments-1", orchestration.Spiritmender); !strings.Contains(r.Brief.Comments, "in blue") {
			t.Errorf("it begins with %q", r.Brief.Comments)
		}
	}
}

// Comments on a step of the plan that nobody has built yet wait for Codeweaver's check.
func TestUndoSkip_ofAStepThatWasOnlySplitAgain_beginsWithCodeweaver(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"))
	p.do(orchestration.ResplitPressed{Step: "a", Reason: "too large"})
	r := p.at("a", orchestration.PathSeeker)
	p.do(commentsOn("a", "in blue"))
	p.do(orchestration.StopPressed{Run: r.ID})
	p.exit(r, orchestration.EndInterrupted)
	p.do(orchestration.SkipPressed{Step: "a", Reason: "later"})
	p.do(orchestration.SkipUndone{Step: "a"})
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	if r := p.at("a", orchestration.Spiritmender); !strings.Contains(r.Brief.Comments, "in blue") {
		t.Errorf("the comments are %q", r.Brief.Comments)
	}
}

// An older version did not record which steps were made of comments.
func TestUndoSkip_ofComments_inAQuestOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	for _, started := range []bool{false, true} {
		p := inWorktrees(t, step("a"), step("z"))
		p.good("a")
		p.merges("a", orchestration.MergeMerged)
		if !started {
			p.do(orchestration.PausePressed{})
		}
		p.do(commentsOn("a", "in blue"))
		if started {
			p.at("comments-1", orchestration.Spiritmender)
		}
		s := *p.q.Step("comments-1")
		want := s.MadeOf
		q := *p.q
		s.MadeOf = ""
		q.Steps = q.Steps.With(s.N, &s)
		orchestration.CarryOver(&q)
		if got := q.Steps.At(s.N).MadeOf; got != want || want == "" {
			t.Errorf("started %v: made of %q, want %q", started, got, want)
		}
		for _, plain := range []string{"a", "z"} {
			if made := q.Step(plain).MadeOf; made != "" {
				t.Errorf("%s is made of %q", plain, made)
			}
		}
	}
}

func runs(q *orchestration.Quest) []*orchestration.Run {
	var list []*orchestration.Run
	for _, r := range q.Runs.All() {
		list = append(list, r)
	}
	return list
}

func TestSkip_whileAProcessStarts_leavesTheStepAsItIs(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	for _, g := range orchestration.Assign(orchestration.Pool{Now: p.now, Slots: 1, Quests: []*orchestration.Quest{p.q}}) {
		p.do(orchestration.SlotGranted{Run: g.Run, Step: g.Step, Agent: g.Agent, Slot: g.Slot, Free: g.Free, Share: g.Share, SessionID: "s"})
	}
	r := p.q.Step("a").Run
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not now"})
	before := *p.q.Step("a")
	p.do(orchestration.ProcessStarted{Run: r, PID: 7, Tree: "t9"})
	if after := *p.q.Step("a"); after.StartTree != before.StartTree {
		t.Errorf("the skipped step begins at %q", after.StartTree)
	}
}
