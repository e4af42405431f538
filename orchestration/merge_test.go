package orchestration_test

import (
	"slices"
	"testing"

	"questboard/orchestration"
)

// inWorktrees begins a quest in worktree mode at its steps. Ward has passed on the base.
func inWorktrees(t *testing.T, steps ...orchestration.PlanStep) *player {
	n := newQuest()
	n.Workspace = orchestration.WorkspaceWorktree
	n.Plan = &orchestration.OwnPlan{Steps: steps}
	p := create(t, n)
	p.ward("baseline", orchestration.EndWardPassed)
	return p
}

// good brings a step into the merge queue.
func (p *player) good(id string) {
	p.t.Helper()
	p.complete(id, orchestration.Codeweaver)
	p.ward(id, orchestration.EndWardPassed)
	p.complete(id, orchestration.Siegemaster)
	p.ward(id, orchestration.EndWardPassed)
	p.stage(id, orchestration.StageMerge)
}

func (p *player) merges(step string, o orchestration.MergeOutcome) {
	p.t.Helper()
	if got := p.q.MergeTurn(); got != step {
		p.t.Fatalf("it is the turn of %q, want %s", got, step)
	}
	p.do(orchestration.MergeEnded{Step: step, Outcome: o, Files: []string{"same.go"}, Why: "disk full"})
}

func TestMergeQueue_oneStepAtATime_doneIsMerged(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"), step("c", "a"))
	p.good("a")
	p.good("b")
	p.stage("c", orchestration.StageWaiting) // a is good, but not merged
	p.merges("a", orchestration.MergeMerged)
	p.stage("a", orchestration.StageDone)
	p.stage("c", orchestration.StageReady)
	if e, ok := p.last.Effects[0].(orchestration.MergeStep); !ok || e.Step != "b" {
		t.Fatalf("effects %v, want the merge of b", p.last.Effects)
	}
	p.merges("b", orchestration.MergeMerged)
	p.good("c")
	p.merges("c", orchestration.MergeMerged)
	p.reviewed()
}

func TestMergeQueue_anUpdatedTreeIsCheckedAgain_withoutLosingItsTurn(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"))
	p.good("a")
	p.good("b")
	p.merges("a", orchestration.MergeUpdated)
	if p.q.MergeTurn() != "" || p.q.Merging[0] != "a" {
		t.Fatalf("queue %v, turn %q", p.q.Merging, p.q.MergeTurn())
	}
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeMerged)
}

func TestMergeQueue_redOnTheMergedState_goesTheWayOfWardFail(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"))
	p.good("a")
	p.good("b")
	p.merges("a", orchestration.MergeUpdated)
	p.ward("a", orchestration.EndWardFailed)
	if c := p.q.Step("a").Counts.Ward; c != 1 || slices.Contains(p.q.Merging, "a") {
		t.Fatalf("%d failures, queue %v", c, p.q.Merging)
	}
	p.merges("b", orchestration.MergeMerged) // the others go on
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeMerged)
}

func TestMergeQueue_aConflictGoesToSpiritmender_andToTheTail(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"))
	p.good("a")
	p.good("b")
	p.merges("a", orchestration.MergeConflict)
	r := p.at("a", orchestration.Spiritmender)
	if r.Brief.Kind != orchestration.BriefConflict || !slices.Contains(r.Brief.Files, "same.go") {
		t.Errorf("spiritmender is told %+v", r.Brief)
	}
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardPassed)
	if want := []string{"b", "a"}; !slices.Equal(p.q.Merging, want) {
		t.Fatalf("queue %v, want %v", p.q.Merging, want)
	}
	p.merges("b", orchestration.MergeMerged)
	p.merges("a", orchestration.MergeConflict)
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardFailed)
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardFailed) // a conflict and two failures: three in a row
	p.hold("a", orchestration.HoldBlocked)
}

func TestMergeQueue_theThirdConflictBlocks_thoughTheCheckPassesInBetween(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.good("a")
	for range 2 {
		p.merges("a", orchestration.MergeConflict)
		p.complete("a", orchestration.Spiritmender)
		p.ward("a", orchestration.EndWardPassed)
	}
	p.merges("a", orchestration.MergeConflict)
	p.hold("a", orchestration.HoldBlocked)
	if r := p.q.Step("a").Block.Retry; r.Role != orchestration.Spiritmender || r.Brief.Kind != orchestration.BriefConflict {
		t.Errorf("a retry starts %+v", r)
	}
}

func TestMergeQueue_aJudgeThatHandsOverAfterAConflict_takesTheVerdictBack(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.good("a")
	p.merges("a", orchestration.MergeConflict)
	p.signal("a", orchestration.Spiritmender, leaves("a", orchestration.Siegemaster, false))
	if !p.q.Step("a").Verdict {
		t.Fatal("the verdict ended before the judge had spoken")
	}
	p.signal("a", orchestration.Siegemaster, leaves("a", orchestration.Codeweaver, false))
	if s := p.q.Step("a"); s.Verdict || s.Proof != nil {
		t.Error("the judge found something, and the step is still found good")
	}
}

func TestMergeQueue_whatGitCannotDo_blocks_andARetryChecksAndMergesAgain(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.good("a")
	p.merges("a", orchestration.MergeBroke)
	p.hold("a", orchestration.HoldBlocked)
	p.do(orchestration.RetryPressed{Step: "a"})
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeMerged)
}

func TestMergeQueue_aStaleReportChangesNothing(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"))
	p.good("a")
	p.do(orchestration.MergeEnded{Step: "b", Outcome: orchestration.MergeMerged})
	if !p.last.Empty() {
		t.Fatal("the merge of a step that is not in the queue was believed")
	}
	p.merges("a", orchestration.MergeMerged)
	p.do(orchestration.MergeEnded{Step: "a", Outcome: orchestration.MergeConflict})
	if !p.last.Empty() {
		t.Fatal("a second report was believed")
	}
}

func TestWorktree_stepsThatShareAFile_runAtOnce(t *testing.T) {
	t.Parallel()
	one, two := step("a"), step("b")
	two.Files = one.Files
	p := inWorktrees(t, one, two)
	p.at("a", orchestration.Codeweaver)
	p.at("b", orchestration.Codeweaver)
}

func TestFiles_undeclaredOnesMakeALaterStepWait(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"), step("c"))
	p.slots = 1
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "s"}})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Changed: []string{"a.go", "b.go"}}})
	p.stage("b", orchestration.StageWaiting)
	p.stage("c", orchestration.StageReady)
	if got := p.q.Step("a").Undeclared(); !slices.Equal(got, []string{"b.go"}) {
		t.Errorf("undeclared %v", got)
	}
	if got := p.q.Step("b").DependsOn; !slices.Equal(got, []string{"a"}) {
		t.Errorf("b depends on %v", got)
	}
}

// A draft that is older than the change of the file does not take the wait away, and what it adds
// waits, too. Nobody waits for the step that it replaces.
func TestFiles_undeclaredOnesMakeStepsOfALaterPlanWait(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("c"), step("b"))
	p.slots = 2
	a := p.at("a", orchestration.Codeweaver)
	own := p.at("c", orchestration.Codeweaver)
	p.do(orchestration.SignalReceived{Run: own.ID, Signal: leaves("c", orchestration.PathSeeker, false)})
	p.do(orchestration.RunExited{Run: own.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Changed: []string{"x.go"}}})
	x := step("x")
	x.Files = []string{"x.go", "b.go"}
	p.draft("c", orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("b"), x}})
	p.do(orchestration.SignalReceived{Run: a.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "s"}})
	p.do(orchestration.RunExited{Run: a.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Changed: []string{"b.go"}}})
	p.do(orchestration.SignalReceived{Run: p.newestOf("c").ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "c", Summary: "s"}})
	for id, want := range map[string][]string{"b": {"a"}, "x": {"a", "c"}} {
		if got := p.q.Step(id).DependsOn; !slices.Equal(got, want) {
			t.Errorf("%s depends on %v, want %v", id, got, want)
		}
	}
}

func TestFiles_undeclaredOfAStepThatIsReplacedMakeNobodyWaitForIt(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: leaves("a", orchestration.PathSeeker, false)})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Changed: []string{"x.go"}}})
	x := step("x")
	x.Files = []string{"x.go"}
	p.draft("a", orchestration.PlanDraft{Steps: []orchestration.PlanStep{x}, Replaces: "a"})
	p.complete("a", orchestration.PathSeeker)
	p.stage("x", orchestration.StageReady)
}

func TestFiles_undeclaredOnesMakeCommentsWait(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"))
	p.good("a")
	p.merges("a", orchestration.MergeMerged)
	r := p.at("b", orchestration.Codeweaver)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "b", Summary: "s"}})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Changed: []string{"a.go"}}})
	p.do(commentsOn("", "why?"))
	if got := p.q.Step("comments-1"); !slices.Contains(got.Files, "a.go") || !slices.Equal(got.DependsOn, []string{"b"}) {
		t.Errorf("it is about %v, and depends on %v", got.Files, got.DependsOn)
	}
	p.do(commentsOn("a", "why?"))
	for _, on := range []string{"", "a"} { // who got no answer sends it again
		if p.do(commentsOn(on, "why?")); !p.last.Empty() {
			t.Errorf("comments on %q are done twice", on)
		}
	}
}
