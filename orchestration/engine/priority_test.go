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

// A quest that cannot be written gets no slot, so it has had no turn: what is stored with
// the grants of the others does not count it.
func TestAGrantThatCouldNotBeStoredIsNoTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &refusing{}
		store.id.Store("")
		r := newRig(t, func(c *engine.Config) { store.Store = c.Store; c.Store = store; c.Slots = 1 })
		defer r.stop()
		r.quest(1)
		high := func(id string) func(*orchestration.NewQuest) {
			return func(n *orchestration.NewQuest) { n.ID, n.Priority = id, orchestration.PriorityHigh }
		}
		good, bad := r.quest(2, high("aaa")).ID, r.quest(1, high("bbb")).ID // it is between the two
		store.id.Store(bad)
		if err := r.SetSlots(t.Context(), 4); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := [2]int{len(r.now(good).OpenRuns()), len(r.now(bad).OpenRuns())}; got != [2]int{2, 0} {
			t.Fatalf("%d runs of the quests, want two of the first one", got)
		}
		if got := r.Turns().High; got != 2 {
			t.Errorf("%d turns of high priority for two steps", got)
		}
	})
}
