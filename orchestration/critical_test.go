package orchestration_test

import (
	"slices"
	"testing"

	"questboard/orchestration"
)

func TestCriticalPath_isTheLongestChainOfWhatIsNotSettled(t *testing.T) {
	t.Parallel()
	long := step("long")
	long.Minutes = 30
	p := withSteps(t, step("a"), step("b", "a"), step("c", "b"), long, step("end", "long"), step("alone"))
	check := func(want ...string) {
		t.Helper()
		if got := p.q.CriticalPath(); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	check("long", "end") // minutes count, where they are known
	p.do(orchestration.SkipPressed{Step: "long", Reason: "by hand"})
	check("a", "b", "c")
	p.do(orchestration.SkipPressed{Step: "b", Reason: "by hand"})
	check("a") // of those alike the plan's first
	p.do(orchestration.AbandonPressed{})
	check()
}
