package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

func commentsOn(step, text string) orchestration.CommentsSent {
	return orchestration.CommentsSent{Step: step, Comments: []orchestration.Comment{{File: "a.go", Line: 7, Quote: "x := 1", Text: text}}}
}

func TestComments_waitForWhoWorksThere_thenSpiritmenderIsTold(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.at("a", orchestration.Codeweaver)
	p.do(commentsOn("a", "name it better"))
	p.do(commentsOn("a", "and test it"))
	p.complete("a", orchestration.Codeweaver) // the comment does not disturb it
	p.ward("a", orchestration.EndWardPassed)
	r := p.at("a", orchestration.Spiritmender)
	for _, want := range []string{`"a.go", line 7: x := 1`, "name it better", "and test it"} {
		if !strings.Contains(r.Brief.Comments, want) {
			t.Errorf("spiritmender is told %q, not %q", r.Brief.Comments, want)
		}
	}
	if r.Brief.Kind != orchestration.BriefComments || p.q.Step("a").Comments != "" {
		t.Errorf("called for %q, still waiting: %q", r.Brief.Kind, p.q.Step("a").Comments)
	}
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardPassed)
	p.at("a", orchestration.Siegemaster)
}

func TestComments_onAStepInTheQueue_takeItOut_andItIsTestedAgain(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"))
	p.good("a")
	p.good("b")
	p.do(commentsOn("a", "why?"))
	p.at("a", orchestration.Spiritmender)
	p.merges("b", orchestration.MergeMerged)
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardPassed)
	p.complete("a", orchestration.Siegemaster)
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeMerged)
}

func TestComments_whenWardFails_goAlongWithWhatIsToMend(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.at("a", orchestration.Codeweaver)
	p.do(commentsOn("a", "why?"))
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardFailed)
	if r := p.at("a", orchestration.Spiritmender); r.Brief.From != orchestration.Ward || !strings.Contains(r.Brief.Comments, "why?") {
		t.Errorf("spiritmender is told %+v", r.Brief)
	}
}

func TestComments_onABlockedStep_endTheBlock(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.exit(r, orchestration.EndCrashed)
	p.do(commentsOn("a", "why?"))
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	p.at("a", orchestration.Spiritmender)
}

func TestComments_onWhatIsMerged_areAStepThatFollows(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"))
	p.good("a")
	p.merges("a", orchestration.MergeMerged)
	p.do(commentsOn("a", "why?"))
	s := p.q.Step("comments-1")
	if s == nil || len(s.DependsOn) != 1 || s.DependsOn[0] != "a" || len(s.Files) != 1 || s.Files[0] != "a.go" {
		t.Fatalf("the step that follows: %+v", s)
	}
	r := p.at("comments-1", orchestration.Spiritmender)
	if !strings.Contains(r.Brief.Comments, "why?") {
		t.Errorf("spiritmender is told %+v", r.Brief)
	}
	p.complete("comments-1", orchestration.Spiritmender)
	p.ward("comments-1", orchestration.EndWardPassed)
	p.at("comments-1", orchestration.Siegemaster)
}

func TestComments_onACompleteQuest_openItAgain_untilItIsDelivered(t *testing.T) {
	t.Parallel()
	p := withChanges(t, "a.go")
	p.do(commentsOn("", "one more thing"))
	if p.q.Over() || !p.q.EndedAt.IsZero() || p.q.Phase != orchestration.PhaseSteps {
		t.Fatalf("phase %s, ended %v", p.q.Phase, p.q.EndedAt)
	}
	p.complete("comments-1", orchestration.Spiritmender)
	p.ward("comments-1", orchestration.EndWardPassed)
	p.complete("comments-1", orchestration.Siegemaster)
	p.ward("comments-1", orchestration.EndWardPassed)
	p.merges("comments-1", orchestration.MergeMerged)
	p.reviewed()
	p.do(orchestration.QuestDelivered{How: "merge", Branch: "main", Commit: "c0ffee"})
	p.do(orchestration.QuestDelivered{How: "squash", Branch: "main", Commit: "beef"})
	if d := p.q.Delivered; d.How != "merge" || d.Commit != "c0ffee" || d.At.IsZero() {
		t.Errorf("delivered %+v", d)
	}
	p.refused(commentsOn("a", "too late"), "start a follow-up quest")
}

// A client that got no answer sends the request again.
func TestComments_thatAreSentAgainBeforeTheyAreDone_areDoneOnce(t *testing.T) {
	t.Parallel()
	twice := func(p *player, f orchestration.CommentsSent) {
		t.Helper()
		p.do(f)
		if p.do(f); !p.last.Empty() {
			t.Errorf("%+v changes something twice", f)
		}
	}
	p := inWorktrees(t, step("a"), step("b"))
	p.at("a", orchestration.Codeweaver)
	twice(p, commentsOn("a", "why? Say it here"))
	twice(p, commentsOn("a", "why?")) // another one
	twice(p, commentsOn("a", "why? Say it here"))
	if got := strings.Count(p.q.Step("a").Comments, "why?"); got != 2 {
		t.Errorf("%d comments wait:\n%s", got, p.q.Step("a").Comments)
	}
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	mends := func() {
		t.Helper()
		twice(p, commentsOn("a", "why?")) // Spiritmender is at it, or will be
		p.complete("a", orchestration.Spiritmender)
		p.ward("a", orchestration.EndWardPassed)
		p.complete("a", orchestration.Siegemaster)
		p.ward("a", orchestration.EndWardPassed)
	}
	mends()
	mends() // it was done in the first round, so the same comment is a new one: the step leaves the queue
	p.merges("a", orchestration.MergeMerged)
	twice(p, commentsOn("a", "why?"))
	if p.do(commentsOn("", "why?")); !p.last.Empty() {
		t.Error("the diff of the whole quest has the same line")
	}
	twice(p, commentsOn("", "why not?"))
	if p.q.Step("comments-2") == nil || p.q.Step("comments-3") != nil {
		t.Errorf("%d steps", p.q.Steps.Len())
	}
	p.at("comments-1", orchestration.Spiritmender)
	twice(p, commentsOn("a", "why?"))
	p.do(orchestration.StopPressed{Run: p.q.Step("comments-1").Run})
	p.exit(p.q.Run(p.q.Step("comments-1").Run), orchestration.EndCrashed)
	p.do(orchestration.SkipPressed{Step: "comments-1"})
	if p.do(commentsOn("a", "why?")); p.q.Step("comments-3") == nil {
		t.Error("what was skipped cannot be asked for again")
	}
}

func TestComments_thatWaitInAStepThatBlocks_waitOnce(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.at("a", orchestration.Codeweaver)
	p.do(commentsOn("a", "why?"))
	p.do(orchestration.StopPressed{Run: p.q.Step("a").Run})
	p.do(commentsOn("a", "why?"))
	if got := strings.Count(p.q.Step("a").Comments, "why?"); got != 1 {
		t.Errorf("%d comments wait", got)
	}
}

func TestComments_thatNobodyCouldActOn_areRefusedWithWhatToDo(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b", "a"))
	p.refused(commentsOn("b", "why?"), "edit it instead")
	p.refused(commentsOn("plan", "why?"), "changes no files")
	p.refused(commentsOn("", "why?"), "no step of the quest is merged")
	p.refused(orchestration.QuestDelivered{}, "not complete yet")
	withSteps(t, step("a")).refused(commentsOn("a", "why?"), "work in the repository itself")
	p.at("a", orchestration.Codeweaver)
	for _, bad := range []orchestration.CommentsSent{{Step: "a"}, commentsOn("a", " \n")} {
		if err := p.try(bad); orchestration.CodeOf(err) != orchestration.CodeInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if err := p.try(commentsOn("none", "why?")); orchestration.CodeOf(err) != orchestration.CodeNotFound {
		t.Errorf("an unknown step: %v", err)
	}
}

func TestMarkers_leftAfterAMend_areAsRedAsAFailure(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.good("a")
	p.merges("a", orchestration.MergeConflict)
	r := p.at("a", orchestration.Spiritmender)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "settled"}})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Markers: []string{"same.go"}}})
	next := p.at("a", orchestration.Spiritmender)
	if next.ID == r.ID || next.Brief.Kind != orchestration.BriefMarkers || !slices.Contains(next.Brief.Files, "same.go") || p.q.Step("a").Counts.Ward != 2 {
		t.Errorf("next %+v, %d failures", next.Launch, p.q.Step("a").Counts.Ward)
	}
}

// stopsTheCheck stops the check that is queued while the process before it still exits. It
// returns the run of that process.
func (p *player) stopsTheCheck(step string, role orchestration.Role) *orchestration.Run {
	p.t.Helper()
	r := p.at(step, role)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: step, Summary: "s"}})
	p.do(orchestration.StopPressed{Run: p.next(step).ID})
	return r
}

func TestMarkers_leftWhenTheCheckWasStoppedInTheQueue_areMendedFirst(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	r := p.stopsTheCheck("a", orchestration.Codeweaver)
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Markers: []string{"same.go"}}})
	if b := p.q.Step("a").Block; b == nil || b.Kind != orchestration.BlockStopped || b.Retry.Role != orchestration.Spiritmender {
		t.Fatalf("the user stopped it: %+v", b)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	if b := p.at("a", orchestration.Spiritmender).Brief; b.Kind != orchestration.BriefMarkers || !slices.Contains(b.Files, "same.go") {
		t.Errorf("told %+v", b)
	}
}

func TestUnsaved_workIsNotUndone_ifTheCheckWasStoppedInTheQueue(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	r := p.stopsTheCheck("a", orchestration.Codeweaver)
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Unsaved: "the disk is full", Markers: []string{"same.go"}}})
	if b := p.q.Step("a").Block; b == nil || b.Kind != orchestration.BlockUnsaved || b.Retry.ResumedFrom != r.ID {
		t.Fatalf("%+v", b)
	}
}

// Work that could not be committed is only in the tree, and ward would undo it as a
// leftover. So ward does not run, and a retry resumes the run that made the work.
func TestUnsaved_workIsNotShownToWard_butBlocks(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "s"}})
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Unsaved: "the disk is full"}})
	a := p.q.Step("a")
	if a.Hold != orchestration.HoldBlocked || a.Block.Kind != orchestration.BlockUnsaved || !strings.Contains(a.Block.Reason, "the disk is full") {
		t.Fatalf("%s %+v", a.Hold, a.Block)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	if next := p.at("a", orchestration.Codeweaver); next.ID == r.ID {
		t.Errorf("the newest run is %s", next.ID)
	}
}

func TestRelease_aStepsTreeGoes_onceItIsSettledAndNothingOfItLives(t *testing.T) {
	t.Parallel()
	released := func(p *player) (lines []string) {
		for _, effect := range p.last.Effects {
			if r, ok := effect.(orchestration.ReleaseStep); ok {
				lines = append(lines, r.Step)
			}
		}
		return lines
	}
	p := inWorktrees(t, step("a"), step("b"))
	p.good("a")
	p.merges("a", orchestration.MergeMerged)
	if got := released(p); len(got) != 1 || got[0] != "a" {
		t.Errorf("merged: released %v", got)
	}
	p.handOver("b", orchestration.Codeweaver, orchestration.PathSeeker, false)
	r := p.at("b", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Replaces: "b", Steps: []orchestration.PlanStep{step("c")}}})
	p.do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "b", Summary: "s"}})
	if got := released(p); got != nil {
		t.Errorf("superseded while its process lives: released %v", got)
	}
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean})
	if got := released(p); len(got) != 1 || got[0] != "b" {
		t.Errorf("its process gone: released %v", got)
	}
}

// What the user wrote is not lost when the review is dropped before Spiritmender has
// done it: the next review begins with it.
func TestComments_onAReviewThatIsDropped_waitForTheNextOne(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]func(p *player){
		"queued": func(*player) {},
		"at work": func(p *player) {
			p.at("review", orchestration.Spiritmender)
			p.do(commentsOn("review", "and test it"))
		},
		"waits for another role": func(p *player) { p.handOver("review", orchestration.Spiritmender, orchestration.Codeweaver, true) },
		"stopped": func(p *player) {
			r := p.at("review", orchestration.Spiritmender)
			p.do(orchestration.StopPressed{Run: r.ID})
			p.exit(r, orchestration.EndCrashed)
		},
	} {
		p := mergedReview(t)
		p.do(commentsOn("review", "name it better"))
		p.complete("review", orchestration.Lawbringer)
		p.ward("review", orchestration.EndWardPassed)
		at(p)
		p.do(commentsOn("a", "why?")) // drops the review
		text := p.q.Step("review").Comments
		if !strings.HasPrefix(text, "\"a.go\", line 7: x := 1\nname it better") || strings.Contains(text, "and test it") != (name == "at work") {
			t.Fatalf("%s: the review keeps %q", name, text)
		}
		if s := p.q.Step("review"); s.Run != "" && p.q.Run(s.Run).Live() {
			p.exit(p.q.Run(s.Run), orchestration.EndCrashed)
		}
		p.complete("comments-1", orchestration.Spiritmender)
		p.ward("comments-1", orchestration.EndWardPassed)
		p.complete("comments-1", orchestration.Siegemaster)
		p.ward("comments-1", orchestration.EndWardPassed)
		p.merges("comments-1", orchestration.MergeMerged)
		p.ward("review", orchestration.EndWardPassed)
		if r := p.at("review", orchestration.Spiritmender); r.Brief.Comments != text {
			t.Errorf("%s: Spiritmender is told %q", name, r.Brief.Comments)
		}
		p.complete("review", orchestration.Spiritmender)
		p.ward("review", orchestration.EndWardPassed)
		p.at("review", orchestration.Lawbringer)
		p.do(orchestration.ChangeRequested{Text: dark})
		if got := p.q.Step("review").Comments; got != "" {
			t.Errorf("%s: done, and the review keeps %q", name, got)
		}
	}
}
