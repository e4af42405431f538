package engine_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// linesOf counts the lines of a log by their level.
type linesOf struct{ errors, infos atomic.Int64 }

func (l *linesOf) Enabled(context.Context, slog.Level) bool { return true }
func (l *linesOf) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *linesOf) WithGroup(string) slog.Handler            { return l }
func (l *linesOf) Handle(_ context.Context, r slog.Record) error {
	switch {
	case r.Level >= slog.LevelWarn:
		l.errors.Add(1)
	case strings.HasPrefix(r.Message, "everything can be stored"):
		l.infos.Add(1)
	}
	return nil
}

// dead makes every commit fail until it is alive again.
func (r *rig) dead(err error) {
	r.store.FailAll(err)
	r.Suspect()
	synctest.Wait()
}

func TestWhileNothingCanBeStoredNothingStartsAndNobodyIsPromisedAnything(t *testing.T) {
	t.Parallel()
	for _, fault := range []error{engine.ErrFull, engine.ErrReadOnly, engine.ErrFailing} {
		t.Run(fault.Error(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				log := &linesOf{}
				r := newRig(t, func(c *engine.Config) { c.Log = slog.New(log) })
				defer r.stop()
				q := r.quest(4) // three at work
				r.store.FailAll(fault)
				r.runs.of("step-1").exit(orchestration.EndCrashed) // known to us alone
				synctest.Wait()
				if now := r.ReadOnly(); now == nil || !errors.Is(now.Err, fault) {
					t.Fatalf("read-only: %+v, want %v", now, fault)
				}
				started := r.runs.started()
				signal := orchestration.SignalReceived{Run: q.ID + "-r2",
					Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "step-2", Summary: "done"}}
				for range 60 { // a minute
					if err := r.submit(q.ID, signal); !errors.Is(err, fault) || orchestration.CodeOf(err) != orchestration.CodeUnavailable {
						t.Fatalf("a signal that is not stored: %v, want %v", err, fault)
					}
					if _, err := r.Create(t.Context(), newQuest(1)); !errors.Is(err, fault) {
						t.Fatalf("a new quest: %v, want %v", err, fault)
					}
					pass(time.Second)
				}
				if n := r.runs.started(); n != started {
					t.Errorf("%d runs were started meanwhile", n-started)
				}
				if log.errors.Load() != 1 || log.infos.Load() != 0 {
					t.Errorf("%d lines of the log tell of it in a minute, want 1", log.errors.Load())
				}
				if rings := slices.DeleteFunc(slices.Clone(r.bell.all()), func(s string) bool { return s != "read-only" }); len(rings) != 1 {
					t.Errorf("%d rings", len(rings))
				}
				r.store.FailAll(nil)
				pass(2 * time.Second)
				if now := r.ReadOnly(); now != nil {
					t.Fatalf("read-only two seconds after the disk was well again: %v", now.Err)
				}
				if n := r.runs.started(); n != started+1 {
					t.Errorf("%d runs were started then, want the next one after the crash", n-started)
				}
				if run := r.now(q.ID).Run(q.ID + "-r1"); run.Outcome != orchestration.OutcomeCrashed {
					t.Errorf("outcome %q: the exit was lost", run.Outcome)
				}
				if err := r.submit(q.ID, signal); err != nil {
					t.Errorf("the same signal again: %v", err)
				}
				if log.infos.Load() != 1 {
					t.Error("the log does not tell that it is over")
				}
			})
		})
	}
}

// What fails for others is found out before a commit of ours fails.
func TestWhoIsRefusedLetsTheEngineLook(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.Suspect()
		synctest.Wait()
		if r.ReadOnly() != nil {
			t.Error("read-only on a disk that is well")
		}
		r.dead(engine.ErrFull)
		if r.ReadOnly() == nil {
			t.Error("not read-only on a disk that is full")
		}
		r.store.FailAll(nil)
		pass(2 * time.Second)
		if r.ReadOnly() != nil {
			t.Error("read-only for good")
		}
	})
}

// An agent that waits for us is neither stuck nor too slow.
func TestNobodyIsStuckWhileNothingCanBeStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.quest(1)
		p := r.runs.only()
		pass(5 * minute)
		r.dead(engine.ErrFull)
		pass(10 * time.Hour)
		if r.runs.only() != p {
			t.Fatal("the run was ended")
		}
		r.store.FailAll(nil)
		well := time.Now()
		if d := endedAfter(t, p, well); d < 4*minute || d > 6*minute {
			t.Errorf("ended %s after the disk was well again, want about 5m: that much of the ten was left", d)
		}
	})
}

// A run whose files cannot be written is not one that cannot start: that would
// wait for the user.
func TestARunThatTheDiskKeepsFromStartingStartsOnceItIsWell(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.runs.set(func() { r.runs.hold = make(chan struct{}) })
		q := r.quest(1)
		r.store.FailAll(engine.ErrFull)
		r.runs.set(func() {
			r.runs.refuse = errors.New("write mcp.json: no space left on device")
			close(r.runs.hold)
			r.runs.hold = nil
		})
		pass(minute)
		if r.net == nil && r.ReadOnly() == nil || r.now(q.ID).Wait != nil { // a host waits by itself
			t.Fatal("the quest waits for the user")
		}
		r.runs.set(func() { r.runs.refuse = nil })
		r.store.FailAll(nil)
		pass(3 * time.Second)
		r.runs.only()
	})
}

func TestWorkThatTheDiskKeepsFromItsCommitIsCommittedOnceItIsWell(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &forest{full: true}
		r := newRig(t, func(c *engine.Config) { c.Workspace = f })
		defer r.stop()
		q := r.quest(1, inWorktrees)
		p := r.runs.only()
		if err := r.submit(q.ID, orchestration.SignalReceived{Run: p.spec.RunID,
			Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "step-1", Summary: "done"}}); err != nil {
			t.Fatal(err)
		}
		r.store.FailAll(engine.ErrFull)
		p.exit(orchestration.EndClean)
		pass(10 * minute)
		f.mu.Lock()
		f.full = false
		f.mu.Unlock()
		r.store.FailAll(nil)
		pass(3 * time.Second)
		s := r.now(q.ID).Steps.At(0)
		if s.Block != nil {
			t.Errorf("the step is blocked: %s", s.Block.Reason)
		}
		if run := r.now(q.ID).Run(p.spec.RunID); run.State != orchestration.RunEnded || len(f.settled) == 0 {
			t.Errorf("run %s, settled %v: want it ended, and its work committed", run.State, f.settled)
		}
	})
}
