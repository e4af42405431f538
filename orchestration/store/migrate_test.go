package store_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"questboard/orchestration/store"
)

func TestAnUpgradeKeepsABackupOfTheOldSchema(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := questOf("quest", 5)
	commit(t, s, born(q))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantBackups(t, dir, 0) // a new database has nothing to lose

	next := with(t, "CREATE TABLE more (id TEXT PRIMARY KEY); ALTER TABLE quests ADD COLUMN note TEXT NOT NULL DEFAULT ''")
	s2, err := store.OpenWith(t.Context(), dir, next)
	if err != nil {
		t.Fatal(err)
	}
	wantStored(t, s2, q)
	if got, err := s2.Pragma(false, "user_version"); err != nil || got != fmt.Sprint(newest()+1) {
		t.Errorf("the schema's number is %s (%v), want %d", got, err, newest()+1)
	}
	if err := s2.Close(); err != nil {
		t.Fatal(err)
	}
	backup := wantBackups(t, dir, 1)[0]
	wantMode(t, backup, 0o600)

	old := t.TempDir() // the old program can open the backup, and it is complete
	text, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(old, "questboard.db"), text)
	wantStored(t, open(t, old), q)
}

func TestAMigrationThatFailsLeavesTheOldSchema(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fillAndClose(t, dir)
	broken := with(t, "CREATE TABLE half (id TEXT); DELETE FROM steps; CREATE TABLE quests (id TEXT)")
	if s, err := store.OpenWith(t.Context(), dir, broken); err == nil {
		s.Close()
		t.Fatal("a broken migration went through")
	} else {
		wantLine(t, err, fmt.Sprintf("migrate to schema %d", newest()+1), "quests already exists")
	}
	s := open(t, dir)
	wantStored(t, s, questOf("quest", 500))
	if got, err := s.Pragma(false, "user_version"); err != nil || got != fmt.Sprint(newest()) {
		t.Errorf("the schema's number is %s (%v), want %d", got, err, newest())
	}
}

// Without an end of it, they would fill the disk, and push out those that an older version can open.
func TestAMigrationThatFailsAtEachStartKeepsOneBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fillAndClose(t, dir)
	older := make([]byte, 100) // made by an attempt that began with an older schema
	older[63] = byte(newest() - 1)
	folder := filepath.Join(dir, "backups")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, fmt.Sprintf("before-schema-%d-20260101T000000.000Z.db", newest()+1)), older)
	broken := with(t, "CREATE TABLE quests (id TEXT)")
	for range 3 {
		if s, err := store.OpenWith(t.Context(), dir, broken); err == nil {
			s.Close()
			t.Fatal("a broken migration went through")
		}
		wantBackups(t, dir, 2)
	}
}

func TestMigrationsCountWithoutAGap(t *testing.T) {
	t.Parallel()
	files := with(t, "")
	files[fmt.Sprintf("%04d_gap.sql", newest()+3)] = &fstest.MapFile{Data: []byte("SELECT 1")}
	if s, err := store.OpenWith(t.Context(), t.TempDir(), files); err == nil {
		s.Close()
		t.Fatal("a gap between migrations went through")
	}
}

// with returns the embedded migrations and one more.
func with(t *testing.T, sql string) fstest.MapFS {
	t.Helper()
	embedded, err := store.Migrations()
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{fmt.Sprintf("%04d_more.sql", newest()+1): {Data: []byte(sql)}}
	names, err := fs.Glob(embedded, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(embedded, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	return maps.Clone(files)
}

func wantBackups(t *testing.T, dir string, want int) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "backups", "*"))
	if err != nil || len(files) != want {
		t.Fatalf("backups: %v (%v), want %d", files, err, want)
	}
	return files
}
