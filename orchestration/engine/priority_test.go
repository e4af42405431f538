package engine_test

import (
	"testing"
	"testing/synctest"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// The counts are stored with the grant, so a restart gives nobody another turn.
func TestTheTurnsOfPrioritiesSurviveARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(c *engine.Config) { c.Slots = 1 })
		of := func(p orchestration.Priority) func(*orchestration.NewQuest) {
			return func(n *orchestration.NewQuest) { n.Priority = p }
		}
		high, low := r.quest(6, of(orchestration.PriorityHigh)).ID, r.quest(2, of(orchestration.PriorityLow)).ID
		begun := func(id string) int {
			n := 0
			for _, s := range r.now(id).Steps.All() {
				if s.Started {
					n++
				}
			}
			return n
		}
		for n := 1; n <= 6; n++ {
			wantLow := n / 4 // every fourth turn
			if got := begun(low); got != wantLow || begun(high) != n-wantLow {
				t.Fatalf("after %d turns: %d of high, %d of low", n, begun(high), got)
			}
			if n == 2 {
				before := r.Turns()
				r.stop()
				r.start()
				if r.Turns() != before || before.High != 2 {
					t.Errorf("turns %+v after a restart, %+v before", r.Turns(), before)
				}
			}
			for tries := 0; begun(low)+begun(high) == n && tries < 9; tries++ { // the started step, to its end
				if p := r.runs.only(); p.spec.Role == orchestration.Ward {
					p.exit(orchestration.EndWardPassed)
					synctest.Wait()
				} else {
					r.complete(p)
				}
			}
		}
		r.stop()
	})
}
