package orchestration_test

import (
	"cmp"
	"strings"
	"testing"

	"questboard/orchestration"
)

// The siege of the whole work at the end, and what the review proves for steps that had
// no siege.

func TestSiege_atTheEnd_comesBeforeLawbringer_andProvesWhatTheStepsDidNot(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEnd)
	p.builds("low", "normal", "high")
	p.ward("review", orchestration.EndWardPassed)
	if got := p.proves(orchestration.Siegemaster); got != "o1 o2 o3" {
		t.Errorf("the siege proves %q", got)
	}
	siege := p.at("review", orchestration.Siegemaster)
	if !p.q.Besieges(siege) || !p.q.OwesSiegeAtEnd() || siege.Start != orchestration.StartFresh {
		t.Errorf("the siege: %+v", siege.Launch)
	}
	if err := p.try(verdict(siege, piece("o1", "command", "x: exit code 0"))); err == nil || !strings.Contains(err.Error(), "o3 (text of o3): its evidence is missing") {
		t.Errorf("a siege without evidence: %v", err)
	}
	p.edits()
	p.complete("review", orchestration.Siegemaster)
	p.ward("review", orchestration.EndWardPassed)
	if got := p.proves(orchestration.Lawbringer); got != "" || p.q.OwesSiegeAtEnd() || p.q.Step("review").Besieged != siege.ID {
		t.Errorf("Lawbringer proves %q; siege by %q", got, p.q.Step("review").Besieged)
	}
	p.reviewIs(0, 1, "")
	p.wellReviewed()
	if c := p.q.ProofCounts(); c.Proven != 3 || !p.q.Outcome().Green() {
		t.Errorf("%+v: %s", c, p.q.Outcome().Words())
	}
	for _, e := range p.q.Evidence() {
		if e.Proof.Run != siege.ID || e.Step == "review" || e.ByWords() != "by the siege at the end" {
			t.Errorf("%+v", e)
		}
	}
}

func TestSiege_withoutOneAtTheEndLawbringerProvesForTheSteps(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeRisky, func(n *orchestration.NewQuest) { n.Plan.Steps[1].Observables = []string{"o1", "o2"} })
	p.builds("low", "normal")
	p.stepThrough("high")
	p.ward("review", orchestration.EndWardPassed)
	if got := p.proves(orchestration.Lawbringer); got != "o1 o2" {
		t.Errorf("Lawbringer proves %q", got)
	}
	for _, e := range p.q.Evidence() {
		if want := map[string]orchestration.ProofState{"low": "open", "normal": "open", "high": "proven"}[e.Step]; e.State != want {
			t.Errorf("%s at %s is %s before the review", e.Observable.ID, e.Step, e.State)
		}
	}
	law := p.at("review", orchestration.Lawbringer)
	p.wellReviewed()
	if c := p.q.ProofCounts(); c.Proven != 3 || !p.q.Outcome().Green() {
		t.Errorf("%+v: %s", c, p.q.Outcome().Words())
	}
	for _, e := range p.q.Evidence() {
		if byLaw := e.Proof.Run == law.ID && e.ByWords() == "by the review"; byLaw != (e.Step != "high") {
			t.Errorf("%s at %s is proven by %s", e.Observable.ID, e.Step, e.Proof.Run)
		}
	}
}

func TestSiege_whatItCouldNotProveIsAmberAtItsStep(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEnd)
	p.builds("low", "normal", "high")
	p.ward("review", orchestration.EndWardPassed)
	siege := p.at("review", orchestration.Siegemaster)
	p.do(verdict(siege, piece("o1", "command", "x: exit code 0"), piece("o2", "unproven", "no network"), piece("o3", "test", "TestThree")))
	p.exit(siege, orchestration.EndClean)
	p.ward("review", orchestration.EndWardPassed)
	p.wellReviewed()
	o := p.q.Outcome()
	if o.Green() || len(o.Unproven) != 1 || o.Unproven[0].Step != "normal" || o.Unproven[0].Why != "no network" {
		t.Errorf("%+v", o.Unproven)
	}
}

// The user made a quick quest a full one: what was done by then was never besieged.
func TestSiege_stepsThatWereDoneWithoutTheSiegeThatTheyOweNow_bringOneAtTheEnd(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEnd)
	p.builds("low", "normal")
	p.chooses(orchestration.SiegeEach)
	p.stepThrough("high")
	p.ward("review", orchestration.EndWardPassed)
	if got := p.proves(orchestration.Siegemaster); got != "o1 o2" {
		t.Errorf("the siege proves %q", got)
	}
	p.complete("review", orchestration.Siegemaster)
	p.ward("review", orchestration.EndWardPassed)
	p.wellReviewed()
	if c := p.q.ProofCounts(); c.Proven != 3 {
		t.Errorf("%+v", c)
	}
}

func TestSiege_atTheEndIsOwedAgainAfterNewSteps(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEnd)
	p.builds("low", "normal", "high")
	for _, round := range []string{"first", "second"} {
		p.ward("review", orchestration.EndWardPassed)
		p.complete("review", orchestration.Siegemaster)
		p.ward("review", orchestration.EndWardPassed)
		if round == "second" {
			break
		}
		p.finds("a gap", orchestration.PathSeeker, true)
		p.draft("review", plan(step("new")))
		p.complete("review", orchestration.PathSeeker)
		if p.q.Step("review").Besieged != "" {
			t.Error("the siege counts although there are new steps")
		}
		p.builds("new")
	}
	p.wellReviewed()
}

func TestSiege_pathSeekerWithoutNewStepsGoesBackToWhatIsOwed(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEnd)
	p.builds("low", "normal", "high")
	p.ward("review", orchestration.EndWardPassed)
	first := p.at("review", orchestration.Siegemaster)
	p.handOver("review", orchestration.Siegemaster, orchestration.PathSeeker, false)
	p.complete("review", orchestration.PathSeeker)
	second := p.at("review", orchestration.Siegemaster)
	if second.Start != orchestration.StartFresh || second.SessionID == first.SessionID {
		t.Errorf("%+v", second.Launch)
	}
	p.complete("review", orchestration.Siegemaster)
	p.ward("review", orchestration.EndWardPassed)
	p.signal("review", orchestration.Lawbringer, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup,
		TargetRole: orchestration.PathSeeker, Reason: "something else", Context: "c", Resume: new(bool)})
	p.complete("review", orchestration.PathSeeker)
	p.at("review", orchestration.Lawbringer)
}

func TestSiege_atTheEndThatHandsOverForGoodIsStillOwed_andOneThatWaitsIsResumed(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{false, true} {
		p := risks(t, orchestration.SiegeEnd)
		p.builds("low", "normal", "high")
		p.ward("review", orchestration.EndWardPassed)
		first := p.at("review", orchestration.Siegemaster)
		p.handOver("review", orchestration.Siegemaster, orchestration.Spiritmender, resume)
		p.edits()
		p.complete("review", orchestration.Spiritmender)
		p.ward("review", orchestration.EndWardPassed)
		next := p.at("review", orchestration.Siegemaster)
		if !p.q.Besieges(next) || (next.SessionID == first.SessionID) != resume {
			t.Errorf("resume %v: %+v", resume, next.Launch)
		}
		p.complete("review", orchestration.Siegemaster)
		p.ward("review", orchestration.EndWardPassed)
		p.wellReviewed()
	}
}

// Siegemaster tests on behalf of another role, too. That is no siege of the whole work.
func TestSiege_aSiegemasterThatWasCalledIsNoSiegeAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{true, false} {
		p := risks(t, orchestration.SiegeEnd)
		p.builds("low", "normal", "high")
		p.ward("review", orchestration.EndWardPassed)
		p.handOver("review", orchestration.Siegemaster, orchestration.Codeweaver, false)
		p.handOver("review", orchestration.Codeweaver, orchestration.Spiritmender, true)
		p.handOver("review", orchestration.Spiritmender, orchestration.Siegemaster, resume)
		if got := p.proves(orchestration.Siegemaster); got != "" {
			t.Errorf("who was called proves %q", got)
		}
		p.complete("review", orchestration.Siegemaster)
		if p.q.Step("review").Besieged != "" {
			t.Error("who was called counts as the siege")
		}
	}
	p := risks(t, orchestration.SiegeEach)
	p.builds("low")
	p.stepThrough("normal")
	p.stepThrough("high")
	p.ward("review", orchestration.EndWardPassed)
	p.finds("untested", orchestration.Siegemaster, false)
	p.complete("review", orchestration.Siegemaster)
	p.ward("review", orchestration.EndWardPassed)
	if got := p.proves(orchestration.Lawbringer); got != "o1" {
		t.Errorf("Lawbringer proves %q", got)
	}
}

// A siege at the end that the user chooses during a look comes after it, and then
// Lawbringer looks again.
func TestSiege_thatIsChosenDuringALook_comesBeforeTheEnd(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeRisky)
	p.builds("low", "normal")
	p.stepThrough("high")
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Lawbringer)
	p.chooses(orchestration.SiegeEnd)
	p.signal("review", orchestration.Lawbringer, orchestration.Signal{Kind: orchestration.Complete, Summary: "fine",
		Findings: []orchestration.Found{{What: "a gap that is left"}}})
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Siegemaster)
	if s := p.q.Step("review"); s.Verdict || s.Proof != nil {
		t.Errorf("the verdict before the siege holds: %+v", s.Proof)
	}
	p.complete("review", orchestration.Siegemaster)
	p.ward("review", orchestration.EndWardPassed)
	p.reviewIs(0, 2, "a gap that is left: unchanged")
	p.wellReviewed()
}

// What was asked of a siege at work stays asked, whatever the user chooses meanwhile.
func TestSiege_atWorkStaysTheSiege_whenTheUserChoosesNone(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEnd)
	p.builds("low", "normal", "high")
	p.ward("review", orchestration.EndWardPassed)
	siege := p.at("review", orchestration.Siegemaster)
	p.chooses(orchestration.SiegeRisky)
	if got := p.proves(orchestration.Siegemaster); got != "o1 o2 o3" {
		t.Errorf("the siege proves %q", got)
	}
	p.complete("review", orchestration.Siegemaster)
	if p.q.Step("review").Besieged != siege.ID {
		t.Error("the siege does not count")
	}
}

func TestSiege_atTheEnd_isOfACommitUntilTheReviewChangesSomething(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEnd, func(n *orchestration.NewQuest) { n.Workspace = orchestration.WorkspaceWorktree })
	p.ward(orchestration.StepBaseline, orchestration.EndWardPassed)
	for _, id := range []string{"low", "normal", "high"} {
		p.complete(id, orchestration.Codeweaver)
		p.ward(id, orchestration.EndWardPassed)
		p.merges(id, orchestration.MergeMerged)
	}
	p.ward("review", orchestration.EndWardPassed)
	done := func(role orchestration.Role, from, commit string) {
		r := p.at("review", role)
		p.do(proven(p.q, orchestration.SignalReceived{Run: r.ID, TreeChanged: orchestration.TreeSame, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "review", Summary: "s"}}))
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{From: from, Commit: commit, Tip: cmp.Or(commit, from), Changed: strings.Fields(commit)}})
	}
	said := func() string { return p.q.Evidence()[0].Proof.Words() }
	done(orchestration.Siegemaster, "aaaa", "")
	if said() != "proven at aaaa" {
		t.Errorf("a siege that changed nothing: %q", said())
	}
	p.ward("review", orchestration.EndWardFailed)
	done(orchestration.Spiritmender, "aaaa", "bbbb")
	if said() != "proven at aaaa, changed since in bbbb" {
		t.Errorf("after a repair: %q", said())
	}
	p.ward("review", orchestration.EndWardPassed)
	done(orchestration.Lawbringer, "bbbb", "")
	p.ward("review", orchestration.EndWardPassed)
	p.do(orchestration.MergeEnded{Step: "review", Outcome: orchestration.MergeMerged, Commit: "ffff", Folded: []string{"bbbb", "9999"}})
	if said() != "proven at aaaa, changed since in ffff" {
		t.Errorf("after the review's commits became one: %q", said())
	}
}

func TestSiege_aQuestWithoutADoneStepIsNotBesieged(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEnd)
	for _, id := range []string{"low", "normal", "high"} {
		p.do(orchestration.SkipPressed{Step: id, Reason: "not now"})
	}
	p.ward("review", orchestration.EndWardPassed)
	p.at("review", orchestration.Lawbringer)
}

// The siege was over, and its session goes on because its changes could not be committed. If it
// hands over then, it has found something.
func TestSiege_atTheEnd_thatIsResumedAndHandsOver_isStillOwed(t *testing.T) {
	t.Parallel()
	p := risks(t, orchestration.SiegeEnd)
	p.builds("low", "normal", "high")
	p.ward("review", orchestration.EndWardPassed)
	r := p.at("review", orchestration.Siegemaster)
	p.do(proven(p.q, orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "review", Summary: "s"}}))
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean, Exit: orchestration.Exit{Unsaved: "the disk is full"}})
	p.do(orchestration.RetryPressed{Step: "review"})
	p.handOver("review", orchestration.Siegemaster, orchestration.Spiritmender, false)
	if s := p.q.Step("review"); s.Besieged != "" || s.SiegeProof != nil || !p.q.OwesSiegeAtEnd() {
		t.Errorf("the siege that found something counts: %q, %+v", s.Besieged, s.SiegeProof)
	}
	p.complete("review", orchestration.Spiritmender)
	p.ward("review", orchestration.EndWardPassed)
	if next := p.at("review", orchestration.Siegemaster); next.Start != orchestration.StartFresh {
		t.Errorf("next is %+v", next.Launch)
	}
}
