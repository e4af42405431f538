package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/orchestration/store"
)

func TestOnlyTheUserMayReadTheData(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	s := open(t, dir)
	commit(t, s, born(questOf("quest", 1)))
	wantMode(t, dir, 0o700)
	for _, name := range []string{"questboard.db", "questboard.db-wal", "questboard.db-shm", "questboard.lock"} {
		wantMode(t, filepath.Join(dir, name), 0o600)
	}
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	s2, err := store.Open(t.Context(), open, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s2.Close()
	wantMode(t, open, 0o700)
}

func wantMode(t *testing.T, file string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %o, want %o", file, got, want)
	}
}

// docs/hardening.md#stored-state says how SQLite is opened.
func TestConnectionsAreHardened(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	for _, p := range []struct {
		name, writer, reader string
	}{
		{"journal_mode", "wal", "wal"},
		{"synchronous", "2", ""}, // FULL; a reader never syncs
		{"busy_timeout", "5000", "5000"},
		{"foreign_keys", "1", "1"},
		{"trusted_schema", "0", "0"},
		{"mmap_size", "", ""}, // no map at all: SQLite answers with no row, or 0
		{"query_only", "0", "1"},
		{"application_id", "1363309156", "1363309156"},
		{"user_version", fmt.Sprint(newest()), fmt.Sprint(newest())},
	} {
		for reader, want := range map[bool]string{false: p.writer, true: p.reader} {
			got, err := s.Pragma(reader, p.name)
			if err != nil {
				t.Fatal(err)
			}
			if p.name == "mmap_size" {
				if got != "" && got != "0" {
					t.Errorf("mmap_size is %s, want none", got)
				}
				continue
			}
			if want != "" && got != want {
				t.Errorf("%s is %q (reader: %v), want %q", p.name, got, reader, want)
			}
		}
	}
}

func TestAnOldSQLiteIsRefused(t *testing.T) {
	t.Parallel()
	for _, have := range []string{"3.45.1", "3.51.2", "3.9.9", "2.99.99", "3.51"} {
		if !store.OlderThan(have, "3.51.3") {
			t.Errorf("%s passes for 3.51.3 or newer", have)
		}
	}
	for _, have := range []string{"3.51.3", "3.53.4", "3.100.0", "4.0.0", "3.51.3.1"} {
		if store.OlderThan(have, "3.51.3") {
			t.Errorf("%s passes for older than 3.51.3", have)
		}
	}
}

func TestOneServerADataDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Open(t.Context(), dir, store.Options{})
	if !errors.Is(err, store.ErrLocked) {
		t.Fatalf("second server: got %v, want %v", err, store.ErrLocked)
	}
	wantLine(t, err, dir, "(pid ", "choose another directory")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir) // free again
}

func TestWhatWasCommittedIsThereAfterReopening(t *testing.T) {
	t.Parallel()
	// A path may contain characters that have a meaning in a URI.
	dir := filepath.Join(t.TempDir(), "a ?mode=memory&x=#%20 b")
	q := questOf("quest", 20)
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	commit(t, s, born(q))
	next := signalled(q)
	commit(t, s, next)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "questboard.db")); err != nil {
		t.Fatal(err)
	}
	wantStored(t, open(t, dir), next.Quest)
}

// wantLine checks that the error is one line that contains all the words.
func wantLine(t *testing.T, err error, words ...string) {
	t.Helper()
	text := err.Error()
	if strings.ContainsAny(text, "\r\n") {
		t.Errorf("more than one line: %q", text)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not say %q", text, w)
		}
	}
}
