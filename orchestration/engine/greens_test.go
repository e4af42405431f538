package engine_test

import (
	"testing"
	"testing/synctest"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// docs/state-machine.md#the-baseline
func TestTheNextQuestUsesTheResultOnTheSameBase(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, func(c *engine.Config) { c.Checks = 2 })
		defer r.stop()
		base := func(ward string) *process {
			t.Helper()
			q := r.quest(1, func(n *orchestration.NewQuest) { n.Workspace, n.Ward = orchestration.WorkspaceWorktree, ward })
			for _, p := range r.runs.living() {
				if p.spec.QuestID == q.ID && p.spec.Step == orchestration.StepBaseline {
					return p
				}
			}
			t.Fatal("nothing checks the base")
			return nil
		}
		first := base("make check")
		if first.spec.GreenTree != "" {
			t.Errorf("the first quest knows %q", first.spec.GreenTree)
		}
		first.exit(orchestration.EndWardPassed) // on the tree "t"
		synctest.Wait()
		second, other := base("make check"), base("make lint")
		if second.spec.GreenTree != "t" || other.spec.GreenTree != "" {
			t.Errorf("the same check knows %q, another one %q", second.spec.GreenTree, other.spec.GreenTree)
		}
	})
}
