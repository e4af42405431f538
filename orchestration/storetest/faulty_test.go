package storetest_test

import (
	"errors"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/storetest"
)

func TestAFaultComesAtThePlannedCommit(t *testing.T) {
	t.Parallel()
	for when, stored := range map[storetest.Moment]bool{storetest.BeforeWriting: false, storetest.AfterWriting: true} {
		s := storetest.NewFaulty(new(storetest.Memory))
		s.FailAt(2, when, nil)
		for n, id := range []string{"one", "two", "three"} {
			err := s.Commit(t.Context(), []orchestration.Transition{{Quest: quest(id)}}, nil)
			if got := errors.Is(err, storetest.ErrFault); got != (n == 1) {
				t.Errorf("commit %d: %v", n+1, err)
			}
		}
		if _, err := s.Quest(t.Context(), "two"); (err == nil) != stored {
			t.Errorf("moment %d: loading the quest gives %v, want it stored: %v", when, err, stored)
		}
		if s.Commits() != 3 {
			t.Errorf("%d commits were counted, want 3", s.Commits())
		}
	}
}

func TestAFullDiskLastsUntilItIsOver(t *testing.T) {
	t.Parallel()
	s := storetest.NewFaulty(new(storetest.Memory))
	s.FailAll(engine.ErrFull)
	for range 2 {
		if err := s.Commit(t.Context(), []orchestration.Transition{{Quest: quest("one")}}, nil); !errors.Is(err, engine.ErrFull) {
			t.Errorf("commit: got %v, want %v", err, engine.ErrFull)
		}
	}
	if err := s.Ready(t.Context()); !errors.Is(err, engine.ErrFull) {
		t.Errorf("ready: got %v, want %v", err, engine.ErrFull)
	}
	s.FailAll(nil)
	if err := errors.Join(s.Ready(t.Context()), s.Commit(t.Context(), []orchestration.Transition{{Quest: quest("one")}}, nil)); err != nil {
		t.Error(err)
	}
}

func quest(id string) *orchestration.Quest {
	return &orchestration.Quest{ID: id, Version: 1}
}
