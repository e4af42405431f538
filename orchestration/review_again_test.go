package orchestration_test

import (
	"testing"

	"questboard/orchestration"
)

// What becomes of findings when somebody looks again, and when the review begins again.

// leaves completes a look that changed nothing and left something.
func (p *player) leaves(what string) {
	p.t.Helper()
	p.signal("review", orchestration.Lawbringer, orchestration.Signal{Kind: orchestration.Complete, Summary: "fit, but",
		Findings: []orchestration.Found{{What: what}}})
}

func TestReview_whatALookLeft_isDecidedByTheNextLook(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.leaves("a gap")
	p.ward("review", orchestration.EndWardFailed)
	p.mends(orchestration.Spiritmender) // the gap, too
	p.reviewIs(1, 2, "a gap: mended")
	if f := p.q.Step("review").Findings[0]; p.q.Run(f.By) == nil || p.q.Run(f.By).Role != orchestration.Spiritmender {
		t.Errorf("mended by %q", f.By)
	}
	p.wellReviewed()
	if p.remarks() != "" {
		t.Errorf("remarks %q", p.remarks())
	}
}

// comments begins the follow-up of a complete quest, and plays it to the next look.
func (p *player) comments() {
	p.t.Helper()
	p.do(orchestration.CommentsSent{Comments: []orchestration.Comment{{File: "a.go", Line: 1, Text: "mend the gap"}}})
	p.commentsDone()
}

func (p *player) commentsDone() {
	p.t.Helper()
	p.complete("comments-1", orchestration.Spiritmender)
	p.ward("comments-1", orchestration.EndWardPassed)
	p.complete("comments-1", orchestration.Siegemaster)
	p.ward("comments-1", orchestration.EndWardPassed)
	p.merges("comments-1", orchestration.MergeMerged)
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Lawbringer)
}

func TestReview_whatACompleteQuestLeft_isDecidedByTheNextReview(t *testing.T) {
	t.Parallel()
	p := mergedReview(t)
	p.leaves("a gap")
	p.ward("review", orchestration.EndWardPassed)
	p.merges("review", orchestration.MergeMerged)
	if p.remarks() != "not-mended 1 [a gap]" {
		t.Fatalf("remarks %q", p.remarks())
	}
	p.comments()
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardPassed)
	p.merges("review", orchestration.MergeMerged)
	if p.remarks() != "" {
		t.Errorf("remarks %q, findings %s", p.remarks(), p.states())
	}
}

// A PathSeeker without new steps mends nothing, and neither does a review that is dropped
// before anybody begins, or a step that is left out.
func TestReview_whatNobodyWorkedOn_isUnchanged(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{true, false} {
		p := reviewing(t)
		p.finds("a gap", orchestration.PathSeeker, resume)
		p.complete("review", orchestration.PathSeeker)
		p.at("review", orchestration.Lawbringer)
		if p.states() != "a gap: unchanged" {
			t.Errorf("resume %v: %s", resume, p.states())
		}
	}
	for begun, want := range map[bool]string{false: "unchanged", true: "mended"} {
		p := mergedReview(t)
		p.finds("a gap", orchestration.Spiritmender, false)
		if begun {
			p.at("review", orchestration.Spiritmender)
		}
		p.do(orchestration.CommentsSent{Step: "a", Comments: []orchestration.Comment{{File: "a.go", Line: 1, Text: "why?"}}})
		if r := p.q.Run(p.q.Step("review").Run); r.Live() {
			p.exit(r, orchestration.EndClean)
		}
		p.commentsDone()
		if f := p.q.Step("review").Findings; string(f[0].State) != want || f[1].State != orchestration.FindingMended {
			t.Errorf("begun %v: %s", begun, p.states())
		}
	}
}

func TestReview_aStepThatIsLeftOut_mendsNothing(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.finds("a gap", orchestration.PathSeeker, false)
	r := p.at("review", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("tests")}}})
	p.complete("review", orchestration.PathSeeker)
	p.do(orchestration.SkipPressed{Step: "tests", Reason: "no need"})
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Lawbringer)
	if p.states() != "a gap: unchanged" {
		t.Error(p.states())
	}
}

// A quest that is opened again has all its rounds, and its hand-overs count from 0.
func TestReview_openedAgain_countsHandOversAnew(t *testing.T) {
	t.Parallel()
	p := mergedReview(t)
	p.do(orchestration.QuestEdited{Limits: &orchestration.Limits{Followups: 1}})
	p.finds("a gap", orchestration.Spiritmender, false)
	p.mends(orchestration.Spiritmender)
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardPassed)
	p.merges("review", orchestration.MergeMerged)
	p.comments()
	p.finds("a gap", orchestration.Spiritmender, true)
	if s := p.q.Step("review"); s.Rounds != 0 || s.Hold != orchestration.HoldNone {
		t.Errorf("%d rounds, hold %q: %+v", s.Rounds, s.Hold, s.Block)
	}
}

func TestReview_aChangeOfTheRequirements_givesAllRounds(t *testing.T) {
	t.Parallel()
	p := mergedReview(t)
	p.finds("a gap", orchestration.Spiritmender, false)
	p.mends(orchestration.Spiritmender)
	p.at("review", orchestration.Lawbringer)
	p.do(orchestration.ChangeRequested{Text: "all of it in blue"})
	if s := p.q.Step("review"); s.Rounds != 0 || s.Counts.Followups != 0 || s.Counts.LastFollowup != "" {
		t.Errorf("%d rounds, counts %+v", s.Rounds, s.Counts)
	}
}

// Nobody has seen the tree between two looks with only PathSeeker between: the second
// begins with the tree as it finds it.
func TestReview_pathSeekerWithoutNewSteps_isARound(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{true, false} {
		p := reviewing(t)
		for range 2 {
			p.finds("a gap", orchestration.Spiritmender, false)
			p.mends(orchestration.Spiritmender)
		}
		p.at("review", orchestration.Lawbringer)
		p.edits()
		p.finds("more", orchestration.PathSeeker, resume)
		p.complete("review", orchestration.PathSeeker)
		p.at("review", orchestration.Lawbringer)
		if s := p.q.Step("review"); s.Rounds != 3 || s.StartTree != p.tree {
			t.Errorf("resume %v: %d rounds, the look starts from %q, want %q", resume, s.Rounds, s.StartTree, p.tree)
		}
		p.wellReviewed()
		if p.remarks() != "" {
			t.Errorf("resume %v: remarks %q", resume, p.remarks())
		}
	}
}

func TestReview_aResumedLookThatIsStoppedBeforeItBegins_knowsItsTree(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.finds("a gap", orchestration.Spiritmender, true)
	p.mends(orchestration.Spiritmender)
	p.do(orchestration.StopPressed{Run: p.q.Step("review").Run})
	p.do(orchestration.RetryPressed{Step: "review"})
	p.at("review", orchestration.Lawbringer)
	if got := p.q.Step("review").StartTree; got != p.tree {
		t.Fatalf("the look starts from %q, want %q", got, p.tree)
	}
	p.wellReviewed()
	p.reviewIs(1, 3, "a gap: mended")
}

func TestReview_aLookWhoseSetUpFailedAfterItChangedFiles_keepsItsStart(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	r, start := p.at("review", orchestration.Lawbringer), p.tree
	p.edits()
	p.exit(r, orchestration.EndSetupFailed)
	p.do(orchestration.RetryPressed{Step: "review"})
	p.at("review", orchestration.Lawbringer)
	if got := p.q.Step("review").StartTree; got != start {
		t.Errorf("the look starts from %q, want %q", got, start)
	}
}

// The check of the look before is dropped in the queue, so the tree was changed by the
// same look.
func TestReview_aLookWhoseChangesCannotBeCommitted_isNoNewLook(t *testing.T) {
	t.Parallel()
	for _, fresh := range []bool{false, true} {
		p := reviewing(t)
		p.edits()
		r := p.at("review", orchestration.Lawbringer)
		p.do(proven(p.q, orchestration.SignalReceived{Run: r.ID, TreeChanged: orchestration.TreeDiffers,
			Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "review", Summary: "I mended it"}}))
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Unsaved: "the disk is full"}})
		p.do(orchestration.RetryPressed{Step: "review", Fresh: fresh})
		p.at("review", orchestration.Lawbringer)
		if got := p.q.Step("review").StartTree; got != "" {
			t.Errorf("fresh %v: the look starts from %q, where its changes are", fresh, got)
		}
		p.complete("review", orchestration.Lawbringer)
		p.ward("review", orchestration.EndWardPassed)
		p.reviewIs(1, 3, "")
		p.wellReviewed()
	}
}
