package store_test

import (
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/store"
)

// A commit writes the rows that changed and no others: one signal costs the
// same in a quest of 10 and of 1,000 steps.
func TestOneSignalWritesTheSameRowsInAQuestOfAnySize(t *testing.T) {
	t.Parallel()
	small, large := measure(t, 10), measure(t, 1000)
	for range 5 {
		s, l := small.signal(t), large.signal(t)
		// The quest, its step, the run that signalled, the next run, three
		// entries of the history.
		if s != 7 || l != 7 {
			t.Fatalf("%d rows in a quest of 10 steps, %d in one of 1,000, want 7 in both", s, l)
		}
	}
}

// The two take turns, so that noise of the machine hits both alike; the least
// time of many is what the work takes.
func TestOneSignalTakesTheSameTimeInAQuestOfAnySize(t *testing.T) {
	t.Parallel()
	small, large := measure(t, 10), measure(t, 1000)
	const most, rounds, tries = 1.3, 150, 4
	ratio := 0.0
	for range tries {
		fastSmall, fastLarge := time.Hour, time.Hour
		for range rounds {
			fastSmall = min(fastSmall, timed(func() { small.signal(t) }))
			fastLarge = min(fastLarge, timed(func() { large.signal(t) }))
		}
		if ratio = float64(fastLarge) / float64(fastSmall); ratio <= most {
			return
		}
	}
	t.Errorf("a signal takes %.2f times as long with 1,000 steps as with 10, want at most %v", ratio, most)
}

type measured struct {
	store *store.Store
	quest *orchestration.Quest
}

func measure(t *testing.T, steps int) *measured {
	m := &measured{store: open(t, t.TempDir()), quest: questOf("quest", steps)}
	commit(t, m.store, born(m.quest))
	return m
}

// signal commits one signal and returns the number of rows that it wrote.
func (m *measured) signal(t *testing.T) int64 {
	before, err := m.store.Written()
	if err != nil {
		t.Fatal(err)
	}
	next := signalled(m.quest)
	commit(t, m.store, next)
	m.quest = next.Quest
	after, err := m.store.Written()
	if err != nil {
		t.Fatal(err)
	}
	return after - before
}
