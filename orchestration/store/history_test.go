package store_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"questboard/orchestration"
)

// SQL reads a page of the history, filtered or not, so a page costs the same in a quest
// that has gone on for weeks. The test runs alone and counts processor time, because
// test machines are busy.
func TestAPageOfALongHistoryIsQuick(t *testing.T) {
	s := open(t, t.TempDir())
	q := questOf("quest", 1)
	first := born(q)
	const entries = 100_000
	for i := range entries {
		first.Events = append(first.Events, orchestration.Event{Seq: int64(i + 1), At: time.Unix(int64(i), 0).UTC(), Actor: "codeweaver",
			Type: orchestration.EventType([]string{"run.queued", "run.granted", "run.started", "run.ended"}[i%4]), Step: fmt.Sprint("s", i%50),
			Run: fmt.Sprint("quest-r", i/4), Data: map[string]string{"why": "some words on what happened, as long as such words are", "outcome": "signalled"}})
	}
	first.Events[7].Step = "seldom"
	q.Seq = entries
	commit(t, s, first)
	for name, c := range map[string]struct {
		f    orchestration.EventFilter
		want int
	}{
		"newest":       {orchestration.EventFilter{Newest: true, N: 100}, 100},
		"in the past":  {orchestration.EventFilter{Newest: true, Before: 50_000, N: 100}, 100},
		"of a step":    {orchestration.EventFilter{Newest: true, Step: "s7", N: 100}, 100},
		"of a type":    {orchestration.EventFilter{Newest: true, Types: []orchestration.EventType{"run.ended"}, N: 100}, 100},
		"without some": {orchestration.EventFilter{Newest: true, Without: []orchestration.EventType{"run.queued", "run.granted"}, N: 100}, 100},
		"one of all":   {orchestration.EventFilter{Newest: true, Step: "seldom", N: 100}, 1},
		"none of all":  {orchestration.EventFilter{Newest: true, Actor: "nobody", N: 100}, 0},
	} {
		var took []time.Duration
		for range 5 {
			took = append(took, worked(func() {
				got, err := s.Events(t.Context(), "quest", c.f)
				if err != nil || len(got) != c.want {
					t.Errorf("%s: %d entries (%v), want %d", name, len(got), err, c.want)
				}
			}))
		}
		t.Logf("%s: %v", name, slices.Min(took))
		if got := slices.Min(took); got > 500*time.Millisecond {
			t.Errorf("%s: a page takes %v", name, got)
		}
	}
}

// worked returns the processor time of this process during f.
func worked(f func()) time.Duration {
	spent := func() time.Duration {
		var u syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for the own process
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	from := spent()
	f()
	return spent() - from
}
