package store_test

import (
	"testing"

	"questboard/orchestration"
)

func TestQuestsOfOldSchemas_areOfNormalPriority(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build(t, dir, 9)
	s := open(t, dir)
	q, err := s.Quest(t.Context(), "quest")
	if err != nil || q.Damaged() {
		t.Fatalf("%v (%v)", err, q)
	}
	if q.Priority != orchestration.PriorityNormal || q.Steps.At(0).Priority != orchestration.PriorityNormal {
		t.Errorf("the quest has %q, its step %q", q.Priority, q.Steps.At(0).Priority)
	}
	if server, err := s.Server(t.Context()); err != nil || server.Turns != (orchestration.Turns{}) {
		t.Errorf("turns %+v (%v)", server.Turns, err)
	}
}
