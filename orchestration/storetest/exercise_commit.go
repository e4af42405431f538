package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

func versionGuard(t *testing.T, s engine.Store) {
	q := small("quest")
	commit(t, s, creation(q))
	faster, slower := noted(q), noted(q)
	slower.Quest.Title = "lost"
	commit(t, s, faster)
	wantStale(t, s, slower)
	wantStale(t, s, noted(after(faster.Quest, nil).Quest)) // from a version that does not exist yet
	wantQuest(t, s, faster.Quest)
	wantEntries(t, s, "quest", 1)
	wantStale(t, s, noted(small("nobody")))
	wantNoQuest(t, s, "nobody")
}

func madeOnce(t *testing.T, s engine.Store) {
	q := small("quest")
	commit(t, s, creation(q))
	wantStale(t, s, creation(full("quest", true)))
	wantQuest(t, s, q)
}

func epochGuard(t *testing.T, s engine.Store) {
	q := full("quest", true)
	commit(t, s, creation(q))
	rerun := func(by int) orchestration.Transition {
		return after(q, func(c *orchestration.Quest, changed *orchestration.Changed) {
			r := *c.Runs.At(1)
			r.Epoch += by
			c.Runs = c.Runs.With(1, &r)
			changed.Runs = []int{1}
		})
	}
	wantStale(t, s, rerun(0))
	wantStale(t, s, rerun(-1))
	wantQuest(t, s, q)
	next := rerun(1)
	commit(t, s, next)
	wantQuest(t, s, next.Quest)
}

func severalTransitions(t *testing.T, s engine.Store) {
	q := full("quest", true)
	first := creation(q)
	touch := func(n int) func(*orchestration.Quest, *orchestration.Changed) {
		return func(c *orchestration.Quest, changed *orchestration.Changed) {
			step, run := *c.Steps.At(n), *c.Runs.At(0)
			step.Title = "changed"
			run.Epoch++
			c.Steps, c.Runs = c.Steps.With(n, &step), c.Runs.With(0, &run)
			changed.Steps, changed.Runs = []int{n}, []int{0}
		}
	}
	second := after(q, touch(0))
	third := after(second.Quest, touch(2))
	fourth := noted(third.Quest)
	other := creation(small("other"))
	commit(t, s, first, second, other, third, fourth)
	wantQuest(t, s, fourth.Quest)
	wantQuest(t, s, other.Quest)
	wantEntries(t, s, "quest", 1)
	// The same in one commit over existing rows.
	fifth := after(fourth.Quest, touch(1))
	sixth := after(fifth.Quest, func(c *orchestration.Quest, changed *orchestration.Changed) {
		requirement := orchestration.Requirement{ID: "r1", Context: "new"}
		c.Requirements, changed.Requirements = []orchestration.Requirement{requirement}, true
	})
	commit(t, s, fifth, sixth)
	wantQuest(t, s, sixth.Quest)
}

func gapBetweenTransitions(t *testing.T, s engine.Store) {
	q := small("quest")
	first, second := creation(q), noted(q)
	third := noted(second.Quest)
	wantStale(t, s, first, third)
	wantNoQuest(t, s, "quest")
	wantStale(t, s, second, first)
	commit(t, s, first, second, third)
	wantQuest(t, s, third.Quest)
}

func emptyTransition(t *testing.T, s engine.Store) {
	q := small("quest")
	commit(t, s, creation(q))
	unchanged := *q
	unchanged.Title = "never written"
	commit(t, s, orchestration.Transition{Before: q.Version, Quest: &unchanged})
	wantQuest(t, s, q)
	commit(t, s)
}

func atomicity(t *testing.T, s engine.Store) {
	one, two := small("one"), small("two")
	commit(t, s, creation(one), creation(two))
	commit(t, s, noted(two))
	err := s.Commit(t.Context(), []orchestration.Transition{noted(one), creation(small("three")), noted(two)},
		&engine.Server{Settings: record.Settings{Slots: 9}})
	if !errors.Is(err, engine.ErrStale) {
		t.Fatalf("commit: got %v, want %v", err, engine.ErrStale)
	}
	wantQuest(t, s, one)
	wantEntries(t, s, "one", 0)
	wantNoQuest(t, s, "three")
	wantServer(t, s, engine.Server{})
}

func oneWins(t *testing.T, s engine.Store) {
	q := small("quest")
	commit(t, s, creation(q))
	const rounds, writers = 10, 8
	for range rounds {
		errs := make([]error, writers)
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() { errs[i] = s.Commit(t.Context(), []orchestration.Transition{noted(q)}, nil) })
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !errors.Is(err, engine.ErrStale) {
				t.Fatalf("commit: got %v, want %v", err, engine.ErrStale)
			}
		}
		if won != 1 {
			t.Fatalf("%d of %d commits over the same version were accepted", won, writers)
		}
		q = noted(q).Quest
	}
	wantQuest(t, s, q)
	wantEntries(t, s, "quest", rounds)
}

// Each commit adds a run and raises Slots, so a reader must always see the two equal.
func wholeCommits(t *testing.T, s engine.Store) {
	q := small("quest")
	commit(t, s, creation(q))
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for ctx.Err() == nil {
				got, err := s.Quest(t.Context(), "quest")
				if err != nil {
					t.Errorf("load: %v", err)
					return
				}
				if got.Slots != got.Runs.Len() || got.Version != int64(1+got.Slots) {
					t.Errorf("version %d, slots %d, but %d runs: half a commit", got.Version, got.Slots, got.Runs.Len())
					return
				}
			}
		})
	}
	for n := range 50 {
		next := after(q, func(c *orchestration.Quest, changed *orchestration.Changed) {
			c.Slots++
			c.Runs = c.Runs.Append(&orchestration.Run{ID: fmt.Sprintf("quest-r%d", n+1), N: n})
			changed.Runs = []int{n}
		})
		commit(t, s, next)
		q = next.Quest
	}
	stop()
	wg.Wait()
	wantQuest(t, s, q)
}

func cancelled(t *testing.T, s engine.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Commit(ctx, []orchestration.Transition{creation(small("quest"))}, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("commit: got %v, want %v", err, context.Canceled)
	}
	wantNoQuest(t, s, "quest")
}

func wantEntries(t *testing.T, s engine.Store, quest string, want int) {
	t.Helper()
	events, err := s.Events(t.Context(), quest, orchestration.EventFilter{N: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != want {
		t.Fatalf("the history of %s has %d entries, want %d", quest, len(events), want)
	}
}
