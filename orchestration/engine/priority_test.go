package engine_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// What a card says of other quests changes with them: the boards that say it are renewed,
// and no others.
func TestTheCardsThatWaitForOtherQuestsAreRenewed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, func(c *engine.Config) { c.Slots = 1 })
		defer r.stop()
		of := func(p orchestration.Priority) func(*orchestration.NewQuest) {
			return func(n *orchestration.NewQuest) { n.Priority = p }
		}
		busy := r.quest(1)
		low, plain := r.quest(2, of(orchestration.PriorityLow)), r.quest(1)
		other := r.quest(1)
		says := func(id string) bool {
			q := r.now(id)
			return q.StepWhyAmong(q.Steps.At(0), orchestration.Pool{Now: time.Now(), Turns: r.Turns(), Quests: r.Active()}).Ahead == orchestration.AheadQuests
		}
		high, again, title := orchestration.PriorityHigh, orchestration.PriorityNormal, "another"
		for _, c := range []struct {
			what  string
			quest string
			input orchestration.InputKind
			rings []string // of the other quests
			plain bool     // its card says that others go first
		}{
			{"its title", other.ID, orchestration.QuestEdited{Title: &title}, nil, false},
			{"high", other.ID, orchestration.QuestEdited{Priority: &high}, []string{plain.ID + "[step-1]"}, true},
			{"paused", other.ID, orchestration.PausePressed{}, []string{plain.ID + "[step-1]"}, false},
			{"resumed", other.ID, orchestration.ResumePressed{}, []string{plain.ID + "[step-1]"}, true},
			{"the title of a third one", busy.ID, orchestration.QuestEdited{Title: &title}, nil, true},
			{"normal again", other.ID, orchestration.QuestEdited{Priority: &again}, []string{plain.ID + "[step-1]"}, false},
			{"over", other.ID, orchestration.AbandonPressed{}, nil, false},
			{"the last one above low", plain.ID, orchestration.AbandonPressed{}, []string{low.ID + "[step-1 step-2]"}, false},
		} {
			before := r.bell.count()
			if err := r.submit(c.quest, c.input); err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			rings := slices.DeleteFunc(r.bell.all()[before:], func(ring string) bool { return strings.HasPrefix(ring, c.quest) })
			if !slices.Equal(rings, c.rings) || says(plain.ID) != c.plain {
				t.Errorf("%s: rings %q, want %q; plain says it: %v", c.what, rings, c.rings, says(plain.ID))
			}
		}
		mine := r.bell.count()
		r.quest(1, of(orchestration.PriorityHigh))
		if got := r.bell.all()[mine:]; !slices.Contains(got, low.ID+"[step-1 step-2]") {
			t.Errorf("a quest of high priority begins, and the rings are %q", got)
		}
		edited := r.bell.count()
		if err := r.submit(low.ID, orchestration.QuestEdited{Priority: &high}); err != nil {
			t.Fatal(err)
		}
		if got := r.bell.all()[edited:]; !slices.Equal(got, []string{low.ID + "[step-1 step-2]"}) {
			t.Errorf("its own priority is high now, and the rings are %q", got)
		}
	})
}

// The turns are stored with a grant, and no board shows them.
func TestAGrantRenewsNoOtherBoard(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, func(c *engine.Config) { c.Slots = 1 })
		defer r.stop()
		q := r.quest(3, func(n *orchestration.NewQuest) { n.Priority = orchestration.PriorityHigh })
		r.quest(1)
		before := r.bell.count()
		if err := r.submit(q.ID, orchestration.StopPressed{Run: q.ID + "-r1"}); err != nil {
			t.Fatal(err)
		}
		if p := r.runs.only(); p.spec.Step != "step-2" || r.Turns().High != 2 {
			t.Fatalf("%s is at work after %d turns", p.spec.Step, r.Turns().High)
		}
		for _, ring := range r.bell.all()[before:] {
			if !strings.HasPrefix(ring, q.ID) {
				t.Errorf("%s was renewed", ring)
			}
		}
	})
}
