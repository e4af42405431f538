package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// The last round of a review, and the look after it.

func TestReview_foundThreeTimes_isCompleteAndSaysWhatWasNotLookedAtAgain(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{true, false} {
		p := reviewing(t)
		p.finds("one", orchestration.Spiritmender, true)
		p.mends(orchestration.Spiritmender)
		p.finds("two", orchestration.Codeweaver, false)
		p.mends(orchestration.Codeweaver)
		p.reviewIs(2, 3, "one: mended; two: mended")
		p.finds("three", orchestration.Spiritmender, resume)
		s := p.q.Step("review")
		if next := p.q.Run(s.Run); next.ReturnTo != "" || !s.Verdict {
			t.Fatalf("resume %v: the return of the last round is not dropped (%q), verdict %v", resume, next.ReturnTo, s.Verdict)
		}
		p.mends(orchestration.Spiritmender)
		if p.q.Phase != orchestration.PhaseComplete {
			t.Fatalf("resume %v: phase %s", resume, p.q.Phase)
		}
		p.reviewIs(3, 3, "one: mended; two: mended; three: not-looked-at")
		if o := p.q.Outcome(); o.Reviewed || o.Green() || p.remarks() != "not-looked-at 1 [three]" || !strings.Contains(p.q.Why(p.now, nil), "not looked at again: three") {
			t.Errorf("resume %v: remarks %q, why %q", resume, p.remarks(), p.q.Why(p.now, nil))
		}
	}
}

// Older versions ended a review with any hand-over, in every round.
func TestReview_anOldVerdict_isForgottenUntilItIsMerged(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not now"})
	p.ward("review", orchestration.EndWardPassed)
	for range orchestration.ReviewRounds {
		p.finds("a gap", orchestration.Spiritmender, false)
		p.at("review", orchestration.Spiritmender)
		p.edits()
		if p.complete("review", orchestration.Spiritmender); !p.q.Step("review").Verdict {
			p.ward("review", orchestration.EndWardPassed)
		}
	}
	old := func() bool {
		q, s := *p.q, *p.q.Step("review")
		s.Rounds, s.Findings = 0, nil
		q.Whole[slices.Index(orchestration.QuestWideSteps, orchestration.StepReview)] = &s
		orchestration.CarryOver(&q)
		return s.Verdict
	}
	if old() {
		t.Error("the check runs, and Lawbringer does not look again")
	}
	p.ward("review", orchestration.EndWardPassed)
	p.stage("review", orchestration.StageMerge)
	if !old() {
		t.Error("it is in the merge queue without a verdict")
	}
}

// The last look waits for a change, and is over when that passes the check. A user who chooses
// another check while the review is merged does not bring the look back.
func TestReview_anotherCheckInTheMergeQueue_bringsNoLookBack(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not now"})
	p.ward("review", orchestration.EndWardPassed)
	for range orchestration.ReviewRounds - 1 {
		p.finds("a gap", orchestration.Spiritmender, true)
		p.mends(orchestration.Spiritmender)
	}
	p.finds("a gap", orchestration.PathSeeker, true)
	p.handOver("review", orchestration.PathSeeker, orchestration.Codeweaver, false)
	p.mends(orchestration.Codeweaver)
	p.stage("review", orchestration.StageMerge)
	ward := "make lint"
	p.do(orchestration.QuestEdited{Ward: &ward})
	p.ward("review", orchestration.EndWardPassed)
	p.merges("review", orchestration.MergeMerged)
	if p.q.Phase != orchestration.PhaseComplete {
		t.Errorf("phase %s, next is %s", p.q.Phase, p.next("review").Role)
	}
}

// What nobody has named is not looked at again, either.
func TestReview_aChangeInTheLastRoundWithoutAName(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.at("review", orchestration.Lawbringer)
	for p.q.Phase == orchestration.PhaseReview {
		p.at("review", orchestration.Lawbringer)
		p.edits()
		p.complete("review", orchestration.Lawbringer)
		p.ward("review", orchestration.EndWardPassed)
	}
	if p.q.Phase != orchestration.PhaseComplete || p.remarks() != "not-looked-at 1 []" ||
		!strings.HasSuffix(p.q.Why(p.now, nil), "not looked at again: what was changed last") {
		t.Errorf("phase %s, remarks %q: %s", p.q.Phase, p.remarks(), p.q.Why(p.now, nil))
	}
}

// The change of the last round may be undone before it is merged: then nothing was changed
// after the look, and nothing is left to name.
func TestReview_aChangeInTheLastRoundThatIsUndone(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not now"})
	p.ward("review", orchestration.EndWardPassed)
	for range orchestration.ReviewRounds {
		p.at("review", orchestration.Lawbringer)
		p.complete("review", orchestration.Lawbringer)
		p.edits() // the check, or what was left to run beside it
		p.ward("review", orchestration.EndWardPassed)
	}
	p.tree = strings.TrimSuffix(p.tree, "'")
	p.merges("review", orchestration.MergeConflict)
	p.complete("review", orchestration.Spiritmender)
	p.ward("review", orchestration.EndWardPassed)
	p.merges("review", orchestration.MergeMerged)
	if o := p.q.Outcome(); !o.Reviewed || p.remarks() != "" || len(p.q.Step("review").Findings) != 0 {
		t.Errorf("remarks %q: %s; findings %+v", p.remarks(), o.Words(), p.q.Step("review").Findings)
	}
}

// What an update brings may have to be looked at. The review has then left the merge queue, so a
// question is all that the quest waits for.
func TestReview_aLookAfterAnUpdate_isNotInTheMergeQueue(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not now"})
	p.ward("review", orchestration.EndWardPassed)
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardPassed)
	p.merges("review", orchestration.MergeUpdated)
	p.edits()
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Lawbringer)
	if len(p.q.Merging) > 0 {
		t.Errorf("in the merge queue: %v", p.q.Merging)
	}
	p.finds("a gap", orchestration.Spiritmender, true)
	p.signal("review", orchestration.Spiritmender, orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: "which?", Context: "two ways"})
	if got := p.q.Status(nil); got != orchestration.StatusWaiting {
		t.Errorf("Spiritmender asks, and the quest is %s", got)
	}
}

// roundsWithSteps plays a review to the look after the new steps of its last round.
func roundsWithSteps(t *testing.T) *player {
	t.Helper()
	p := reviewing(t)
	p.finds("one", orchestration.Spiritmender, true)
	p.mends(orchestration.Spiritmender)
	p.finds("two", orchestration.Spiritmender, true)
	p.mends(orchestration.Spiritmender)
	p.finds("three", orchestration.PathSeeker, true)
	r := p.at("review", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("tests")}}})
	p.complete("review", orchestration.PathSeeker)
	p.stepThrough("tests")
	p.edits()
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Lawbringer)
	return p
}

func TestReview_newStepsOfTheLastRound_oneMoreLookThatMayOnlyComplete(t *testing.T) {
	t.Parallel()
	p := roundsWithSteps(t)
	p.reviewIs(3, 4, "one: mended; two: mended; three: mended")
	if steps := p.q.Step("review").Findings[2].Steps; !slices.Equal(steps, []string{"tests"}) {
		t.Errorf("planned for it: %v", steps)
	}
	r := p.at("review", orchestration.Lawbringer)
	for _, to := range orchestration.TargetsOf(orchestration.Lawbringer) {
		for _, resume := range []bool{true, false} {
			err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: "review",
				TargetRole: to, Reason: "more", Context: "there", Resume: &resume}})
			if err == nil || !strings.Contains(err.Error(), "send complete, with what you found as findings") {
				t.Errorf("to %s, resume %v: %v", to, resume, err)
			}
		}
	}
	p.signal("review", orchestration.Lawbringer, orchestration.Signal{Kind: orchestration.Complete, Summary: "one thing is left",
		Findings: []orchestration.Found{{What: "four", Where: "a.go:1"}}})
	p.ward("review", orchestration.EndWardPassed)
	p.reviewIs(3, 4, "one: mended; two: mended; three: mended; four: not-mended")
	if p.q.Phase != orchestration.PhaseComplete || p.remarks() != "not-mended 1 [four]" || p.q.Outcome().Green() ||
		!strings.Contains(p.q.Why(p.now, nil), "found, not mended: four") {
		t.Errorf("phase %s, remarks %q: %s", p.q.Phase, p.remarks(), p.q.Why(p.now, nil))
	}
}
