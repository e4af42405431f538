package store_test

import (
	"testing"

	"questboard/e2e/e2etest"
	"questboard/orchestration/store"
)

// A small disk has room for the copy before an upgrade, and so it is enough, as for every start before.
func TestAnUpgradeNeedsOnlyTheRoomOfItsCopy(t *testing.T) {
	dir := e2etest.SmallDisk(t, "16m")
	if dir == "" {
		return
	}
	fillAndClose(t, dir)
	broken, whole := with(t, "CREATE TABLE quests (id TEXT)"), with(t, "CREATE TABLE more (id TEXT)")
	for range 20 { // copies that pile up would fill it
		if s, err := store.OpenWith(t.Context(), dir, broken); err == nil {
			s.Close()
			t.Fatal("a broken migration went through")
		}
	}
	s, err := store.OpenWith(t.Context(), dir, whole)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
