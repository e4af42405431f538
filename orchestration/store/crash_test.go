package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

// crashDir is an environment variable. With it this test binary acts as the child that is
// killed, and uses the data directory that it names.
const crashDir = "QUESTBOARD_TEST_CRASH_DIR"

// crashPostgres has the address of that child's PostgreSQL database, if it uses one.
const crashPostgres = "QUESTBOARD_TEST_CRASH_POSTGRES"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		writeUntilKilled(dir)
	}
	if dir := os.Getenv(migrateDir); dir != "" {
		migrateSlowly(dir)
	}
	os.Exit(m.Run())
}

// writeUntilKilled commits one signal after the other and prints the version after each.
func writeUntilKilled(dir string) {
	ctx := context.Background()
	s, err := store.Open(ctx, dir, store.Options{Postgres: os.Getenv(crashPostgres)})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var q *orchestration.Quest
	if _, err = s.Quest(ctx, "quest"); err != nil {
		q = questOf("quest", 30)
		err = s.Commit(ctx, []orchestration.Transition{born(q)}, nil)
	}
	for ; err == nil; err = s.Commit(ctx, []orchestration.Transition{signalled(q)}, nil) {
		if q, err = s.Quest(ctx, "quest"); err != nil {
			break
		}
		fmt.Println(q.Version)
	}
	fmt.Println(err)
	os.Exit(1)
}

// docs/hardening.md#stored-state, T3.1, the store's part: a kill -9 at any point, even
// while the database is made, loses nothing that was acknowledged.
func TestKillingTheServerLosesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var known int64
	for round := range 16 {
		var got int64
		if round%4 == 0 {
			dir, known = t.TempDir(), 0 // a new directory: the kill may come while the database is made
			got = kill(t, database{dir: dir}, time.Duration(5+round*6)*time.Millisecond, 0)
		} else if got = kill(t, database{dir: dir}, time.Minute, 1+round*3); got <= known {
			t.Fatalf("round %d: the child committed nothing", round)
		}
		known = max(known, got)
		s, err := store.Open(t.Context(), dir, store.Options{})
		if err != nil {
			t.Fatalf("round %d: the database does not open: %v", round, err)
		}
		if known > 0 {
			q, err := s.Quest(t.Context(), "quest")
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			if q.Version < known {
				t.Fatalf("round %d: version %d was acknowledged, %d is there", round, known, q.Version)
			}
			wantWhole(t, s, q)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.new*")); len(left) > 0 {
			t.Errorf("round %d: left behind: %v", round, left)
		}
	}
}

// The same with PostgreSQL. The next server has the lock that the killed one held.
func TestKillingTheServerOfAPostgreSQLDatabaseLosesNothing(t *testing.T) {
	t.Parallel()
	d := database{t.TempDir(), storetest.Postgres(t)}
	var known int64
	for round := range 8 {
		if got := kill(t, d, time.Minute, 1+round*5); got > known {
			known = got
		} else {
			t.Fatalf("round %d: the child committed nothing", round)
		}
		s, err := d.opened(t)
		if err != nil {
			t.Fatalf("round %d: the database does not open: %v", round, err)
		}
		q, err := s.Quest(t.Context(), "quest")
		if err != nil || q.Version < known {
			t.Fatalf("round %d: version %d was acknowledged, %+v is there (%v)", round, known, q, err)
		}
		wantWhole(t, s, q)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// kill runs the child, kills it some time after its start or after its n-th
// commit, and returns the last version that it said was committed.
func kill(t *testing.T, d database, wait time.Duration, n int) (acknowledged int64) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+d.dir, crashPostgres+"="+d.postgres)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(wait, func() { child.Process.Kill() })
	defer timer.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if acknowledged, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
			t.Errorf("the child failed: %s", lines.Text())
			break
		}
		if n--; n == 0 {
			child.Process.Kill() // its next commit is in progress; continue to read its output
		}
	}
	child.Wait() // it was killed, so it returns an error
	return acknowledged
}

// wantWhole checks that no commit is incomplete: each adds a run and three entries.
func wantWhole(t *testing.T, s *store.Store, q *orchestration.Quest) {
	t.Helper()
	commits := int(q.Version) - 1
	events, err := s.Events(t.Context(), q.ID, orchestration.EventFilter{N: 3*commits + 10})
	if err != nil {
		t.Fatal(err)
	}
	if q.Runs.Len() != 60+commits || len(events) != 3*commits {
		t.Fatalf("version %d: %d runs and %d entries, want %d and %d", q.Version, q.Runs.Len(), len(events), 60+commits, 3*commits)
	}
}
