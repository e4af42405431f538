package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
	"questboard/orchestration/storetest"
)

func TestAFailedCommitStartsNothingAndTheCallerSeesTheError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.store.FailAll(storetest.ErrFault)
		started := r.runs.started()
		if _, err := r.Create(t.Context(), newQuest(1)); !errors.Is(err, storetest.ErrFault) {
			t.Errorf("create while every commit fails: %v, want the store's error", err)
		}
		if n := r.runs.started(); n != started {
			t.Errorf("%d processes were started by a commit that failed", n-started)
		}
	})
}

func TestAFailedCommitChangesNothingThatReadersSee(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(2)
		rings := r.bell.count()
		r.store.FailAll(storetest.ErrFault)
		err := r.submit(q.ID, orchestration.PausePressed{})
		if !errors.Is(err, storetest.ErrFault) {
			t.Errorf("pause: %v, want the store's error", err)
		}
		if now := r.now(q.ID); now.Version != q.Version || now.Paused {
			t.Errorf("version %d paused %v, want %d and not: nothing happened", now.Version, now.Paused, q.Version)
		}
		if n := r.bell.count(); n != rings {
			t.Errorf("%d rings for a change that never was", n-rings)
		}
		r.store.FailAll(nil)
		if err := r.submit(q.ID, orchestration.PausePressed{}); err != nil {
			t.Errorf("pause on a store that works again: %v", err)
		}
	})
}

func TestAnExitIsNotLostWhileTheDiskIsFull(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		r.store.FailAll(engine.ErrFull)
		r.runs.only().exit(orchestration.EndCrashed)
		if n := len(r.runs.living()); n != 0 {
			t.Fatalf("%d processes live", n)
		}
		if run := r.now(q.ID).Run(q.ID + "-r1"); run.State == orchestration.RunEnded {
			t.Fatal("the run has ended in memory, but not in the store")
		}
		pass(2 * minute)
		r.store.FailAll(nil)
		pass(minute)
		if run := r.now(q.ID).Run(q.ID + "-r1"); run.Outcome != orchestration.OutcomeCrashed {
			t.Errorf("outcome %q, want crashed: the exit is kept until it can be stored", run.Outcome)
		}
		if p := r.runs.only(); p.spec.RunID != q.ID+"-r2" {
			t.Errorf("run %s goes on, want the next one", p.spec.RunID)
		}
	})
}

func TestACommitThatTookPlaceButReportedAnErrorIsFound(t *testing.T) {
	t.Parallel()
	for _, fault := range []error{storetest.ErrFault, engine.ErrFailing} {
		t.Run(fault.Error(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t)
				defer r.stop()
				q := r.quest(1)
				r.store.FailAt(1, storetest.AfterWriting, fault)
				err := r.submit(q.ID, orchestration.StopPressed{Run: q.ID + "-r1"})
				if !errors.Is(err, fault) {
					t.Fatalf("stop: %v, want the store's error", err)
				}
				pass(2 * time.Second) // a disk that failed is tried again
				if run := r.now(q.ID).Run(q.ID + "-r1"); run.Outcome != orchestration.OutcomeStopped {
					t.Errorf("state %s outcome %q, want stopped: the store has it", run.State, run.Outcome)
				}
				if n := len(r.runs.living()); n != 0 {
					t.Errorf("%d processes live: the effect of a found commit was not carried out", n)
				}
			})
		})
	}
}

// Another commit would write over it what is in memory.
func TestWhatARunCostIsKeptIfItsCommitTookPlaceButReportedAnError(t *testing.T) {
	t.Parallel()
	for _, fault := range []error{storetest.ErrFault, engine.ErrAway} {
		t.Run(fault.Error(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t)
				defer r.stop()
				r.quest(1)
				p := r.runs.only()
				p.observer.SessionOpened(p.spec.SessionID)
				synctest.Wait()
				r.store.FailAt(1, storetest.AfterWriting, fault)
				p.leave(agents.Ended{End: orchestration.EndOverloaded, Exit: orchestration.Exit{SessionCost: 3}})
				pass(2 * time.Second)
				if h := r.Holds(); r.Ledger().All.USD != 3 || len(h) != 1 {
					t.Errorf("ledger %+v, holds %+v, want 3 USD and the overload: the store has them", r.Ledger().All, h)
				}
				if err := r.SetSlots(t.Context(), 2); err != nil {
					t.Fatal(err)
				}
				stored, err := r.store.Server(t.Context())
				if err != nil || stored.Ledger.All.USD != 3 || len(stored.Holds) != 1 {
					t.Errorf("stored %+v, holds %+v (%v): the next commit wrote over it", stored.Ledger.All, stored.Holds, err)
				}
			})
		})
	}
}

// Else a board shows until the next change what was before.
func TestWatchersAreWokenByACommitThatIsFound(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q, other := r.quest(1), r.quest(1)
		rings := func(what func() error) []string {
			t.Helper()
			before := r.bell.count()
			r.store.FailAt(1, storetest.AfterWriting, nil)
			if err := what(); !errors.Is(err, storetest.ErrFault) {
				t.Fatalf("got %v, want the store's error", err)
			}
			pass(time.Second)
			return r.bell.all()[before:]
		}
		title := "renamed"
		if got := rings(func() error { return r.submit(q.ID, orchestration.QuestEdited{Title: &title}) }); len(got) != 1 ||
			!strings.HasPrefix(got[0], q.ID) || !strings.Contains(got[0], "step-1") {
			t.Errorf("rings after a rename: %v, want one of the quest with its steps", got)
		}
		got := rings(func() error { return r.SetSlots(t.Context(), 2) })
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values([]string{q.ID + "[]", other.ID + "[]"}))) {
			t.Errorf("rings after a change of the slots: %v, want one of each quest", got)
		}
	})
}

// unread is a store whose settings cannot be read for a while.
type unread struct {
	engine.Store
	not atomic.Bool
}

var errUnread = errors.New("the settings cannot be read")

func (s *unread) Server(ctx context.Context) (engine.Server, error) {
	if s.not.Load() {
		return engine.Server{}, errUnread
	}
	return s.Store.Server(ctx)
}

func TestNothingIsStoredWhileTheSettingsThatWereStoredAreNotKnown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		store := &unread{}
		r := newRig(t, func(c *engine.Config) { store.Store = c.Store; c.Store = store })
		defer r.stop()
		store.not.Store(true)
		r.store.FailAt(1, storetest.AfterWriting, nil)
		if err := r.SetSlots(t.Context(), 2); !errors.Is(err, storetest.ErrFault) {
			t.Fatalf("set the slots: %v, want the store's error", err)
		}
		if err := r.ChangeSettings(t.Context(), func(s *record.Settings) { s.Checks = 1 }); !errors.Is(err, errUnread) {
			t.Errorf("set the checks: %v, want why the slots are not known", err)
		}
		store.not.Store(false)
		r.ready(t, func(s *record.Settings) { s.Checks = 1 })
		if r.Slots() != 2 || r.Checks() != 1 {
			t.Errorf("%d slots, %d checks, want 2 and 1", r.Slots(), r.Checks())
		}
	})
}

func TestAGrantThatTookPlaceWithoutUsIsInterruptedAndRepeated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		r.store.FailAt(1, storetest.AfterWriting, nil)
		q := r.quest(1)
		if p := r.runs.only(); p.spec.QuestID != q.ID {
			t.Errorf("a process of %s lives, want one of %s", p.spec.QuestID, q.ID)
		}
		if n := live(q); n != 1 {
			t.Errorf("%d live runs for one process", n)
		}
	})
}

func TestAStaleVersionIsLoadedAndTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(2)
		// Another node renames the quest behind our back.
		title := "renamed elsewhere"
		other, err := orchestration.Apply(q, orchestration.Input{At: q.CreatedAt, Actor: "user", Kind: orchestration.QuestEdited{Title: &title}})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.store.Store.Commit(t.Context(), []orchestration.Transition{other}, nil); err != nil {
			t.Fatal(err)
		}
		if err := r.submit(q.ID, orchestration.PausePressed{}); err != nil {
			t.Fatalf("pause: %v, want it done on the newer quest", err)
		}
		now := r.now(q.ID)
		if now.Title != title || !now.Paused || now.Version != q.Version+2 {
			t.Errorf("title %q paused %v version %d, want both changes", now.Title, now.Paused, now.Version)
		}
	})
}

func TestAQuestThatIsAlwaysStaleGivesUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		defer r.stop()
		q := r.quest(1)
		r.store.FailAll(engine.ErrStale)
		before := r.store.Commits()
		if err := r.submit(q.ID, orchestration.PausePressed{}); !errors.Is(err, engine.ErrStale) {
			t.Errorf("pause: %v, want ErrStale", err)
		}
		if n := r.store.Commits() - before; n > 10 {
			t.Errorf("%d attempts: the retries have no end", n)
		}
		r.store.FailAll(nil)
	})
}

func live(q *orchestration.Quest) int {
	n := 0
	for _, r := range q.OpenRuns() {
		if r.Live() {
			n++
		}
	}
	return n
}
