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

func TestPostgreSQLIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Exercise(t, func(t *testing.T) engine.Store {
		return database{t.TempDir(), storetest.Postgres(t)}.open(t)
	})
}

// open opens a store that is closed with the test.
func open(t testing.TB, dir string) *store.Store {
	t.Helper()
	return database{dir: dir}.open(t)
}

// database is a data directory, and the PostgreSQL database that it belongs to, if there
// is one.
type database struct{ dir, postgres string }

func (d database) opened(t testing.TB) (*store.Store, error) {
	t.Helper()
	return store.Open(t.Context(), d.dir, store.Options{Postgres: d.postgres})
}

// open opens a store that is closed with the test.
func (d database) open(t testing.TB) *store.Store {
	t.Helper()
	s, err := d.opened(t)
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

// inEachDatabase runs a test with a new database of each kind.
func inEachDatabase(t *testing.T, test func(t *testing.T, d database)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, database{dir: t.TempDir()})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, database{t.TempDir(), storetest.Postgres(t)})
	})
}
