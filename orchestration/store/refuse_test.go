package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"questboard/orchestration/store"
)

// docs/hardening.md#stored-state, T3.6: a file that cannot be trusted is refused and
// kept as it is. The error names it and the remedy.
func TestAFileThatCannotBeTrustedIsRefusedAndKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, file string)
		kind  error
		words []string
	}{
		"made by a newer questboard": {
			statement("PRAGMA user_version = 99"), store.ErrNewer,
			[]string{fmt.Sprintf("made by a newer questboard (schema 99; this one knows %d)", newest()), "install the version that made it"},
		},
		"of another program":          {statement("PRAGMA application_id = 42"), store.ErrForeign, []string{"another program", "choose another data directory"}},
		"of a program without an id":  {statement("PRAGMA application_id = 0"), store.ErrForeign, []string{"another program"}},
		"empty":                       {func(t *testing.T, f string) { write(t, f, nil) }, store.ErrEmpty, []string{"empty", "backup"}},
		"text":                        {func(t *testing.T, f string) { write(t, f, bytes.Repeat([]byte("no database\n"), 100)) }, store.ErrDamaged, []string{"not a database", "backup"}},
		"cut within the header":       {cut(60), store.ErrDamaged, []string{"too short", "backup"}},
		"cut after a page":            {cut(4096), store.ErrDamaged, []string{"damaged", "backup"}},
		"cut in the middle of a page": {cut(10_000), store.ErrDamaged, []string{"damaged", "backup"}},
		"garbage in the schema":       {garbage(100, 3996), store.ErrDamaged, []string{"damaged", "backup"}},
		"garbage in 40 pages":         {garbage(5*4096, 40*4096), store.ErrDamaged, []string{"damaged", "backup"}},
		"gone, its log left behind": {func(t *testing.T, f string) {
			write(t, f+"-wal", []byte("the last commits"))
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}, store.ErrEmpty, []string{"missing", "-wal", "backup"}},
		"gone, its backups left behind": {func(t *testing.T, f string) {
			if err := os.MkdirAll(filepath.Join(filepath.Dir(f), "backups"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(f, filepath.Join(filepath.Dir(f), "backups", "mine.db")); err != nil {
				t.Fatal(err)
			}
		}, store.ErrEmpty, []string{"missing", "there are backups of it", "`questboard restore -data "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "questboard.db")
			fillAndClose(t, dir)
			c.spoil(t, file)
			before, _ := os.ReadFile(file)
			s, err := store.Open(t.Context(), dir, store.Options{})
			if err == nil {
				s.Close()
				t.Fatal("it was opened")
			}
			var fault *store.FileError
			if !errors.Is(err, c.kind) || !errors.As(err, &fault) {
				t.Fatalf("got %v, want a FileError of kind %v", err, c.kind)
			}
			wantLine(t, err, append(c.words, file)...)
			if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestADataDirectoryThatCannotBeMadeIsNamed(t *testing.T) {
	t.Parallel()
	// Nobody can make a folder in /proc, not even root.
	_, err := store.Open(t.Context(), "/proc/questboard", store.Options{})
	if err == nil {
		t.Fatal("it was made")
	}
	wantLine(t, err, "/proc/questboard")
}

// fillAndClose leaves a database of some hundred pages.
func fillAndClose(t *testing.T, dir string) {
	t.Helper()
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	commit(t, s, born(questOf("quest", 500)))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func statement(query string) func(*testing.T, string) {
	return func(t *testing.T, file string) {
		db, err := sql.Open("sqlite3", "file:"+file)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
}

func cut(size int64) func(*testing.T, string) {
	return func(t *testing.T, file string) {
		if err := os.Truncate(file, size); err != nil {
			t.Fatal(err)
		}
	}
}

func garbage(at, n int) func(*testing.T, string) {
	return func(t *testing.T, file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			text[at+i] = byte(i*7 + 13)
		}
		write(t, file, text)
	}
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
