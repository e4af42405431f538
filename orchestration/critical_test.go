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
	check("long", "end") // the estimated minutes count
	p.do(orchestration.SkipPressed{Step: "long", Reason: "by hand"})
	check("a", "b", "c")
	p.do(orchestration.SkipPressed{Step: "b", Reason: "by hand"})
	check("a") // among equals the first in the plan
	p.do(orchestration.AbandonPressed{})
	check()
}
