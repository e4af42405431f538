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

// A first start may be cut short at any moment. Then the next one goes on.
func TestADataDirectoryIsNamedAfterTheDatabaseKnowsItsName(t *testing.T) {
	t.Parallel()
	d := database{t.TempDir(), storetest.Postgres(t)}
	s, err := d.opened(t)
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	d.dir = t.TempDir()
	ask(t, d.postgres, `CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN IF NEW.name = 'place' THEN RAISE EXCEPTION 'cut short'; END IF; RETURN NEW; END $$`)
	ask(t, d.postgres, "CREATE TRIGGER cut BEFORE INSERT ON settings FOR EACH ROW EXECUTE FUNCTION cut()")
	if s, err := d.opened(t); err == nil {
		s.Close()
		t.Fatal("the name was stored")
	}
	ask(t, d.postgres, "DROP TRIGGER cut ON settings")
	d.open(t)
}

// A database without the quests of a data directory would take their working trees for those of
// deleted quests, and remove them.
func TestADataDirectoryOpensOnlyTheDatabaseOfItsQuests(t *testing.T) {
	t.Parallel()
	filled := func(t *testing.T, d database) database {
		t.Helper()
		s, err := d.opened(t)
		if err != nil {
			t.Fatal(err)
		}
		commit(t, s, born(questOf("quest", 1)))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return d
	}
	for name, c := range map[string]struct {
		has   func(t *testing.T) database
		opens func(t *testing.T) string
		words []string
	}{
		"in PostgreSQL, opened without -db": {
			func(t *testing.T) database { return filled(t, database{t.TempDir(), storetest.Postgres(t)}) },
			func(*testing.T) string { return "" },
			[]string{"its quests are in a PostgreSQL database", "start the server with -db", "place.id"}},
		"in PostgreSQL, opened with an empty one": {
			func(t *testing.T) database { return filled(t, database{t.TempDir(), storetest.Postgres(t)}) },
			func(t *testing.T) string { return storetest.Postgres(t) },
			[]string{"its quests are in another PostgreSQL database", "mend the address", "place.id"}},
		"in the file, opened with an empty PostgreSQL": {
			func(t *testing.T) database { return filled(t, database{dir: t.TempDir()}) },
			func(t *testing.T) string { return storetest.Postgres(t) },
			[]string{"its quests are in its file questboard.db", "without -db", "`questboard migrate-db -data "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := c.has(t)
			wrong := database{d.dir, c.opens(t)}
			for range 2 { // the first refusal settles nothing
				s, err := wrong.opened(t)
				if err == nil {
					s.Close()
					t.Fatal("it was opened")
				}
				if !errors.Is(err, store.ErrElsewhere) {
					t.Errorf("%v, want %v", err, store.ErrElsewhere)
				}
				wantLine(t, err, append(c.words, d.dir)...)
			}
			if _, err := d.open(t).Quest(t.Context(), "quest"); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("in no database", func(t *testing.T) {
		t.Parallel()
		d := database{dir: t.TempDir()}
		for _, address := range []string{"", storetest.Postgres(t)} { // a file without quests is no obstacle
			s, err := database{d.dir, address}.opened(t)
			if err == nil {
				err = s.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
