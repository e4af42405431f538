package store_test

import (
	"testing"

	"questboard/orchestration/engine"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

func TestSQLiteIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Exercise(t, func(t *testing.T) engine.Store { return open(t, t.TempDir()) })
}

// open opens a store that is closed with the test.
func open(t testing.TB, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
