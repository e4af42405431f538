package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"questboard/orchestration"
)

// A list of a thousand quests that are over does not load them.
func TestManyEndedQuestsAreListedQuickly(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	const quests = 1000
	var births []orchestration.Transition
	for i := range quests {
		q := questOf(fmt.Sprintf("quest%04d", i), 20)
		q.Phase, q.Abandoned, q.EndedAt = orchestration.PhaseComplete, i%10 == 0, time.Unix(int64(i), 0).UTC()
		q.Title = fmt.Sprintf("Number %d, 100%% _done_", i)
		if i == 7 {
			q.Title = `A \ title`
		}
		births = append(births, born(orchestration.Restore(q)))
	}
	commit(t, s, births...)
	list := func(f orchestration.EndedFilter, want int) []orchestration.Ended {
		t.Helper()
		got, err := s.Ended(t.Context(), f)
		if err != nil || len(got) != want {
			t.Fatalf("%+v: %d quests (%v), want %d", f, len(got), err, want)
		}
		return got
	}
	var page, all []time.Duration
	for range 5 {
		page = append(page, timed(func() { list(orchestration.EndedFilter{N: 51}, 51) }))
		all = append(all, timed(func() { list(orchestration.EndedFilter{N: quests + 1}, quests) }))
	}
	t.Logf("a page: %v, all: %v", slices.Min(page), slices.Min(all))
	if slices.Min(page) > time.Second {
		t.Errorf("a page takes %v", slices.Min(page))
	}
	newest := list(orchestration.EndedFilter{N: 2, Skip: 1}, 2)
	if newest[0].ID != "quest0998" || newest[0].Outcome.Total != 20 || newest[0].Runs.Len() != 0 || newest[0].Status(nil) != orchestration.StatusComplete {
		t.Errorf("the second newest: %s, %d steps, %d runs", newest[0].ID, newest[0].Outcome.Total, newest[0].Runs.Len())
	}
	list(orchestration.EndedFilter{Status: orchestration.StatusAbandoned, N: quests}, 100)
	list(orchestration.EndedFilter{Search: "number 99", N: quests}, 11)
	list(orchestration.EndedFilter{Search: "%", N: quests}, 999)
	list(orchestration.EndedFilter{Search: `\ T`, N: quests}, 1)
	list(orchestration.EndedFilter{Search: "nothing' OR 1=1 --", N: quests}, 0)
	took := timed(func() {
		if tally, err := s.Tally(t.Context()); err != nil || tally.Complete != 900 || tally.Abandoned != 100 {
			t.Errorf("%+v (%v)", tally, err)
		}
	})
	t.Logf("the tally: %v", took)
}
