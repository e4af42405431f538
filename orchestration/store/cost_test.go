package store_test

import (
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/store"
)

// A commit writes only the rows that changed, so a signal costs the same in a quest of
// 10 and of 1,000 steps.
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

// BenchmarkSignalInAQuestOfAnySize measures a small and a large quest in turns, so that
// noise of the machine affects both in the same way. The least time of many is closest
// to the real cost.
func BenchmarkSignalInAQuestOfAnySize(b *testing.B) {
	small, large := measure(b, 10), measure(b, 1000)
	fastSmall, fastLarge := time.Hour, time.Hour
	for b.Loop() {
		for range 600 {
			fastSmall = min(fastSmall, timed(func() { small.signal(b) }))
			fastLarge = min(fastLarge, timed(func() { large.signal(b) }))
		}
	}
	ratio := float64(fastLarge) / float64(fastSmall)
	if b.ReportMetric(ratio, "1000/10"); ratio > 1.3 {
		b.Errorf("a signal takes %.2f times as long with 1,000 steps as with 10, want at most 1.3", ratio)
	}
}

type measured struct {
	store *store.Store
	quest *orchestration.Quest
}

func measure(t testing.TB, steps int) *measured {
	t.Helper()
	m := &measured{store: open(t, t.TempDir()), quest: questOf("quest", steps)}
	commit(t, m.store, born(m.quest))
	return m
}

// signal commits one signal and returns the number of rows that it wrote.
func (m *measured) signal(t testing.TB) int64 {
	t.Helper()
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
