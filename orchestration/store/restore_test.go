package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"questboard/orchestration/store"
)

// The test follows the remedy that a refusal names. The earlier files are kept, and the
// quests of the backup are back.
func TestTheNewestWholeBackupIsRestored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "questboard.db")
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := questOf("quest", 10)
	commit(t, s, born(q))
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	good, err := s.Snapshot(t.Context(), store.Hourly, at)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Restore(t.Context(), dir, ""); !errors.Is(err, store.ErrLocked) {
		t.Errorf("beside a server: %v, want %v", err, store.ErrLocked)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(dir, "backups", "hourly-20261122T110000.000Z.db")
	copyFile(t, good.File, damaged)
	garbage(5*4096, 4096)(t, damaged)
	spoiled := bytes.Repeat([]byte("no database\n"), 100)
	write(t, file, spoiled)
	write(t, file+"-wal", []byte("a log"))

	var done store.Restored
	free(t, func() (err error) {
		done, err = store.Restore(t.Context(), dir, "")
		return err
	})
	if done.From != good.File || len(done.Unfit) != 1 || !bytes.Contains([]byte(done.Unfit[0]), []byte(damaged)) {
		t.Errorf("restored %+v; want %s, and %s to be named", done, good.File, damaged)
	}
	for name, want := range map[string][]byte{"questboard.db": spoiled, "questboard.db-wal": []byte("a log")} {
		if kept, err := os.ReadFile(filepath.Join(done.Aside, name)); err != nil || !bytes.Equal(kept, want) {
			t.Errorf("%s was not kept: %v", name, err)
		}
	}
	wantMode(t, file, 0o600)
	wantMode(t, done.Aside, 0o700)
	s, err = openFree(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wantStored(t, s, q)
}

func TestARestoreThatCannotBeDoneChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fillAndClose(t, dir)
	file := filepath.Join(dir, "questboard.db")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	newer, foreign, torn := filepath.Join(t.TempDir(), "newer.db"), filepath.Join(t.TempDir(), "foreign.db"), filepath.Join(t.TempDir(), "torn.db")
	for _, f := range []string{newer, foreign, torn} {
		write(t, f, before)
	}
	statement("PRAGMA user_version = 99")(t, newer)
	statement("PRAGMA application_id = 9")(t, foreign)
	garbage(5*4096, 40*4096)(t, torn)
	for name, c := range map[string]struct {
		from string
		kind error
	}{
		"no backup":        {"", store.ErrEmpty},
		"no such file":     {filepath.Join(dir, "nosuch.db"), store.ErrEmpty},
		"of a newer one":   {newer, store.ErrNewer},
		"of another":       {foreign, store.ErrForeign},
		"a damaged copy":   {torn, store.ErrDamaged},
		"no database":      {os.Args[0], store.ErrDamaged},
		"no file at all":   {t.TempDir(), nil},
		"nothing after it": {filepath.Join(t.TempDir(), "x"), store.ErrEmpty},
	} {
		_, err := store.Restore(t.Context(), dir, c.from)
		if err == nil || c.kind != nil && !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, want %v", name, err, c.kind)
			continue
		}
		wantLine(t, err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database was changed: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}

// One backup is kept for each of the last 24 hours that have any. Backups before
// migrations count separately, and the user's own files stay.
func TestBackupsAreKept24HoursDeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	folder := filepath.Join(dir, "backups")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 1, 0, 30, 0, 0, time.UTC)
	stamp := func(at time.Time) string { return at.Format("20060102T150405.000Z") + ".db" }
	for i := range 6 {
		write(t, filepath.Join(folder, "before-schema-4-"+stamp(start.Add(time.Duration(i)*time.Minute))), nil)
	}
	write(t, filepath.Join(folder, "mine.db"), nil)
	if err := os.Chtimes(filepath.Join(folder, "mine.db"), start, start); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "notes.txt"), nil)
	for i := range 40 { // every 30 minutes, some of them at an exit
		why := []store.Occasion{store.Hourly, store.AtExit}[i%2]
		write(t, filepath.Join(folder, string(why)+stamp(start.Add(time.Duration(i)*30*time.Minute))), nil)
	}
	commit(t, s, born(questOf("quest", 1)))
	for i := range 30 { // of before a limit was
		write(t, filepath.Join(folder, "hourly-"+stamp(start.Add(-time.Duration(i+1)*time.Hour))), nil)
	}
	last, err := s.Snapshot(t.Context(), store.Hourly, start.Add(48*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	wantMode(t, last.File, 0o600)
	wantMode(t, folder, 0o700)
	list, err := store.Backups(dir)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]int{}
	hours := map[time.Time]bool{}
	for _, b := range list {
		switch name := filepath.Base(b.File); {
		case name == "mine.db":
			kept["mine"]++
		case len(name) > 7 && name[:7] == "before-":
			kept["schema"]++
		default:
			kept["hours"]++
			hours[b.At.Truncate(time.Hour)] = true
		}
	}
	if kept["mine"] != 1 || kept["schema"] != 4 || kept["hours"] != 24 || len(hours) != 24 {
		t.Errorf("kept %v in %d hours; want 1 of the user's, 4 from before migrations, and 24 of 24 hours", kept, len(hours))
	}
	for i := range 30 {
		if _, err := s.Snapshot(t.Context(), store.AtExit, start.Add(time.Duration(50+i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	list, err = store.Backups(dir)
	if err != nil || len(list) != 1+4+24 {
		t.Errorf("%d backups are left (%v), want 29", len(list), err)
	}
	if list[0].At != start.Add(79*time.Hour) {
		t.Errorf("the newest is of %v", list[0].At)
	}
}
