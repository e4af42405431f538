package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// refused asserts that the quest refuses the input with these words and does not change.
func (p *player) refused(f orchestration.InputKind, words string) {
	p.t.Helper()
	version := p.q.Version
	err := p.try(f)
	if orchestration.CodeOf(err) != orchestration.CodeConflict || !strings.Contains(err.Error(), words) || p.q.Version != version {
		p.t.Errorf("%T: want a conflict that says %q, have %v", f, words, err)
	}
}

func TestMessage_isRefusedWithWhatToDoInstead(t *testing.T) {
	t.Parallel()
	all := states(t)
	for name, words := range map[string]string{
		"starting": "try again in a moment", "signalled, ward queued": "it signalled complete", "ward runs": "takes no message",
		"question": "answer question abc-q1", "stopped in the queue": "retry", "blocked hand-over": "retry", "gate open": "send it back with a comment",
		"done": "is over", "paused": "abc-r2",
	} {
		s := all[name]
		run := s.p.q.Step(s.step).Run
		if name == "signalled, ward queued" || name == "paused" {
			run = "abc-r1"
		}
		if name == "done" {
			run = "abc-r3"
		}
		s.p.refused(orchestration.MessageSent{Run: run, Text: "hurry"}, words)
	}
}

func TestMessage_toARunThatWaitsForARole_namesTheRunAtWork(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	p.refused(orchestration.MessageSent{Run: "abc-r1", Text: "hurry"}, "message that run instead")
	p.exit(p.at("a", orchestration.Spiritmender), orchestration.EndCrashed)
}

func TestMessage_endsTheRunAndResumesItsSession_onlyWhenNothingOfItLives(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.MessageSent{Run: r.ID, Text: "use blue"})
	p.refused(orchestration.MessageSent{Run: r.ID, Text: "use blue"}, p.q.Step("a").Run)
	p.grant()
	next := p.q.Run(p.q.Step("a").Run)
	if next.State != orchestration.RunQueued || next.ResumedFrom != r.ID || next.Brief.Message != "use blue" {
		t.Fatalf("%s: %+v", next.State, next.Launch)
	}
	p.exit(r, orchestration.EndCrashed)
	p.at("a", orchestration.Codeweaver)
}

// A message would resume the session, but its context is full.
func TestMessage_toAFullContext_isRefused(t *testing.T) {
	t.Parallel()
	n := newQuest()
	n.Limits.Partial, n.Plan = 1, &orchestration.OwnPlan{Steps: []orchestration.PlanStep{step("a")}}
	p := create(t, n)
	for range 2 {
		p.signal("a", orchestration.Codeweaver, orchestration.Signal{Kind: orchestration.PartiallyComplete, Progress: "half", ContinuationPoint: "rest"})
	}
	p.hold("a", orchestration.HoldBlocked)
	p.refused(orchestration.MessageSent{Run: p.q.Step("a").Run, Text: "go on"}, "context is full")
}

func TestMessage_toTheNewestRunOfABlockedStep_endsTheBlock(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.do(orchestration.MessageSent{Run: r.ID, Text: "use blue"}) // while the stopped process still lives
	p.exit(r, orchestration.EndCrashed)
	if next := p.at("a", orchestration.Codeweaver); next.Start != orchestration.StartMessage || next.ResumedFrom != r.ID {
		t.Errorf("%+v", next.Launch)
	}
}

func TestSkip_whileTheStoppedProcessLives(t *testing.T) {
	t.Parallel()
	one, two := step("a"), step("b", "a")
	two.Files = one.Files
	p := withSteps(t, one, two)
	r := p.at("a", orchestration.Codeweaver)
	p.refused(orchestration.SkipPressed{Step: "a"}, "stop its run first")
	p.do(orchestration.StopPressed{Run: r.ID})
	p.do(orchestration.SkipPressed{Step: "a"})
	p.grant()
	p.stage("b", orchestration.StageReady) // the process that is ending can still write the file
	p.exit(r, orchestration.EndCrashed)
	p.at("b", orchestration.Codeweaver)
}

func TestSkip_ofTheLastStep_beginsTheReview_whileItsProcessLeaves(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.do(orchestration.SkipPressed{Step: "a"})
	if p.q.Phase != orchestration.PhaseReview {
		t.Fatalf("phase %s", p.q.Phase)
	}
	p.ward("review", orchestration.EndWardFailed) // while another run could write
	p.exit(r, orchestration.EndCrashed)
	if w := p.at("review", orchestration.Ward); !w.Alone {
		t.Error("the verdict beside a leaving process counted")
	}
}

func TestResplit_whileWardRuns_dropsTheCheck(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.complete("a", orchestration.Codeweaver)
	w := p.at("a", orchestration.Ward)
	if err := p.try(orchestration.ResplitPressed{Step: "a", Reason: " "}); orchestration.CodeOf(err) != orchestration.CodeInvalid {
		t.Errorf("without a reason: %v", err)
	}
	p.do(orchestration.ResplitPressed{Step: "a", Reason: "too large"})
	p.do(orchestration.ResplitPressed{Step: "a", Reason: "too large"})
	p.do(orchestration.RunExited{Run: w.ID, End: orchestration.EndWardPassed})
	if r := p.at("a", orchestration.PathSeeker); r.Brief.Reason != "too large" || r.ReturnTo != "" {
		t.Errorf("%+v", r.Launch)
	}
	p.complete("a", orchestration.PathSeeker)
	p.at("a", orchestration.Codeweaver) // no draft: the step starts again
}

func TestResplit_closesTheQuestionAndEndsTheStack(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b", "a"))
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	p.signal("a", orchestration.Spiritmender, ask("a"))
	p.do(orchestration.ResplitPressed{Step: "a", Reason: "too large"})
	p.refused(orchestration.AnswerGiven{Question: "abc-q1", Answer: "red"}, "no longer needed: the step is split again")
	p.refused(orchestration.ResplitPressed{Step: "b", Reason: "x"}, "edit it instead")
}

func TestRetry_ofAStepThatIsNotBlocked_isRefused(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.at("a", orchestration.Codeweaver)
	p.refused(orchestration.RetryPressed{Step: "a"}, "not blocked")
}

func TestStop_inTheQueue_blocksAndRetryStartsWhatItWouldHaveBeen(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.signal("a", orchestration.Codeweaver, ask("a"))
	p.do(orchestration.AnswerGiven{Question: "abc-q1", Answer: "red"})
	queued := p.q.Step("a").Run
	p.do(orchestration.StopPressed{Run: queued})
	p.hold("a", orchestration.HoldBlocked)
	if why := p.q.Run(queued).Why; why != "stopped before it started" { // for any reader
		t.Errorf("the run ended because: %q", why)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	if next := p.at("a", orchestration.Codeweaver); next.ResumedFrom != r.ID || next.Brief.Answer != "red" {
		t.Errorf("the answer is lost: %+v", next.Launch)
	}
}

func TestEditStep_ofABlockedStep_changesItsText_notItsDependencies(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	p.do(orchestration.StopPressed{Run: p.at("a", orchestration.Codeweaver).ID})
	title, deps := "smaller", []string{"b"}
	p.do(orchestration.StepEdited{Step: "a", Title: &title})
	p.refused(orchestration.StepEdited{Step: "a", DependsOn: &deps}, "dependencies cannot be changed")
}

func TestAbandon_whileRunsLive_endsThemAndStartsNothing(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"), step("c"), step("d"))
	p.good("a")
	p.good("b")
	r := p.at("c", orchestration.Codeweaver)
	p.exit(p.at("d", orchestration.Codeweaver), orchestration.EndCrashed) // queued again
	p.do(orchestration.AbandonPressed{})
	want := []orchestration.Effect{orchestration.EndRun{Run: r.ID}}
	for _, step := range []string{"plan", "baseline", "a", "b", "d"} { // c is released when its process is gone
		want = append(want, orchestration.ReleaseStep{Step: step})
	}
	if !slices.Equal(p.last.Effects, want) {
		t.Errorf("effects %+v, want the end of %s, no merge, and the trees given up", p.last.Effects, r.ID)
	}
	late := orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "c", Summary: "s"}}
	if err := p.try(late); orchestration.CodeOf(err) != orchestration.CodeConflict || len(p.last.Events) != 1 {
		t.Errorf("a late signal: %v, %d events", err, len(p.last.Events))
	}
	p.exit(r, orchestration.EndClean)
	if n := len(p.q.OpenRuns()); n != 0 || p.q.Phase != orchestration.PhaseSteps || p.q.Status(nil) != orchestration.StatusAbandoned {
		t.Errorf("%d open runs, phase %s, status %s", n, p.q.Phase, p.q.Status(nil))
	}
}

func TestOver_everyControlIs409_repeatsAside(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.do(orchestration.SkipPressed{Step: "a"})
	p.reviewed()
	p.do(orchestration.SkipPressed{Step: "a"}) // it was skipped: a repeat
	for _, f := range []orchestration.InputKind{orchestration.PausePressed{}, orchestration.ResumePressed{}, orchestration.AbandonPressed{}, orchestration.RetryPressed{Step: "a"},
		orchestration.ResplitPressed{Step: "a", Reason: "x"}, orchestration.StepEdited{Step: "a"}, orchestration.QuestEdited{}, orchestration.StopPressed{Run: "abc-r1"},
		orchestration.MessageSent{Run: "abc-r1", Text: "x"}, orchestration.GateDecided{Gate: "plan", Approve: true}} {
		p.refused(f, "the quest is complete")
	}
}
