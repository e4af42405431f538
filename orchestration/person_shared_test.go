package orchestration_test

import (
	"strings"
	"testing"

	"questboard/orchestration"
)

// besideAPerson is a quest in one folder: a person works on a, and b is being checked.
func besideAPerson(t *testing.T) *player {
	t.Helper()
	p := withSteps(t, step("a"), step("b"), step("c"))
	p.do(orchestration.SkipPressed{Step: "c", Reason: "later"})
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.exit(r, orchestration.EndInterrupted)
	p.complete("b", orchestration.Codeweaver)
	p.at("b", orchestration.Ward)
	return p
}

// docs/state-machine.md#in-a-shared-folder: what a person has half done must not count
// against another step.
func TestTakeOver_aCheckThatFailsBesideAPerson_waitsForThemAndRunsAgain(t *testing.T) {
	t.Parallel()
	p := besideAPerson(t)
	p.ward("b", orchestration.EndWardFailed)
	p.grant()
	if w := p.next("b"); w.Role != orchestration.Ward || !w.Alone || w.State != orchestration.RunQueued || p.q.Step("b").Counts.Ward != 0 {
		t.Fatalf("next is %s (%s), alone %v, failures %d", w.Role, w.State, w.Alone, p.q.Step("b").Counts.Ward)
	}
	if why := p.why("b"); !strings.Contains(why, "until a, which a person has taken over") {
		t.Errorf("the card says %q", why)
	}
	p.do(orchestration.SkipUndone{Step: "c"})
	p.complete("c", orchestration.Codeweaver) // nobody else waits for that person
	p.do(orchestration.MarkDonePressed{Step: "a"})
	p.ward("a", orchestration.EndWardPassed)
	p.ward("c", orchestration.EndWardPassed)
	p.ward("b", orchestration.EndWardFailed)
	p.at("b", orchestration.Spiritmender)
}

// A check that was running when the person took over is one beside them, too.
func TestTakeOver_marksTheChecksThatRun_andWaitsForOneThatMustRunAlone(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"), step("b"))
	p.complete("b", orchestration.Codeweaver)
	p.at("b", orchestration.Ward)
	p.at("a", orchestration.Codeweaver)
	p.ward("b", orchestration.EndWardFailed) // beside Codeweaver
	p.complete("a", orchestration.Codeweaver)
	if w := p.at("b", orchestration.Ward); !w.Alone {
		t.Fatal("the check of b does not run alone")
	}
	p.refused(orchestration.TakeOverPressed{Step: "a"}, "the check of b must run alone")
	p.ward("b", orchestration.EndWardPassed)
	p.complete("b", orchestration.Siegemaster)
	p.at("b", orchestration.Ward)
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.ward("b", orchestration.EndWardFailed)
	if w := p.next("b"); w.Role != orchestration.Ward || !w.Alone {
		t.Errorf("next is %s, alone %v", w.Role, w.Alone)
	}
}

// Mark done was a mistake: nobody has built the step, and a check of nothing proves nothing.
func TestTakeOver_afterMarkDoneOfAStepThatNobodyBuilt_givenBackItIsBuilt(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	p.do(orchestration.MarkDonePressed{Step: "a"})
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.do(orchestration.RetryPressed{Step: "a"})
	if r := p.at("a", orchestration.Codeweaver); !r.Brief.ByHand || r.Start != orchestration.StartFresh {
		t.Errorf("given back to %+v", r.Launch)
	}
	p.complete("a", orchestration.Codeweaver)
	p.do(orchestration.TakeOverPressed{Step: "a"})
	p.do(orchestration.RetryPressed{Step: "a"})
	p.at("a", orchestration.Ward) // now there is something to check
}

// The process of a step that was stopped may still write.
func TestTakeOver_waitsForAProcessThatHasNotEnded(t *testing.T) {
	t.Parallel()
	one, two := step("a"), step("b")
	two.Files = one.Files
	p := withSteps(t, one, two)
	r := p.at("a", orchestration.Codeweaver)
	p.do(orchestration.StopPressed{Run: r.ID})
	p.refused(orchestration.TakeOverPressed{Step: "b"}, "is being worked on by a")
	p.exit(r, orchestration.EndInterrupted)
	p.do(orchestration.TakeOverPressed{Step: "b"})
}
