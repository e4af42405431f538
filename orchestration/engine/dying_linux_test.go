package engine_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

// A signal whose commit a disk answers with an input/output error is not told as
// stored, and memory goes on with what the database has. Said again once the
// disk is well it counts once; so it does after a crash before that, which may
// bring the first one back.
func TestASignalThatAFailingDiskRefusedCountsOnceWhenItIsSaidAgain(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string][]uint32{"at writes": storetest.Writes, "at syncs": storetest.Syncs} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				dir := t.TempDir()
				disk := &storetest.FailingDisk{Store: opened(t, dir, store.Options{})}
				r := newRig(t, func(c *engine.Config) { c.Store = disk })
				defer r.stop()
				defer disk.Fail() // first, else the end waits for it
				q := r.quest(1)
				p := r.runs.only()
				signal := orchestration.SignalReceived{Run: p.spec.RunID,
					Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "step-1", Summary: "done"}}
				disk.Fail(fails...)
				if err := r.submit(q.ID, signal); !errors.Is(err, engine.ErrFailing) || orchestration.CodeOf(err) != orchestration.CodeUnavailable {
					t.Fatalf("the signal: %v, want %v", err, engine.ErrFailing)
				}
				killed := storetest.AsKilled(t, dir) // what a kill would leave
				if now := r.ReadOnly(); now == nil || !errors.Is(now.Err, engine.ErrFailing) {
					t.Fatalf("read-only: %+v, want %v", now, engine.ErrFailing)
				}
				pass(minute)
				r.agrees(t, disk, q.ID, 0)
				disk.Fail()
				pass(2 * time.Second)
				if now := r.ReadOnly(); now != nil {
					t.Fatalf("read-only two seconds after the disk was well again: %v", now.Err)
				}
				for range 2 { // the second is a repeat
					if err := r.submit(q.ID, signal); err != nil {
						t.Fatalf("said again: %v", err)
					}
				}
				r.agrees(t, disk, q.ID, 1)

				again := newRig(t, func(c *engine.Config) { c.Store = opened(t, killed, store.Options{}) })
				defer again.stop()
				pass(minute)
				once := 0
				if name == "at syncs" { // all of it was in the log: the crash brought it back
					once = 1
				}
				again.agrees(t, again.config.Store, q.ID, once)
				if err := again.submit(q.ID, signal); (err == nil) != (once == 1) {
					t.Errorf("said again after a crash: %v; it counts %d times", err, once)
				}
			})
		})
	}
}

// agrees: memory and the database hold the same quest, in which so many signals
// were accepted.
func (r *rig) agrees(t *testing.T, s engine.Store, quest string, accepted int) {
	t.Helper()
	stored, err := s.Quest(t.Context(), quest)
	if err != nil {
		t.Fatal(err)
	}
	if d := storetest.Diff(stored, r.now(quest)); d != "" {
		t.Errorf("-stored +in memory:\n%s", d)
	}
	events, err := s.Events(t.Context(), quest, orchestration.EventFilter{N: 1000})
	if err != nil {
		t.Fatal(err)
	}
	n := len(slices.DeleteFunc(events, func(e orchestration.Event) bool { return e.Type != orchestration.EventSignalAccepted }))
	if n != accepted {
		t.Errorf("%d signals count, want %d", n, accepted)
	}
}
