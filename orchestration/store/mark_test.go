package store_test

import (
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/store"
)

// docs/hardening.md#stored-state, T3.6: a missing or foreign log is noticed. SQLite
// itself would lose commits or mix two databases without an error.
func TestADatabaseWithoutItsLogIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, crashed, backup string)
		words []string // of the refusal; none: the database opens
	}{
		"a crash, nothing else": {func(*testing.T, string, string) {}, nil},
		"the log is deleted":    {func(t *testing.T, dir, _ string) { remove(t, dir+"/questboard.db-wal") }, []string{"questboard.db-wal is gone", "newest changes may be missing"}},
		"a backup copied over the file": {func(t *testing.T, dir, backup string) {
			copyFile(t, backup, dir+"/questboard.db")
		}, []string{"took the place of another", "questboard.db-wal was left behind"}},
		"a backup moved to the file's place": {func(t *testing.T, dir, backup string) {
			if err := os.Rename(backup, dir+"/questboard.db"); err != nil {
				t.Fatal(err)
			}
		}, []string{"took the place of another"}},
		"the same backup a second time": {func(t *testing.T, dir, backup string) {
			remove(t, dir+"/questboard.db-wal")
			copyFile(t, backup, dir+"/questboard.db")
			crash(t, dir)
			copyFile(t, backup, dir+"/questboard.db")
		}, []string{"took the place of another"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			backup := filepath.Join(t.TempDir(), "copy.db")
			crash(t, dir)
			if err := store.Copy(t.Context(), dir, backup); err != nil {
				t.Fatal(err)
			}
			crash(t, dir)
			c.spoil(t, dir, backup)
			for range 2 { // a refusal changes nothing, so the second one is the same
				s, err := openFree(t, dir)
				if c.words == nil {
					if err != nil {
						t.Fatal(err)
					}
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					continue
				}
				if err == nil {
					s.Close()
					t.Fatal("it was opened")
				}
				if !errors.Is(err, store.ErrLog) {
					t.Fatalf("got %v, want %v", err, store.ErrLog)
				}
				wantLine(t, err, append(c.words, dir+"/questboard.db", "`questboard restore -data "+dir+" "+dir+"/questboard.db`")...)
			}
			if c.words == nil {
				return
			}
			free(t, func() error {
				_, err := store.Restore(t.Context(), dir, filepath.Join(dir, "questboard.db"))
				return err
			})
			wantWholeIn(t, dir)
		})
	}
}

// A file that was copied from a working server's directory without its log is noticed,
// too.
func TestACopyOfTheFileAloneIsKnownForOne(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	s := open(t, dir)
	q := questOf("quest", 5)
	commit(t, s, born(q))
	copyFile(t, dir+"/questboard.db", other+"/questboard.db")
	if _, err := store.Open(t.Context(), other, store.Options{}); !errors.Is(err, store.ErrLog) {
		t.Fatalf("got %v, want %v", err, store.ErrLog)
	}
	// With its log it is complete.
	copyFile(t, dir+"/questboard.db-wal", other+"/questboard.db-wal")
	wantStored(t, open(t, other), q)
}

// If a server is killed while a restored backup gets its log, it leaves a journal. The
// next start undoes the incomplete change with it.
func TestAChangeCutShortBeforeThereWasALogIsTakenBack(t *testing.T) {
	t.Parallel()
	dir, cut := t.TempDir(), t.TempDir()
	s := open(t, dir)
	q := questOf("quest", 500)
	commit(t, s, born(q))
	backup := filepath.Join(t.TempDir(), "copy.db")
	if err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+backup)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, query := range []string{"PRAGMA cache_size = 2", "BEGIN IMMEDIATE", "UPDATE steps SET title = 'half'"} {
		if _, err := db.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, backup, cut+"/questboard.db")
	copyFile(t, backup+"-journal", cut+"/questboard.db-journal")
	got, err := openFree(t, cut)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	wantStored(t, got, q)
}

func TestAnOrderlyEndLeavesNoMark(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	fillAndClose(t, dir)
	copyFile(t, dir+"/questboard.db", other+"/questboard.db")
	wantStored(t, open(t, other), questOf("quest", 500))
}

// crash kills a process that works with the directory.
func crash(t *testing.T, dir string) {
	t.Helper()
	if n := kill(t, database{dir: dir}, 1<<40, 3); n == 0 {
		t.Fatal("the child committed nothing")
	}
	if info, err := os.Stat(dir + "/questboard.db-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("the crash left no log: %v", err)
	}
}

func wantWholeIn(t *testing.T, dir string) *orchestration.Quest {
	t.Helper()
	s, err := openFree(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q, err := s.Quest(t.Context(), "quest")
	if err != nil {
		t.Fatal(err)
	}
	wantWhole(t, s, q)
	return q
}

// openFree opens a directory that this process had open before. A child that another
// test was starting at that moment holds the lock until it becomes another program.
func openFree(t *testing.T, dir string) (s *store.Store, err error) {
	t.Helper()
	free(t, func() error {
		s, err = store.Open(t.Context(), dir, store.Options{})
		if errors.Is(err, store.ErrLocked) {
			return err
		}
		return nil
	})
	return s, err
}

// free repeats do until the lock is free.
func free(t *testing.T, do func() error) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		err := do()
		if err == nil {
			return
		}
		if !errors.Is(err, store.ErrLocked) || time.Now().After(deadline) {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

// copyFile writes into an existing file, as cp does.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", from, to).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v: %s", err, out)
	}
}
