package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/store"
)

// upgradeKills is the number of migrations that are killed; `make soak` asks for 50.
var upgradeKills = flag.Int("kills", 6, "processes killed in the middle of a migration")

// docs/hardening.md#stored-state, T3.7: for every schema that there was,
// testdata/schema-N.sql is a database with the same quest. After the upgrade the quest
// is equal.
func TestEveryOldSchemaComesUpWithEqualQuests(t *testing.T) {
	t.Parallel()
	for n := range newest() {
		t.Run(fmt.Sprint(n+1), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			build(t, dir, n+1)
			s := open(t, dir)
			wantStored(t, s, fixtureQuest())
			events, err := s.Events(t.Context(), "quest", orchestration.EventFilter{N: 10})
			if err != nil || len(events) != 3 {
				t.Errorf("its history: %v (%v)", events, err)
			}
			if n+1 < newest() {
				wantBackups(t, dir, 1)
			}
		})
	}
}

// Older versions stored only a sentence for why a run was called. In the databases of
// every schema it is read as a kind.
func TestBriefsOfOldSchemasAreReadByTheirKind(t *testing.T) {
	t.Parallel()
	old, err := filepath.Glob("testdata/schema-*.sql")
	if err != nil || len(old) == 0 {
		t.Fatal(old, err)
	}
	for n := range old {
		dir := t.TempDir()
		build(t, dir, n+1)
		db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "questboard.db"))
		if err != nil {
			t.Fatal(err)
		}
		launch := `{"reason":"the user commented on the diff","context":"a.go: why?"}`
		block := `{"kind":"stopped","reason":"stopped by you","retry":{"role":"spiritmender","line":"step-0","start":"followup","brief":` + launch + `}}`
		_, failed := db.Exec(`UPDATE runs SET role = 'spiritmender', start_kind = 'followup', brief = ? WHERE id = 'quest-r1'`, launch)
		_, blocked := db.Exec(`UPDATE steps SET hold = 'blocked', block = ? WHERE id = 'step-0'`, block)
		if err := errors.Join(failed, blocked, db.Close()); err != nil {
			t.Fatal(err)
		}
		q, err := open(t, dir).Quest(t.Context(), "quest")
		if err != nil || q.Damaged() {
			t.Fatalf("schema %d: %v (%v)", n+1, err, q)
		}
		for _, b := range []orchestration.Brief{q.Run("quest-r1").Brief, q.Step("step-0").Block.Retry.Brief} {
			if b.Kind != orchestration.BriefComments || b.Comments != "a.go: why?" || b.Reason+b.Context != "" {
				t.Errorf("schema %d: %+v", n+1, b)
			}
		}
	}
}

// Schema 13 stored only which run was the siege at the end, and its commit was read off the runs.
func TestTheSiegeOfAnOldSchemaKeepsItsCommit(t *testing.T) {
	t.Parallel()
	for later, want := range map[string]string{
		"":     `{"run":"quest-r1","commit":"aaaa"}`,
		"bbbb": `{"run":"quest-r1","commit":"aaaa","changed":true,"changedIn":"bbbb"}`,
	} {
		dir := t.TempDir()
		build(t, dir, 13)
		db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "questboard.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		_, failed := db.Exec(`UPDATE steps SET besieged = 'quest-r1' WHERE id = 'review';
			UPDATE runs SET line = 'review', from_commit = 'aaaa', commit_id = '' WHERE id = 'quest-r1';
			UPDATE runs SET line = 'review', commit_id = ? WHERE id = 'quest-r2'`, later)
		if failed != nil {
			t.Fatal(failed)
		}
		open(t, dir)
		var got string
		if err := db.QueryRow(`SELECT siege_proof FROM steps WHERE id = 'review'`).Scan(&got); err != nil || got != want {
			t.Errorf("then %q: %s (%v), want %s", later, got, err, want)
		}
	}
}

// fixtureQuest returns the quest in testdata/schema-*.sql.
func fixtureQuest() *orchestration.Quest { return signalled(questOf("quest", 3)).Quest }

// build makes the database of an old schema from its text.
func build(t *testing.T, dir string, schema int) {
	t.Helper()
	name := filepath.Join("testdata", fmt.Sprintf("schema-%d.sql", schema))
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		text = recordOf(t, name, schema) // for a new schema, once; commit the file
	} else if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "questboard.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(string(text)); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// recordOf writes the text of a database that this program made with the first
// migrations.
func recordOf(t *testing.T, name string, schema int) []byte {
	t.Helper()
	dir := t.TempDir()
	s, err := store.OpenWith(t.Context(), dir, firstOf(t, schema))
	if err != nil {
		t.Fatal(err)
	}
	q := questOf("quest", 3)
	commit(t, s, born(q))
	commit(t, s, signalled(q))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sqlite3", filepath.Join(dir, "questboard.db"), ".dump").Output()
	if err != nil {
		t.Fatalf("write down schema %d: %v", schema, err)
	}
	text := fmt.Appendf(nil, "-- A database of schema %d, as it was: never changed.\nPRAGMA application_id = %d;\nPRAGMA user_version = %d;\n%s", schema, store.ApplicationID, schema, out)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return text
}

func firstOf(t *testing.T, n int) fs.FS {
	t.Helper()
	files := with(t, "SELECT 1")
	for name := range files {
		if number, _, _ := strings.Cut(name, "_"); number > fmt.Sprintf("%04d", n) {
			delete(files, name)
		}
	}
	return files
}

// A program that is older than the database says so and changes nothing.
func TestADowngradeIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := store.OpenWith(t.Context(), dir, with(t, "CREATE TABLE more (id TEXT)"))
	if err != nil {
		t.Fatal(err)
	}
	commit(t, s, born(questOf("quest", 3)))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(dir + "/questboard.db")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		old, err := store.OpenWith(t.Context(), dir, firstOf(t, n+1))
		if err == nil {
			old.Close()
			t.Fatalf("the newest schema was opened by a program that knows %d", n+1)
		}
		if !errors.Is(err, store.ErrLocked) && !errors.Is(err, store.ErrNewer) {
			t.Errorf("knows %d: %v, want %v", n+1, err, store.ErrNewer)
		}
		wantLine(t, err)
	}
	if after, err := os.ReadFile(dir + "/questboard.db"); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database was changed: %v", err)
	}
}

// migrateDir is an environment variable. With it this test binary acts as the child
// that is killed, and uses the data directory that it names.
const migrateDir = "QUESTBOARD_TEST_MIGRATE_DIR"

// migrateSlowly brings a database up to the last schema of slowly.
func migrateSlowly(dir string) {
	files, err := slowly()
	if err == nil {
		fmt.Println("begin")
		_, err = store.OpenWith(context.Background(), dir, files)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// The migrations that slowly adds: what comes after the newest.
var (
	firstSlow = newest() + 1
	lastSlow  = firstSlow + 3
)

// newest returns the number of the newest migration.
func newest() int {
	embedded, err := store.Migrations()
	if err != nil {
		panic(err)
	}
	names, err := fs.Glob(embedded, "*.sql")
	if err != nil {
		panic(err)
	}
	return len(names)
}

// slowly returns migrations that take some time. Each leaves a mark when it ends.
func slowly() (fstest.MapFS, error) {
	files := fstest.MapFS{}
	embedded, err := store.Migrations()
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(embedded, "*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(embedded, name)
		if err != nil {
			return nil, err
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	for n := firstSlow; n <= lastSlow; n++ {
		files[fmt.Sprintf("%04d_slow.sql", n)] = &fstest.MapFile{Data: fmt.Appendf(nil, `
			CREATE TABLE slow%d (n INTEGER PRIMARY KEY, text TEXT NOT NULL);
			INSERT INTO slow%d WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5000) SELECT n, hex(randomblob(40)) FROM c;
			ALTER TABLE quests ADD COLUMN slow%d TEXT NOT NULL DEFAULT 'new';`, n, n, n)}
	}
	return files, nil
}

// A kill in the middle of a migration leaves either the old schema or the new one, and
// the next start continues from there.
func TestAMigrationThatIsKilledLeavesOldOrNew(t *testing.T) {
	t.Parallel()
	between := map[int]int{}
	for round := range *upgradeKills {
		dir := t.TempDir()
		build(t, dir, 1+round%5)
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), migrateDir+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 6)
		if _, err := out.Read(line); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(5+round*23%300)*time.Millisecond, func() { child.Process.Kill() })
		child.Wait() // it was killed, or it had ended before
		kill.Stop()

		between[schemaIn(t, dir)]++
		if part, err := filepath.Glob(filepath.Join(dir, "backups", "*.db")); err != nil || len(part) > 1 {
			t.Errorf("round %d: backups %v", round, part)
		}
		files, err := slowly()
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.OpenWith(t.Context(), dir, files)
		if err != nil {
			t.Fatalf("round %d: the next start: %v", round, err)
		}
		wantStored(t, s, fixtureQuest())
		if got, err := s.Pragma(false, "user_version"); err != nil || got != strconv.Itoa(lastSlow) {
			t.Errorf("round %d: schema %s (%v), want %d", round, got, err, lastSlow)
		}
		for n := firstSlow; n <= lastSlow; n++ {
			if got, err := s.Count(fmt.Sprintf("slow%d", n)); err != nil || got != 5000 {
				t.Errorf("round %d: slow%d has %d rows (%v)", round, n, got, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("killed at schema (as the disk has it): %v", between)
}

// schemaIn reads the schema without writing. It checks that the database is as before a
// migration or as after it.
func schemaIn(t *testing.T, dir string) (schema int) {
	t.Helper()
	file := filepath.Join(dir, "questboard.db")
	mode := "ro" // a connection that can write would copy the log into the file and remove it
	if _, err := os.Stat(file + "-journal"); err == nil {
		mode = "rw" // SQLite must undo an incomplete change from before there was a log
	}
	db, err := sql.Open("sqlite3", "file:"+file+"?mode="+mode)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("PRAGMA user_version").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	var check string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&check); err != nil || check != "ok" {
		t.Errorf("integrity: %s (%v)", check, err)
	}
	for n := firstSlow; n <= lastSlow; n++ {
		var tables, columns, rows int
		if err := db.QueryRow("SELECT COUNT(*) FROM sqlite_master WHERE name = ?", fmt.Sprintf("slow%d", n)).Scan(&tables); err != nil {
			t.Fatal(err)
		}
		if err := db.QueryRow("SELECT COUNT(*) FROM pragma_table_info('quests') WHERE name = ?", fmt.Sprintf("slow%d", n)).Scan(&columns); err != nil {
			t.Fatal(err)
		}
		if tables == 1 {
			if err := db.QueryRow(fmt.Sprintf("SELECT COUNT(*) FROM slow%d", n)).Scan(&rows); err != nil {
				t.Fatal(err)
			}
		}
		want := 0
		if schema >= n {
			want = 1
		}
		if tables != want || columns != want || rows != 5000*want {
			t.Errorf("schema %d, and of migration %d: %d tables, %d columns, %d rows", schema, n, tables, columns, rows)
		}
	}
	return schema
}
