package orchestration_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
)

func TestWard_failsIntoSpiritmender_andAtTheThirdInARowBlocks(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.complete("a", orchestration.Codeweaver)
	for range 2 {
		p.ward("a", orchestration.EndWardFailed)
		r := p.at("a", orchestration.Spiritmender)
		if r.Brief.Digest != "FAIL" || r.Brief.OutputOf == "" {
			t.Fatalf("spiritmender is told %+v", r.Brief)
		}
		p.complete("a", orchestration.Spiritmender)
	}
	if why := p.q.StepWhy(p.q.Step("a"), p.now, nil).Words(); !strings.Contains(why, "check failed: 2 of at most 3") {
		t.Errorf("the card says %q", why)
	}
	p.ward("a", orchestration.EndWardFailed)
	p.hold("a", orchestration.HoldBlocked)
	if got := p.q.Step("a").Block.Reason; got != "the check failed 3 times, and the limit is 3: 2 tests" {
		t.Errorf("reason %q", got)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	p.complete("a", orchestration.Spiritmender) // retry starts what the limit prevented
	p.ward("a", orchestration.EndWardPassed)
	if c := p.q.Step("a").Counts.Ward; c != 0 {
		t.Errorf("%d failures in a row after a pass", c)
	}
}

func TestWard_thatFailedBesideSomebodysEdit_isRepeatedAlone(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"), step("c"))
	p.slots = 2
	p.at("b", orchestration.Codeweaver)
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardFailed)
	p.slots = 3
	w := p.q.Run(p.q.Step("a").Run)
	if w.Role != orchestration.Ward || !w.Alone || p.q.Step("a").Counts.Ward != 0 {
		t.Fatalf("next is %s, alone %v, failures %d", w.Role, w.Alone, p.q.Step("a").Counts.Ward)
	}
	p.grant()
	if p.q.Run(w.ID).State != orchestration.RunQueued || p.q.Step("c").Stage != orchestration.StageReady {
		t.Fatal("the check did not wait for the tree, or somebody else was let in")
	}
	p.complete("b", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardFailed) // only this verdict counts
	p.at("a", orchestration.Spiritmender)
}

// A check must run alone, but its step has lost its file to another step. It must not
// keep that other step waiting, because then neither could continue.
func TestWard_aloneWithoutItsFiles_claimsNothing(t *testing.T) {
	t.Parallel()
	one, two := step("a"), step("b")
	one.Files, two.Files = []string{"same.go"}, []string{"same.go"}
	p := withSteps(t, one, two, step("c"))
	p.at("c", orchestration.Codeweaver)
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardFailed) // while c could write: it is repeated alone
	w := p.q.Run(p.q.Step("a").Run)
	p.do(orchestration.StopPressed{Run: w.ID})
	p.at("b", orchestration.Codeweaver) // a is blocked, so its file is free
	p.do(orchestration.RetryPressed{Step: "a"})
	p.stepThrough("b")
	p.complete("c", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
}

func TestVerdict_clearedWhenCodeweaverCompletesWithoutAReturn(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	p.complete("a", orchestration.Siegemaster)
	p.ward("a", orchestration.EndWardFailed)
	p.handOver("a", orchestration.Spiritmender, orchestration.Codeweaver, false)
	p.complete("a", orchestration.Codeweaver)
	p.ward("a", orchestration.EndWardPassed)
	p.at("a", orchestration.Siegemaster) // new code is tested again
}

func TestFollowups_theSameHandOverTwiceInARow_blocks_andRetryStartsTheTarget(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	for range 2 {
		p.handOver("a", orchestration.Codeweaver, orchestration.Spiritmender, true)
		if p.q.Step("a").Hold == orchestration.HoldNone {
			p.complete("a", orchestration.Spiritmender)
			p.ward("a", orchestration.EndWardPassed)
		}
	}
	p.hold("a", orchestration.HoldBlocked)
	if r := p.q.Step("a").Block.Reason; !strings.Contains(r, "Spiritmender, for which Codeweaver") {
		t.Errorf("the reason does not name the chain: %q", r)
	}
	p.do(orchestration.RetryPressed{Step: "a"})
	p.at("a", orchestration.Spiritmender)
}

func TestFollowups_twelveAreAllowed_andTheDepthIsFive(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	roles := []orchestration.Role{orchestration.Codeweaver, orchestration.Spiritmender}
	for i := range 5 {
		p.handOver("a", roles[i%2], roles[(i+1)%2], true)
	}
	yes := true
	err := p.try(orchestration.SignalReceived{Run: p.at("a", roles[1]).ID, Signal: orchestration.Signal{Kind: orchestration.NeedsRoleFollowup,
		StepID: "a", TargetRole: orchestration.Codeweaver, Reason: "r", Context: "c", Resume: &yes}})
	if err == nil || !strings.Contains(err.Error(), "resume: false") {
		t.Fatalf("the sixth on the stack: %v", err)
	}
	for i := 5; i < 12; i++ {
		p.handOver("a", roles[i%2], roles[(i+1)%2], false)
		p.hold("a", orchestration.HoldNone)
	}
	p.handOver("a", roles[0], roles[1], false)
	p.hold("a", orchestration.HoldBlocked)
}

// Spiritmender is told first what failed, which failure it is, and how long the check took.
func TestWard_aFailureIsToldInOrder(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.complete("a", orchestration.Codeweaver)
	for n := range 2 {
		r := p.at("a", orchestration.Ward)
		p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndWardFailed, Exit: orchestration.Exit{
			Why: "exit 1", Digest: "end", Failing: []string{"--- FAIL: TestA"}, MoreFailing: 7, Took: time.Minute}})
		b := p.at("a", orchestration.Spiritmender).Brief
		want := orchestration.FailedCheck{Failing: []string{"--- FAIL: TestA"}, More: 7, Time: n + 1, Limit: 3, Took: time.Minute}
		if b.Check == nil || !reflect.DeepEqual(*b.Check, want) {
			t.Errorf("failure %d: told %+v", n+1, b.Check)
		}
		p.complete("a", orchestration.Spiritmender)
	}
	r := p.at("a", orchestration.Ward)
	p.do(orchestration.RunExited{Run: r.ID, End: orchestration.EndWardFailed, Exit: orchestration.Exit{Why: "exit 1"}})
	if b := p.q.Step("a").Block; b == nil || b.Retry.Brief.Check.Time != 3 {
		t.Errorf("blocked: %+v", b)
	}
}
