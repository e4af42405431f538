package orchestration_test

import (
	"slices"
	"testing"

	"questboard/orchestration"
)

// If the context is full, even a role that may not send partially-complete continues in a
// fresh session.
func TestContextExhausted_continuesEveryRole_inAFreshSession(t *testing.T) {
	t.Parallel()
	for id, p := range map[string]*player{"requirements": create(t, newQuest()), "plan": planning(t), "a": withSteps(t, step("a")), "review": reviewing(t)} {
		p.grant()
		r := p.q.Run(p.q.Step(id).Run)
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndContext, Exit: orchestration.Exit{LastText: "half"}})
		next := p.at(id, r.Role)
		if next.Start != orchestration.StartContinuation || next.ResumedFrom != "" || next.SessionID == r.SessionID || next.Brief.ContinuationPoint != "half" {
			t.Errorf("%s: %+v", id, next.Launch)
		}
	}
}

// A limit that is reached in a follow-up blocks only the called run. The runs that wait
// for it go on waiting.
func TestBlockedChild_theRunsBelowGoOnWaiting_skipEndsTheWholeStack(t *testing.T) {
	t.Parallel()
	for _, skip := range []bool{false, true} {
		p := withSteps(t, step("a"))
		p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, true)
		p.handOver("a", orchestration.PathSeeker, orchestration.Spiritmender, true)
		for range 2 {
			p.exit(p.at("a", orchestration.Spiritmender), orchestration.EndStuck)
		}
		p.hold("a", orchestration.HoldBlocked)
		if !p.q.Run("abc-r1").Waiting || !p.q.Run("abc-r2").Waiting {
			t.Error("a run below the blocked one waits no more")
		}
		if skip {
			p.do(orchestration.SkipPressed{Step: "a"})
			if p.q.Run("abc-r1").Waiting || p.q.Run("abc-r2").Waiting {
				t.Error("somebody still waits in a skipped step")
			}
			continue
		}
		p.do(orchestration.RetryPressed{Step: "a"})
		p.complete("a", orchestration.Spiritmender)
		p.ward("a", orchestration.EndWardPassed)
		p.complete("a", orchestration.PathSeeker)
		p.at("a", orchestration.Codeweaver)
	}
}

// Partial and follow-ups count in total, ward until a pass. A retry sets them to zero.
func TestCounters_inTotal_andZeroedByRetry(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.signal("a", orchestration.Codeweaver, orchestration.Signal{Kind: orchestration.PartiallyComplete, Progress: "half", ContinuationPoint: "rest"})
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, false)
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardFailed)
	if c := p.q.Step("a").Counts; c.Partial != 1 || c.Followups != 1 || c.Ward != 1 {
		t.Fatalf("%+v", c)
	}
	p.do(orchestration.StopPressed{Run: p.at("a", orchestration.Spiritmender).ID})
	p.do(orchestration.RetryPressed{Step: "a"})
	if c := p.q.Step("a").Counts; c != (orchestration.Counts{}) {
		t.Errorf("%+v after a retry", c)
	}
}

// If PathSeeker adds no steps in the review, the run that waits for it is resumed. If
// none waits, a fresh Lawbringer starts.
func TestReview_pathSeekerWithoutNewSteps(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.handOver("review", orchestration.Lawbringer, orchestration.PathSeeker, true)
	p.complete("review", orchestration.PathSeeker)
	if r := p.at("review", orchestration.Lawbringer); r.Start != orchestration.StartFollowupDone {
		t.Errorf("%+v", r.Launch)
	}
	p.signal("review", orchestration.Lawbringer, orchestration.Signal{Kind: orchestration.NeedsRoleFollowup,
		TargetRole: orchestration.PathSeeker, Reason: "something else", Context: "c", Resume: new(bool)})
	p.complete("review", orchestration.PathSeeker)
	if r := p.at("review", orchestration.Lawbringer); r.Start != orchestration.StartFresh {
		t.Errorf("%+v", r.Launch)
	}
	if p.q.Step("review").Verdict {
		t.Error("a hand-over to pathseeker is no verdict")
	}
}

// New steps drop the review's stack. Afterwards the review starts again with ward.
func TestReview_newStepsDropItsStack_andTheReviewStartsAgain(t *testing.T) {
	t.Parallel()
	p := reviewing(t)
	p.handOver("review", orchestration.Lawbringer, orchestration.PathSeeker, true)
	r := p.at("review", orchestration.PathSeeker)
	p.do(orchestration.PlanDrafted{Run: r.ID, Draft: orchestration.PlanDraft{Steps: []orchestration.PlanStep{step("new")}}})
	p.complete("review", orchestration.PathSeeker)
	if p.q.Run(r.ReturnTo).Waiting || p.q.Phase != orchestration.PhaseSteps {
		t.Fatalf("phase %s, the lawbringer waits: %v", p.q.Phase, p.q.Run(r.ReturnTo).Waiting)
	}
	p.stepThrough("new")
	p.ward("review", orchestration.EndWardPassed)
	if law := p.at("review", orchestration.Lawbringer); law.Start != orchestration.StartFresh || p.q.Step("review").Verdict {
		t.Errorf("%+v", law.Launch)
	}
}

// A step holds its files until it is settled, but not while blocked or asking.
func TestFiles_areHeldUntilSettled_notWhileBlockedOrAsking(t *testing.T) {
	t.Parallel()
	one, two := step("a"), step("b")
	two.Files = one.Files
	for name, hold := range map[string]func(p *player){
		"asking": func(p *player) { p.signal("a", orchestration.Codeweaver, ask("a")) },
		"blocked": func(p *player) {
			r := p.at("a", orchestration.Codeweaver)
			p.do(orchestration.StopPressed{Run: r.ID})
			p.exit(r, orchestration.EndCrashed)
		},
	} {
		p := withSteps(t, one, two)
		p.at("a", orchestration.Codeweaver)
		p.stage("b", orchestration.StageReady)
		hold(p)
		p.grant()
		if p.q.Step("b").Stage != orchestration.Codeweaver.Stage() {
			t.Errorf("%s: b waits at %s", name, p.q.Step("b").Stage)
		}
	}
}

// A pass counts only for the check command that passed.
func TestWard_anotherCommand_forgetsTheGreenTree(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	ward := "make lint"
	p.do(orchestration.QuestEdited{Ward: &ward})
	if p.q.GreenTree != "" || p.q.Step("a").GreenTree != "" {
		t.Error("the new check would be skipped on a tree that only the old one passed")
	}
}

// A check that runs while the user changes the command runs the old one.
func TestWard_anotherCommand_beginsACheckAtWorkAgain(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.complete("a", orchestration.Codeweaver)
	old := p.at("a", orchestration.Ward)
	ward := "make lint"
	p.do(orchestration.QuestEdited{Ward: &ward})
	if !slices.Contains(p.last.Effects, orchestration.Effect(orchestration.EndRun{Run: old.ID, Grace: orchestration.GraceNone})) {
		t.Errorf("the old check is not ended: %+v", p.last.Effects)
	}
	p.do(orchestration.RunExited{Run: old.ID, End: orchestration.EndWardPassed, Exit: orchestration.Exit{Tree: "t1"}})
	next := p.next("a")
	if s := p.q.Step("a"); next.ID == old.ID || next.Role != orchestration.Ward || next.State != orchestration.RunQueued || s.GreenTree != "" || s.Checked != "" {
		t.Fatalf("next is %s, a %s that is %s; green %q, checked %q", next.ID, next.Role, next.State, s.GreenTree, s.Checked)
	}
	p.at("a", orchestration.Ward)
	p.do(orchestration.QuestEdited{Ward: &ward})
	if again := p.at("a", orchestration.Ward); again.ID != next.ID {
		t.Errorf("the command is the same, and %s runs in place of %s", again.ID, next.ID)
	}
}

// If another run waits, every role's complete still leads to ward, and the run that waits
// is resumed after it.
func TestComplete_withAReturn_goesThroughWardAndResumes_withoutAVerdict(t *testing.T) {
	t.Parallel()
	for _, role := range []orchestration.Role{orchestration.Spiritmender, orchestration.Siegemaster, orchestration.Lawbringer} {
		p := withSteps(t, step("a"))
		p.handOver("a", orchestration.Codeweaver, role, true)
		p.complete("a", role)
		p.ward("a", orchestration.EndWardPassed)
		if r := p.at("a", orchestration.Codeweaver); r.ResumedFrom != "abc-r1" || p.q.Step("a").Verdict || r.Brief.Summary != string(role)+" did it" {
			t.Errorf("%s: %+v", role, r.Launch)
		}
	}
}
