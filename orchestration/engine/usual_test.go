package engine_test

import (
	"fmt"
	"testing"
	"time"

	"questboard/orchestration"
)

// What quests of a size took is known to pages without asking the store each time, and is
// new when a quest has ended or was deleted.
func TestWhatQuestsTookIsKnownAndRenewedWhenOneEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		r.stop()
		for i := range 3 {
			q := finished(fmt.Sprintf("quest%02d", i), 10*(i+1))
			q.CostUSD = float64(i + 1)
			if err := r.store.Commit(t.Context(), []orchestration.Transition{{Quest: q, Changed: orchestration.Changed{Requirements: true, Whole: []int{0, 1, 2, 3}, Steps: []int{0}}}}, nil); err != nil {
				t.Fatal(err)
			}
		}
		r.start()
		defer r.stop()
		want := func(quests int, took time.Duration, cost float64) {
			t.Helper()
			for range 2 {
				usual, err := r.Usual(t.Context())
				if got := usual[orchestration.SizeFull]; err != nil || got.Quests != quests || got.Took != took || got.Cost.USD != cost {
					t.Fatalf("%+v (%v), want %d quests, %v, %v", got, err, quests, took, cost)
				}
			}
		}
		want(3, 20*time.Minute, 2)
		if err := r.Delete(t.Context(), "quest00"); err != nil {
			t.Fatal(err)
		}
		want(2, 25*time.Minute, 2.5)
		if err := r.submit("quest01", orchestration.CommentsSent{Comments: []orchestration.Comment{{File: "a.go", Text: "one more thing"}}}); err != nil {
			t.Fatal(err)
		}
		want(1, 30*time.Minute, 3)
	})
}
