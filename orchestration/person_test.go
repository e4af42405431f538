package orchestration_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

func TestMarkDone_checksAndMerges_withoutSiegemaster(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b", "a"))
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	p.signal("a", orchestration.Spiritmender, ask("a"))
	p.do(orchestration.MarkDonePressed{Step: "a"})
	if slices.ContainsFunc(runs(p.q), func(r *orchestration.Run) bool { return r.Waiting }) {
		t.Error("somebody still waits in a step that was done by hand")
	}
	p.refused(orchestration.AnswerGiven{Question: "abc-q1", Answer: "red"}, "no longer needed: the step was done by hand")
	if check := p.at("a", orchestration.Ward); !check.Brief.ByHand || check.ReturnTo != "" {
		t.Errorf("the check is %+v: what is in the tree must be committed first", check.Launch)
	}
	p.ward("a", orchestration.EndWardPassed)
	p.stage("a", orchestration.StageMerge)
	p.refused(orchestration.MarkDonePressed{Step: "a"}, "is being merged")
	p.refused(orchestration.TakeOverPressed{Step: "a"}, "is being merged")
	p.merges("a", orchestration.MergeMerged)
	p.stage("a", orchestration.StageDone)
	if why := p.why("a"); why != "done, and the check passed; not besieged: by hand" {
		t.Errorf("the card says %q", why)
	}
	o := p.q.Outcome()
	if len(o.ByHand) != 1 || o.ByHand[0].By != "user" || o.Green() || !strings.Contains(o.Words(), "Not besieged: by hand: ") {
		t.Errorf("the outcome is %+v: %s", o.ByHand, o.Words())
	}
}

// The command is changed while the check of a person's work is at work: what that check has left in the
// tree is not the person's.
func TestMarkDone_anotherCommand_commitsNothingThatTheCheckLeft(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.do(orchestration.MarkDonePressed{Step: "a"})
	check := p.at("a", orchestration.Ward)
	p.do(orchestration.ProcessStarted{Run: check.ID, PID: 7})
	ward := "make lint"
	p.do(orchestration.QuestEdited{Ward: &ward})
	if next := p.next("a"); next.ID == check.ID || next.Brief.ByHand || p.q.InHand("a") {
		t.Errorf("the next check commits as a person what is in the tree: %+v", next.Launch)
	}
}

func TestMarkDone_aRedCheckOrAConflict_givesTheStepBackToThePerson(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.do(orchestration.MarkDonePressed{Step: "a"}) // it is ready
	p.ward("a", orchestration.EndWardFailed)
	p.hold("a", orchestration.HoldYours)
	if why := p.why("a"); why != "taken over by you; 2 tests" {
		t.Errorf("the card says %q", why)
	}
	p.do(orchestration.MarkDonePressed{Step: "a"})
	p.ward("a", orchestration.EndWardPassed)
	p.merges("a", orchestration.MergeConflict)
	p.hold("a", orchestration.HoldYours)
	p.do(orchestration.RetryPressed{Step: "a"}) // give it back
	if r := p.at("a", orchestration.Spiritmender); r.Brief.Kind != orchestration.BriefConflict || !r.Brief.ByHand {
		t.Errorf("given back to %+v", r.Launch)
	}
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardPassed)
	p.at("a", orchestration.Siegemaster) // an agent has worked on it: it is tested
}

// What a person could not take out of the files, Spiritmender does.
func TestMarkDone_markersGiveTheStepBack_andGivenBackTheyAreMended(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.do(orchestration.MarkDonePressed{Step: "a"})
	left := orchestration.Exit{Why: "markers", Markers: []string{"a.go"}}
	p.do(orchestration.RunExited{Run: p.at("a", orchestration.Ward).ID, End: orchestration.EndSetupFailed, Exit: left})
	p.hold("a", orchestration.HoldYours)
	if why := p.why("a"); why != "taken over by you; conflict markers in a.go" {
		t.Errorf("the card says %q", why)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	r := p.at("a", orchestration.Spiritmender)
	if r.Brief.Kind != orchestration.BriefMarkers || len(r.Brief.Files) != 1 {
		t.Errorf("given back to %+v", r.Launch)
	}
	p.complete("a", orchestration.Spiritmender)
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.do(orchestration.RetryPressed{Step: "a"}) // the check, and the person left markers
	p.do(orchestration.RunExited{Run: p.at("a", orchestration.Ward).ID, End: orchestration.EndSetupFailed, Exit: left})
	p.at("a", orchestration.Spiritmender)
}

// A person vouches for their own work alone. What agents make of it is tested again.
func TestMarkDone_agentsThatGoOn_oweASiegeAgain(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.do(orchestration.MarkDonePressed{Step: "a"})
	p.ward("a", orchestration.EndWardBroke)
	if !p.q.Step("a").Verdict {
		t.Error("the person's word does not count while the check cannot run")
	}
	p.do(orchestration.ResplitPressed{Step: "a", Reason: "too large"})
	if s := p.q.Step("a"); s.Verdict || s.ByHand != "" {
		t.Errorf("agents work on it, and it still counts as tested: %+v", s)
	}
}

func TestMarkDone_isRefused_whileARunLives(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b", "a"))
	r := p.at("a", orchestration.Codeweaver)
	p.refused(orchestration.MarkDonePressed{Step: "a"}, "stop its run first")
	p.do(orchestration.StopPressed{Run: r.ID})
	p.refused(orchestration.MarkDonePressed{Step: "a"}, "has not ended yet")
	p.exit(r, orchestration.EndCrashed)
	p.refused(orchestration.MarkDonePressed{Step: "b"}, "waits for its dependencies")
	p.refused(orchestration.MarkDonePressed{Step: "review"}, "the whole quest")
	p.do(orchestration.MarkDonePressed{Step: "a"})
	p.at("a", orchestration.Ward)
}

func TestTakeOver_stopsTheRun_keepsTheStack_givingBackResumes(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	first := p.at("a", orchestration.Codeweaver)
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	r := p.at("a", orchestration.Spiritmender)
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.hold("a", orchestration.HoldYours)
	if p.q.Run(r.ID).Stopping != orchestration.OutcomeStopped {
		t.Error("the run at work was not stopped")
	}
	p.refused(orchestration.MarkDonePressed{Step: "a"}, "has not ended yet")
	p.exit(r, orchestration.EndCrashed)
	p.grant()
	if len(p.q.OpenRuns()) != 0 || p.q.Status(nil) != orchestration.StatusWaiting {
		t.Errorf("%d runs are open, status %s", len(p.q.OpenRuns()), p.q.Status(nil))
	}
	p.refused(orchestration.TakeOverPressed{Step: "a"}, "you took a over already")
	p.refused(orchestration.ResplitPressed{Step: "a", Reason: "too large"}, "give it back first")
	if needs := p.q.Needs(nil); len(needs) != 1 || needs[0].Kind != orchestration.NeedYours || needs[0].Step != "a" {
		t.Errorf("what needs somebody: %+v", needs)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	again := p.at("a", orchestration.Spiritmender)
	if again.ResumedFrom != r.ID || again.ReturnTo != first.ID || !again.Brief.ByHand {
		t.Errorf("given back to %+v", again.Launch)
	}
}

func TestTakeOver_theSecondPersonIsRefused_andDoneOwesNoSiege(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	p.signal("a", orchestration.Codeweaver, ask("a"))
	take := func(who string) error {
		tr, err := orchestration.Apply(p.q, orchestration.Input{At: p.now, Actor: who, Kind: orchestration.TakeOverPressed{Step: "a"}})
		p.q = tr.Quest
		return err
	}
	if err := take("ana"); err != nil {
		t.Fatal(err)
	}
	version := p.q.Version
	if err := take("ben"); orchestration.CodeOf(err) != orchestration.CodeConflict || !strings.Contains(err.Error(), "ana took a over already") || p.q.Version != version {
		t.Errorf("the second person: %v", err)
	}
	p.refused(orchestration.AnswerGiven{Question: "abc-q1", Answer: "red"}, "no longer needed")
	p.do(orchestration.MarkDonePressed{Step: "a"})
	p.ward("a", orchestration.EndWardPassed)
	p.stage("a", orchestration.StageDone)
}

// A step that waits for a slot has no tree yet. The person gets one, without a slot.
func TestTakeOver_ofAReadyStep_makesItsTree(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b", "a"))
	tr, err := orchestration.Apply(p.q, orchestration.Input{At: p.now, Actor: "user", Kind: orchestration.TakeOverPressed{Step: "a"}})
	if err != nil || len(tr.Effects) != 1 || tr.Effects[0] != (orchestration.PrepareStep{Step: "a"}) {
		t.Fatalf("effects %v (%v)", tr.Effects, err)
	}
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.grant()
	p.hold("a", orchestration.HoldYours)
	if len(p.q.OpenRuns()) != 0 || p.freed["a"] {
		t.Errorf("%d runs are open, the tree is given up: %v", len(p.q.OpenRuns()), p.freed["a"])
	}
	p.do(orchestration.RetryPressed{Step: "a"}) // give it back
	if r := p.at("a", orchestration.Codeweaver); r.Start != orchestration.StartFresh || !r.Brief.ByHand {
		t.Errorf("given back to %+v", r.Launch)
	}
}

// Without a tree there is nothing to take over. To press again is to try again.
func TestTakeOver_withoutATree_blocksTheStep(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.do(orchestration.TreeNotMade{Step: "a", Why: "the disk is full"})
	p.hold("a", orchestration.HoldBlocked)
	if why := p.why("a"); !strings.Contains(why, "the working tree could not be made: the disk is full") {
		t.Errorf("the card says %q", why)
	}
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.hold("a", orchestration.HoldYours)
	p.do(orchestration.RetryPressed{Step: "a"})
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.TreeNotMade{Step: "a", Why: "too late"})
	p.hold("a", orchestration.HoldNone)
	if p.q.Run(r.ID).State == orchestration.RunEnded {
		t.Error("a late report ended a run")
	}
	if err := p.try(orchestration.TreeNotMade{Step: "nobody"}); orchestration.CodeOf(err) != orchestration.CodeNotFound {
		t.Errorf("of a step that is missing: %v", err)
	}
}

// The tree of a step that only a person has had is removed when the step is settled.
func TestTakeOver_ofAReadyStep_thatIsSkippedThen_leavesNoTree(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b", "a"))
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not needed"})
	p.at("b", orchestration.Codeweaver)
	if !p.freed["a"] {
		t.Error("the skip is final, and the tree of the step is kept")
	}
}

// In one folder nobody else touches the files of a person's step.
func TestTakeOver_holdsTheFiles(t *testing.T) {
	t.Parallel()
	one, two := step("a"), step("b")
	two.Files = one.Files
	p := withSteps(t, one, two)
	r := p.at("a", orchestration.Codeweaver)
	p.refused(orchestration.TakeOverPressed{Step: "b"}, "is being worked on by a")
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.exit(r, orchestration.EndCrashed)
	p.grant()
	p.stage("b", orchestration.StageReady)
	p.do(orchestration.MarkDonePressed{Step: "a"})
	p.ward("a", orchestration.EndWardPassed)
	p.at("b", orchestration.Codeweaver)
}

func TestTakeOver_beforeTheBaseIsChecked_saysSo(t *testing.T) {
	t.Parallel()
	p := onBase(t, step("a"))
	p.refused(orchestration.TakeOverPressed{Step: "a"}, "a waits for the check of the base")
	p.refused(orchestration.MarkDonePressed{Step: "a"}, "a waits for the check of the base")
}

func TestTakeOver_aMessageIsRefused_untilTheStepIsGivenBack(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	waiting := p.at("a", orchestration.Codeweaver)
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	stopped := p.at("a", orchestration.Spiritmender)
	p.do(orchestration.TakeOverPressed{Step: "a"})
	for range 2 {
		p.refused(orchestration.MessageSent{Run: waiting.ID, Text: "hurry"}, "a: taken over by you; give it back first")
		p.refused(orchestration.MessageSent{Run: stopped.ID, Text: "hurry"}, "a: taken over by you; give it back first")
		p.exit(stopped, orchestration.EndInterrupted)
	}
}

// A step that waits for PathSeeker to split it has not started. If the skip of its
// dependency is undone meanwhile, nobody takes it over before that one is done: each
// would wait for the other.
func TestTakeOver_waitsForADependencyWhoseSkipWasUndone(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b", "a"))
	p.do(orchestration.PausePressed{})
	p.do(orchestration.SkipPressed{Step: "a", Reason: "not now"})
	p.do(orchestration.ResplitPressed{Step: "b", Reason: "too large"})
	p.do(orchestration.SkipUndone{Step: "a"})
	p.refused(orchestration.TakeOverPressed{Step: "b"}, "waits for its dependencies")
	p.refused(orchestration.MarkDonePressed{Step: "b"}, "waits for its dependencies")
}

func TestSkip_ofAStepThatAPersonHas_keepsTheirTreeUntilTheSkipIsFinal(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"))
	p.complete("a", orchestration.Codeweaver)
	check := p.at("a", orchestration.Ward)
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.do(orchestration.SkipPressed{Step: "a", Reason: "it is in the other repository"})
	p.stage("a", orchestration.StageSkipped)
	if !p.q.InHand("a") {
		t.Error("the end of the check, which is still at work, would undo what the person did")
	}
	p.exit(check, orchestration.EndWardBroke)
	p.do(orchestration.SkipUndone{Step: "a"})
	p.at("a", orchestration.Codeweaver)
}

// Siegemaster found the work good, and then a person changed it. That is not what it
// tested, wherever the step stood.
func TestTakeOver_clearsTheVerdict_soThatWhatIsGivenBackIsTested(t *testing.T) {
	t.Parallel()
	ways := map[string]func(p *player){
		"the check is queued": func(*player) {},
		"the check could not run": func(p *player) {
			p.ward("a", orchestration.EndWardBroke)
		},
		"git could not merge": func(p *player) {
			p.ward("a", orchestration.EndWardPassed)
			p.merges("a", orchestration.MergeBroke)
		},
		"the merged state is checked": func(p *player) {
			p.ward("a", orchestration.EndWardPassed)
			p.merges("a", orchestration.MergeUpdated)
		},
		"Spiritmender is to resolve a conflict": func(p *player) {
			p.ward("a", orchestration.EndWardPassed)
			p.merges("a", orchestration.MergeConflict)
		},
	}
	for name, then := range ways {
		p := inWorktrees(t, step("a"))
		p.complete("a", orchestration.Codeweaver)
		p.ward("a", orchestration.EndWardPassed)
		p.complete("a", orchestration.Siegemaster)
		then(p)
		p.do(orchestration.TakeOverPressed{Step: "a"})
		p.do(orchestration.RetryPressed{Step: "a"})
		if p.next("a").Role == orchestration.Spiritmender {
			p.complete("a", orchestration.Spiritmender)
		}
		p.ward("a", orchestration.EndWardPassed)
		if r := p.next("a"); r.Role != orchestration.Siegemaster {
			t.Errorf("%s: after the check of what the person changed comes %s at stage %s, want a siege", name, r.Role, p.q.Step("a").Stage)
		}
	}
}

// A step that a person marked done has begun, although no run of it had a slot: what
// others plan or change does not alter it.
func TestMarkDone_aStepHasBegun_andNobodyChangesItsPlan(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"), step("b"))
	p.slots = 1
	p.handOver("a", orchestration.Codeweaver, orchestration.PathSeeker, true)
	splits := p.at("a", orchestration.PathSeeker)
	p.do(orchestration.MarkDonePressed{Step: "b"})
	err := p.try(orchestration.PlanDrafted{Run: splits.ID, Draft: plan(step("b", "a"))})
	if err == nil || !strings.Contains(err.Error(), "b: has started") {
		t.Errorf("a re-split of the step that is done by hand: %v", err)
	}
	p.do(orchestration.RunExited{Run: splits.ID, End: orchestration.EndCrashed, Exit: orchestration.Exit{Changed: []string{"b.go"}}})
	if b := p.q.Step("b"); len(b.DependsOn) > 0 {
		t.Errorf("b waits for %v", b.DependsOn)
	}
}
