package store_test

import (
	"errors"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/store"
)

// docs/hardening.md#stored-state, T3.6: a full disk gives a clear error, reads go on,
// and the same commit succeeds once there is space.
func TestAFullDiskIsToldAndGoesAway(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	q := questOf("quest", 10)
	commit(t, s, born(q))
	used, err := s.Pragma(false, "page_count")
	if err != nil {
		t.Fatal(err)
	}
	pragma(t, s, "max_page_count = "+used)
	last, refused := fillUp(t, s, q)
	wantStored(t, s, last)
	pragma(t, s, "max_page_count = 1000000")
	commit(t, s, refused)
	wantStored(t, s, refused.Quest)
}

// fillUp commits until the disk is full. It returns the last stored quest and the refused
// transition.
func fillUp(t *testing.T, s *store.Store, q *orchestration.Quest) (*orchestration.Quest, orchestration.Transition) {
	t.Helper()
	for range 1000 {
		next := signalled(q)
		err := s.Commit(t.Context(), []orchestration.Transition{next}, nil)
		if errors.Is(err, engine.ErrFull) {
			return q, next
		}
		if err != nil {
			t.Fatalf("got %v, want %v", err, engine.ErrFull)
		}
		q = next.Quest
	}
	t.Fatal("the disk never became full")
	return nil, orchestration.Transition{}
}

func TestADatabaseThatCannotBeWrittenIsTold(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	q := questOf("quest", 10)
	commit(t, s, born(q))
	pragma(t, s, "query_only = 1")
	next := signalled(q)
	if err := s.Commit(t.Context(), []orchestration.Transition{next}, nil); !errors.Is(err, engine.ErrReadOnly) {
		t.Errorf("commit: got %v, want %v", err, engine.ErrReadOnly)
	}
	if err := s.Ready(t.Context()); !errors.Is(err, engine.ErrReadOnly) {
		t.Errorf("ready: got %v, want %v", err, engine.ErrReadOnly)
	}
	if err := s.Delete(t.Context(), orchestration.Deletion{Quest: "quest"}); !errors.Is(err, engine.ErrReadOnly) {
		t.Errorf("delete: got %v, want %v", err, engine.ErrReadOnly)
	}
	wantStored(t, s, q)
	pragma(t, s, "query_only = 0")
	commit(t, s, next)
	wantStored(t, s, next.Quest)
}

// A failed commit must leave its connection as usable as before.
func TestAFailedCommitLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	q := questOf("quest", 10)
	commit(t, s, born(q))
	bad := signalled(q)
	bad.Events[2].Seq = bad.Events[0].Seq // fails after everything else was written
	if err := s.Commit(t.Context(), []orchestration.Transition{bad}, nil); err == nil {
		t.Fatal("two entries of one number went through")
	}
	wantStored(t, s, q)
	next := signalled(q)
	commit(t, s, next)
	wantStored(t, s, next.Quest)
}

func pragma(t *testing.T, s *store.Store, set string) {
	t.Helper()
	if _, err := s.Pragma(false, set); err != nil {
		t.Fatal(err)
	}
}
