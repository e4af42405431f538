package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

func leaves(step string, to orchestration.Role, resume bool) orchestration.Signal {
	return orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: step, TargetRole: to, Reason: "lint errors", Context: "here", Resume: &resume}
}

// handed sends a hand-over of the run at work, with what the server saw in the tree.
func (p *player) handed(step string, to orchestration.Role, resume bool, tree orchestration.TreeChanged) error {
	p.t.Helper()
	r := p.at(step, orchestration.Codeweaver)
	return p.try(orchestration.SignalReceived{Run: r.ID, Signal: leaves(step, to, resume), TreeChanged: tree})
}

func refusedWith(t *testing.T, err error, all ...string) {
	t.Helper()
	if orchestration.CodeOf(err) != orchestration.CodeInvalid {
		t.Fatalf("want a refusal, have %v", err)
	}
	for _, words := range all {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("the refusal does not say %q: %v", words, err)
		}
	}
}

func TestAHandOverBeforeAnythingWasChanged_isRefused(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.at("a", orchestration.Codeweaver)
	version := p.q.Version
	for _, to := range []orchestration.Role{orchestration.Spiritmender, orchestration.Siegemaster, orchestration.Lawbringer} {
		refusedWith(t, p.handed("a", to, false, orchestration.TreeSame), "for a job that is done", "nothing has been changed",
			"resume: true", "send complete", "hand over to pathseeker")
		for _, unknown := range []orchestration.TreeChanged{orchestration.TreeUnknown, "", "maybe"} {
			refusedWith(t, p.handed("a", to, false, unknown), "for a job that is done", "not known")
		}
	}
	if p.q.Version != version {
		t.Error("a refusal changed something")
	}
	if err := p.handed("a", orchestration.Spiritmender, true, orchestration.TreeSame); err != nil {
		t.Errorf("with resume: true: %v", err)
	}
}

func TestAHandOverBeforeAnythingWasChanged_toPathSeeker_isTaken(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	if err := p.handed("a", orchestration.PathSeeker, false, orchestration.TreeSame); err != nil {
		t.Error(err)
	}
}

func TestAHandOverWithWorkDoneAndASiegeToCome_isTaken_andTheSiegeComes(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, false)
	p.complete("a", orchestration.Spiritmender)
	p.ward("a", orchestration.EndWardPassed)
	p.at("a", orchestration.Siegemaster)
}

func TestAHandOverWithoutASiegeToCome_isRefused(t *testing.T) {
	t.Parallel()
	review := reviewing(t)
	review.handOver("review", orchestration.Lawbringer, orchestration.Codeweaver, true)
	refusedWith(t, review.handed("review", orchestration.Spiritmender, false, orchestration.TreeDiffers), "no siege follows", "resume: true")

	approved := withSteps(t, step("a"))
	approved.complete("a", orchestration.Codeweaver)
	approved.ward("a", orchestration.EndWardPassed)
	approved.complete("a", orchestration.Siegemaster)
	approved.ward("a", orchestration.EndWardFailed)
	approved.handOver("a", orchestration.Spiritmender, orchestration.Codeweaver, true)
	refusedWith(t, approved.handed("a", orchestration.Spiritmender, false, orchestration.TreeDiffers), "siegemaster has approved", "resume: true")
}

func TestAtTheDeepestLevel_theRefusalNamesNothingThatIsRefusedToo(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	p.handOver("a", orchestration.Spiritmender, orchestration.Codeweaver, true)
	p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
	p.handOver("a", orchestration.Spiritmender, orchestration.Lawbringer, true)
	p.handOver("a", orchestration.Lawbringer, orchestration.Codeweaver, true)
	for _, resume := range []bool{true, false} {
		err := p.handed("a", orchestration.Spiritmender, resume, orchestration.TreeSame)
		refusedWith(t, err, "send complete", "partially-complete", "pathseeker with resume: false")
		if strings.Contains(err.Error(), "send resume: true") {
			t.Errorf("it names what is refused: %v", err)
		}
	}
	refusedWith(t, p.handed("a", orchestration.Spiritmender, true, orchestration.TreeDiffers), "finish, or send resume: false")
	if err := p.handed("a", orchestration.Spiritmender, false, orchestration.TreeDiffers); err != nil {
		t.Errorf("with work done: %v", err)
	}
}

func TestTheStartOfAStepsTree_isWhatItsFirstRunFound(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.slots = 0
	p.do(orchestration.SlotGranted{Step: "a", Slot: 1, SessionID: "s1"})
	first := p.q.Run(p.q.Step("a").Run)
	if !p.q.BeginsTree(first) {
		t.Error("the first run does not begin the tree")
	}
	p.do(orchestration.ProcessStarted{Run: first.ID, PID: 1, Tree: "t1"})
	p.exit(first, orchestration.EndInterrupted)
	again := p.q.Run(p.q.Step("a").Run)
	p.do(orchestration.SlotGranted{Run: again.ID, Slot: 1, SessionID: "s2"})
	if p.q.BeginsTree(again) {
		t.Error("the second run begins the tree, too")
	}
	p.do(orchestration.ProcessStarted{Run: again.ID, PID: 2, Tree: "t2"})
	if got := p.q.Step("a").StartTree; got != "t1" {
		t.Errorf("the start is %q", got)
	}
}

// A run without a fingerprint may have worked: what a later run finds is no start.
func TestTheStartOfAStepsTree_staysUnknownAfterARunThatSawNone(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.slots = 0
	p.do(orchestration.SlotGranted{Step: "a", Slot: 1, SessionID: "s1"})
	first := p.q.Run(p.q.Step("a").Run)
	p.do(orchestration.ProcessStarted{Run: first.ID, PID: 1})
	p.exit(first, orchestration.EndInterrupted)
	again := p.q.Run(p.q.Step("a").Run)
	p.do(orchestration.SlotGranted{Run: again.ID, Slot: 1, SessionID: "s2"})
	p.do(orchestration.ProcessStarted{Run: again.ID, PID: 2, Tree: "t2"})
	if got := p.q.Step("a").StartTree; got != "" {
		t.Errorf("the start is %q", got)
	}
}

// With worktrees the server knows what each run of a step changed, so one look that
// fails does not leave the start unknown for good.
func TestTheStartOfAStepsTree_isLookedForAgainAfterALookThatFailed(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	first := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.ProcessStarted{Run: first.ID, PID: 901})
	p.exit(first, orchestration.EndInterrupted)
	again := p.at("a", orchestration.Codeweaver)
	if !p.q.BeginsTree(again) {
		t.Fatal("nothing was changed so far, and the second run does not begin the tree")
	}
	p.do(orchestration.RunExited{Run: again.ID, End: orchestration.EndInterrupted, Exit: orchestration.Exit{Why: "restart", Changed: []string{"a.go"}}})
	third := p.at("a", orchestration.Codeweaver)
	if p.q.BeginsTree(third) {
		t.Error("the third run begins the tree, and the second has changed it")
	}
	if err := p.handed("a", orchestration.Spiritmender, false, orchestration.TreeUnknown); err != nil {
		t.Errorf("a run has changed a.go: %v", err)
	}
}

// What a person did before Mark done is committed before the check, the first run. It is
// work, and no part of the start.
func TestTheStartOfAStepsTree_isNotWhatAPersonLeftForTheCheck(t *testing.T) {
	t.Parallel()
	p := inWorktrees(t, step("a"))
	p.slots = 0
	p.do(orchestration.MarkDonePressed{Step: "a"})
	p.slots = 1
	check := p.q.Run(p.q.Step("a").Run)
	if !check.Brief.ByHand || p.q.BeginsTree(check) {
		t.Errorf("the check of the person's work begins the tree: %+v", check.Launch)
	}
}
