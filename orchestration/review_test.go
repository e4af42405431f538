package orchestration_test

import (
	"fmt"
	"strings"
	"testing"

	"questboard/orchestration"
)

// edits changes the tree in which the review works.
func (p *player) edits() { p.tree += "'" }

// finds lets Lawbringer hand a finding to another role.
func (p *player) finds(what string, to orchestration.Role, resume bool) {
	p.t.Helper()
	p.signal("review", orchestration.Lawbringer, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: to,
		Reason: "mend " + what, Context: "see there", Resume: &resume, Findings: []orchestration.Found{{What: what, Where: "login.go:12"}}})
}

// mends lets a role change the tree, complete, and pass the check.
func (p *player) mends(role orchestration.Role) {
	p.t.Helper()
	p.at("review", role)
	p.edits()
	p.complete("review", role)
	p.ward("review", orchestration.EndWardPassed)
}

// states names the findings of the review with what became of them.
func (p *player) states() string {
	var words []string
	for _, f := range p.q.Step("review").Findings {
		words = append(words, f.What+": "+string(f.State))
	}
	return strings.Join(words, "; ")
}

// reviewIs asserts the rounds, the findings and the looks so far.
func (p *player) reviewIs(rounds, looks int, findings string) {
	p.t.Helper()
	s := p.q.Step("review")
	if s.Rounds != rounds || s.Visits[orchestration.Lawbringer] != looks || p.states() != findings {
		p.t.Fatalf("%d rounds, %d looks, %q; want %d, %d, %q", s.Rounds, s.Visits[orchestration.Lawbringer], p.states(), rounds, looks, findings)
	}
}

func (p *player) remarks() string {
	var words []string
	for _, r := range p.q.Outcome().Remarks {
		words = append(words, fmt.Sprint(r.Kind, " ", r.N, " ", r.Names))
	}
	return strings.Join(words, "; ")
}

func TestReview_nothingFound(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.wellReviewed()
	p.reviewIs(0, 1, "")
	if o := p.q.Outcome(); !o.Reviewed || len(o.Remarks) > 0 {
		t.Errorf("outcome %+v", o)
	}
}

// wellReviewed completes the look at work, and passes the check.
func (p *player) wellReviewed() {
	p.t.Helper()
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardPassed)
	if p.q.Phase != orchestration.PhaseComplete {
		p.t.Fatalf("phase %s, next is %s", p.q.Phase, p.q.Run(p.q.Step("review").Run).Role)
	}
}

func TestReview_foundOnce_theSameSessionLooksAgain(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	session := p.at("review", orchestration.Lawbringer).SessionID
	p.finds("a gap", orchestration.Spiritmender, true)
	p.mends(orchestration.Spiritmender)
	if r := p.at("review", orchestration.Lawbringer); r.SessionID != session || r.Start != orchestration.StartFollowupDone {
		t.Fatalf("%s begins as %s in session %s, want %s resumed", r.ID, r.Start, r.SessionID, session)
	}
	p.reviewIs(1, 2, "a gap: mended")
	p.wellReviewed()
	if o := p.q.Outcome(); !o.Reviewed || len(o.Remarks) > 0 {
		t.Errorf("outcome %+v", o)
	}
}

func TestReview_foundOnce_withoutReturnAFreshLawbringerLooks_andIsTold(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.finds("a gap", orchestration.Spiritmender, false)
	p.mends(orchestration.Spiritmender)
	r := p.at("review", orchestration.Lawbringer)
	if r.Start != orchestration.StartFresh || r.ResumedFrom != "" || len(r.Brief.Findings) != 1 || r.Brief.Findings[0].What != "a gap" {
		t.Fatalf("%s begins as %s, told %+v", r.ID, r.Start, r.Brief.Findings)
	}
	p.reviewIs(1, 2, "a gap: mended")
	p.wellReviewed()
}

// In a worktree the look is also told since which commit the tree has changed, and the
// finding names the run and the commit that mended it.
func TestReview_aFindingNamesWhoMendedIt_andTheCommit(t *testing.T) {
	t.Parallel()
	p := mergedReview(t)
	done := func(role orchestration.Role, s orchestration.Signal, from, commit string) *orchestration.Run {
		r := p.at("review", role)
		s.StepID = "review"
		p.do(orchestration.SignalReceived{Run: r.ID, Signal: s})
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{From: from, Commit: commit}})
		return p.q.Run(r.ID)
	}
	done(orchestration.Lawbringer, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: orchestration.Spiritmender,
		Reason: "gaps", Context: "see there", Resume: new(bool), Findings: []orchestration.Found{{What: "a gap", Where: "login.go:12"}}}, "aaa", "")
	p.edits()
	mender := done(orchestration.Spiritmender, orchestration.Signal{Kind: orchestration.Complete, Summary: "mended"}, "aaa", "bbb")
	p.ward("review", orchestration.EndWardPassed)
	want := orchestration.Finding{What: "a gap", Where: "login.go:12", Run: p.q.Runs.At(mender.N - 1).ID, State: orchestration.FindingMended, By: mender.ID, Commit: "bbb"}
	if got := p.q.Step("review").Findings[0]; got.By != want.By || got.Commit != want.Commit || got.State != want.State || got.Where != want.Where || got.Run != want.Run {
		t.Errorf("finding %+v, want %+v", got, want)
	}
	if since := p.at("review", orchestration.Lawbringer).Brief.Since; since != "aaa" {
		t.Errorf("told since %q, want the commit at which the look before began", since)
	}
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardPassed)
	p.do(orchestration.MergeEnded{Step: "review", Outcome: orchestration.MergeMerged, Commit: "fff", Folded: []string{"ccc", "bbb"}})
	if got := p.q.Step("review").Findings[0].Commit; got != "fff" {
		t.Errorf("merged as fff, the finding names %s: nobody has that commit in their repository", got)
	}
}

func TestReview_lawbringersOwnEdit_bringsAFreshLook(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.at("review", orchestration.Lawbringer)
	for round := 1; round <= orchestration.ReviewRounds; round++ {
		p.edits()
		p.signal("review", orchestration.Lawbringer, orchestration.Signal{Kind: orchestration.Complete, Summary: "a typo mended",
			Findings: []orchestration.Found{{What: fmt.Sprint("typo ", round)}}})
		p.ward("review", orchestration.EndWardPassed)
		if round == orchestration.ReviewRounds {
			break
		}
		if r := p.at("review", orchestration.Lawbringer); r.Start != orchestration.StartFresh || len(r.Brief.Findings) != round {
			t.Fatalf("round %d: %s, told %+v", round, r.Start, r.Brief.Findings)
		}
		if f := p.q.Step("review").Findings[round-1]; p.q.Run(f.By) == nil || p.q.Run(f.By).Role != orchestration.Lawbringer {
			t.Errorf("round %d: mended by %q", round, f.By)
		}
	}
	p.reviewIs(3, 3, "typo 1: mended; typo 2: mended; typo 3: not-looked-at")
	if p.q.Phase != orchestration.PhaseComplete || p.remarks() != "not-looked-at 1 [typo 3]" {
		t.Errorf("phase %s, %s", p.q.Phase, p.remarks())
	}
}

// Whatever changes the tree after the look, nobody has looked at it.
func TestReview_whatTheCheckOrAMergeAskedFor_isLookedAt(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardFailed)
	p.mends(orchestration.Spiritmender)
	p.reviewIs(1, 2, "")
	p.wellReviewed()

	p = mergedReview(t)
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardPassed)
	p.merges("review", orchestration.MergeConflict)
	p.mends(orchestration.Spiritmender)
	p.reviewIs(1, 2, "")
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardPassed)
	p.merges("review", orchestration.MergeMerged)
	if p.q.Phase != orchestration.PhaseComplete {
		t.Errorf("phase %s", p.q.Phase)
	}
}

// Siegemaster tests the whole work on Lawbringer's behalf. Its complete is no verdict on
// the review; if it changes nothing, that is no round.
func TestReview_siegemasterAsTarget(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{true, false} {
		p := reviewing(t)
		p.finds("untested", orchestration.Siegemaster, resume)
		p.complete("review", orchestration.Siegemaster)
		p.ward("review", orchestration.EndWardPassed)
		p.reviewIs(0, 2, "untested: unchanged")
		p.finds("untested, too", orchestration.Siegemaster, resume)
		p.mends(orchestration.Siegemaster)
		p.reviewIs(1, 3, "untested: unchanged; untested, too: mended")
		if p.q.Step("review").Verdict {
			t.Error("Siegemaster's complete is the verdict on the review")
		}
		p.wellReviewed()
	}
	p := reviewing(t)
	for range 2 {
		p.finds("a gap", orchestration.Spiritmender, false)
		p.mends(orchestration.Spiritmender)
	}
	p.finds("untested", orchestration.Siegemaster, true)
	p.complete("review", orchestration.Siegemaster)
	p.ward("review", orchestration.EndWardPassed)
	if p.q.Phase != orchestration.PhaseComplete || p.remarks() != "not-mended 1 [untested]" {
		t.Errorf("in the last round: phase %s, %s", p.q.Phase, p.remarks())
	}
}

func TestReview_aRepeatedReasonIsARound_andBlocksNothing(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	for range 3 {
		p.finds("the same", orchestration.Spiritmender, true)
		p.hold("review", orchestration.HoldNone)
		p.complete("review", orchestration.Spiritmender) // it changes nothing
		p.ward("review", orchestration.EndWardPassed)
	}
	p.reviewIs(2, 4, "the same: unchanged; the same: unchanged; the same: unchanged")
	p.finds("the same", orchestration.Spiritmender, true)
	p.mends(orchestration.Spiritmender)
	if p.q.Phase != orchestration.PhaseComplete || p.remarks() != "not-looked-at 1 [the same]" {
		t.Errorf("phase %s, %s", p.q.Phase, p.remarks())
	}
}

func TestReview_anUnknownChangeCountsAsChanged(t *testing.T) {
	t.Parallel()
	for _, seen := range []orchestration.TreeChanged{"", orchestration.TreeUnknown} {
		p := reviewing(t)
		r := p.at("review", orchestration.Lawbringer)
		p.do(proven(p.q, orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "review", Summary: "good"}, TreeChanged: seen}))
		p.exit(r, orchestration.EndClean)
		p.ward("review", orchestration.EndWardPassed)
		p.at("review", orchestration.Lawbringer)
		p.reviewIs(1, 2, "")
	}
	p := reviewing(t)
	p.complete("review", orchestration.Lawbringer)
	p.tree = "" // git fails while the check runs
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Lawbringer)
	p.reviewIs(1, 2, "")
}

func TestReview_commentsAfterComplete_beginAtZero(t *testing.T) {
	t.Parallel()
	p := mergedReview(t)
	for range 3 {
		p.finds("a gap", orchestration.Spiritmender, false)
		p.mends(orchestration.Spiritmender)
	}
	p.merges("review", orchestration.MergeMerged)
	p.reviewIs(3, 3, "a gap: mended; a gap: mended; a gap: not-looked-at")
	p.do(orchestration.CommentsSent{Comments: []orchestration.Comment{{File: "a.go", Line: 1, Text: "why?"}}})
	if rounds := p.q.Step("review").Rounds; rounds != 0 {
		t.Fatalf("%d rounds after the user's comments", rounds)
	}
	p.complete("comments-1", orchestration.Spiritmender)
	p.ward("comments-1", orchestration.EndWardPassed)
	p.complete("comments-1", orchestration.Siegemaster)
	p.ward("comments-1", orchestration.EndWardPassed)
	p.merges("comments-1", orchestration.MergeMerged)
	p.ward("review", orchestration.EndWardPassed)
	if r := p.at("review", orchestration.Lawbringer); r.Start != orchestration.StartFresh || len(r.Brief.Findings) != 4 {
		t.Errorf("%s, told %+v", r.Start, r.Brief.Findings)
	}
	p.finds("another", orchestration.Spiritmender, true) // not the last round: it looks again
	p.mends(orchestration.Spiritmender)
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardPassed)
	p.merges("review", orchestration.MergeMerged)
	if s := p.q.Step("review"); s.Rounds != 1 || p.remarks() != "" {
		t.Errorf("%d rounds, remarks %q", s.Rounds, p.remarks())
	}
}

// Comments on a review at work are looked at, even if its rounds are used up by them.
func TestReview_commentsDuringTheReview_areLookedAt(t *testing.T) {
	t.Parallel()
	p := mergedReview(t)
	for range 2 {
		p.finds("a gap", orchestration.Spiritmender, false)
		p.mends(orchestration.Spiritmender)
	}
	p.at("review", orchestration.Lawbringer)
	p.do(orchestration.CommentsSent{Step: "review", Comments: []orchestration.Comment{{File: "a.go", Line: 1, Text: "why?"}}})
	p.complete("review", orchestration.Lawbringer)
	p.ward("review", orchestration.EndWardPassed)
	p.mends(orchestration.Spiritmender)
	p.at("review", orchestration.Lawbringer)
	if s := p.q.Step("review"); s.Rounds != 3 || !p.q.OnlyComplete() {
		t.Errorf("%d rounds", s.Rounds)
	}
}

func TestReview_findingsThatAreRefused(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	r := p.at("review", orchestration.Lawbringer)
	long := strings.Repeat("x", 1<<20)
	for want, found := range map[string][]orchestration.Found{
		"findings[1].what is missing or empty":                                               {{What: "a gap"}, {Where: "a.go:1"}},
		"findings[0].what has 1048576 characters, and 2000 are possible":                     {{What: long}},
		"findings[0].where has 1048576 characters, and 300 are possible":                     {{What: "a gap", Where: long}},
		"at most 50 are possible, and these are 51: put those that belong together into one": make([]orchestration.Found, 51),
	} {
		err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "review", Summary: "s", Findings: found}})
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 5000 {
			t.Errorf("want %q, have %.300v", want, err)
		}
	}
	p.finds("a gap", orchestration.Spiritmender, true)
	r = p.at("review", orchestration.Spiritmender)
	err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "review", Summary: "s",
		Findings: []orchestration.Found{{What: "more"}}}})
	if err == nil || !strings.Contains(err.Error(), "leave findings out") {
		t.Errorf("of Spiritmender: %v", err)
	}
}

// mergedReview is a review of merged work, in worktrees.
func mergedReview(t *testing.T) *player {
	t.Helper()
	p := inWorktrees(t, step("a"))
	p.good("a")
	p.merges("a", orchestration.MergeMerged)
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Lawbringer)
	return p
}
