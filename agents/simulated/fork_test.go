package simulated_test

import (
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

func TestAForkedSessionGoesOnWithTheCostOfItsParent_whichStaysAsItWas(t *testing.T) {
	t.Parallel()
	b := newBench(t, "- {role: codeweaver, visit: 1, do: [{say: one}]}\n- {role: codeweaver, visit: 2, do: [{say: two}]}\n", 0)
	first := b.run(1, nil)
	fork := func(s *agents.Spec) {
		s.ForkOf, s.SessionID, s.Dir = sessionA, "00000000-0000-0000-0000-00000000000b", b.data
	}
	second := b.run(2, fork)
	if second.End != orchestration.EndClean || !strings.Contains(b.output(), "two") || second.Exit.SessionCost != 2*first.Exit.SessionCost {
		t.Errorf("ended %+v\n%s", second, b.output())
	}
	if again := b.run(2, resumed); again.Exit.SessionCost != 2*first.Exit.SessionCost {
		t.Errorf("the parent costs %v after its next run", again.Exit.SessionCost)
	}
	if own := b.run(2, func(s *agents.Spec) { fork(s); s.ForkOf, s.Resume = "", true }); own.End != orchestration.EndClean || own.Exit.SessionCost != 3*first.Exit.SessionCost {
		t.Errorf("resumed, the fork ended %+v", own)
	}
	gone := b.run(1, func(s *agents.Spec) {
		s.ForkOf, s.SessionID = "00000000-0000-0000-0000-00000000000c", "00000000-0000-0000-0000-00000000000d"
	})
	if gone.End != orchestration.EndUnknownSession {
		t.Errorf("without its parent: %+v", gone)
	}
}
