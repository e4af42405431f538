package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

// samePlace returns the database with a copy of its data directory.
func samePlace(t *testing.T, d database) database {
	t.Helper()
	copied := database{t.TempDir(), d.postgres}
	id, err := os.ReadFile(filepath.Join(d.dir, "place.id"))
	if err == nil {
		err = os.WriteFile(filepath.Join(copied.dir, "place.id"), id, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return copied
}

// The working trees of the quests are in the data directory. With another one they would begin
// again, and lose what is not merged.
func TestADatabaseGoesOnOnlyWithItsDataDirectory(t *testing.T) {
	t.Parallel()
	d := database{t.TempDir(), storetest.Postgres(t)}
	s, err := d.opened(t)
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	d.dir = t.TempDir() // there is no quest yet
	if s, err = d.opened(t); err != nil {
		t.Fatal(err)
	}
	commit(t, s, born(questOf("quest", 1)))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = database{t.TempDir(), d.postgres}.opened(t)
	if !errors.Is(err, store.ErrElsewhere) {
		t.Fatalf("with another directory: %v, want %v", err, store.ErrElsewhere)
	}
	wantLine(t, err, "working trees and the output of its quests are in "+d.dir, "-data", "copy it here first")
	copied, err := samePlace(t, d).opened(t)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := copied.Quest(t.Context(), "quest"); err != nil {
		t.Error(err)
	}
	if err := copied.Close(); err != nil {
		t.Fatal(err)
	}
	d.open(t)
}
