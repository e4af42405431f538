package store_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

// `make soak` asks for many backups, and for a large database.
var (
	backups   = flag.Int("backups", 4, "backups of a busy database")
	megabytes = flag.Int("megabytes", 8, "size of the database that is backed up while commits are measured")
)

func TestABackupIsOfOneMomentWhileCommitsGoOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	q := questOf("quest", 30)
	commit(t, s, born(q))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var writing sync.WaitGroup
	defer writing.Wait()
	defer stop()
	writing.Go(func() {
		for q := q; ctx.Err() == nil; {
			next := signalled(q)
			if err := s.Commit(t.Context(), []orchestration.Transition{next}, nil); err != nil {
				t.Errorf("commit beside the backup: %v", err)
				return
			}
			q = next.Quest
		}
	})
	last := int64(0)
	for round := range *backups {
		restored := t.TempDir()
		file := filepath.Join(restored, "questboard.db")
		err := s.Backup(t.Context(), file)
		if round%2 == 1 { // as the command does in another process
			remove(t, file)
			err = store.Copy(t.Context(), dir, file)
		}
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		wantMode(t, file, 0o600)
		got := wantWholeIn(t, restored) // a torn copy would not be complete
		if got.Version < last {
			t.Errorf("round %d: version %d after %d", round, got.Version, last)
		}
		last = got.Version
	}
	t.Logf("%d backups, %d commits meanwhile", *backups, last)
}

// No commit waits long for a backup of a large database.
func TestABackupLetsCommitsPassWithoutDelay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	q := questOf("quest", 50)
	commit(t, s, born(q))
	statement(fmt.Sprintf("CREATE TABLE bulk (b BLOB); INSERT INTO bulk WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < %d) SELECT randomblob(100000) FROM c", *megabytes*10))(t, filepath.Join(dir, "questboard.db"))
	measure := func(until func() bool) (took []time.Duration) {
		for !until() {
			next := signalled(q)
			begun := time.Now()
			commit(t, s, next)
			took = append(took, time.Since(begun))
			q = next.Quest
		}
		slices.Sort(took)
		return took
	}
	n := 0
	alone := measure(func() bool { n++; return n > 200 })
	done := make(chan error, 1)
	begun := time.Now()
	go func() { done <- s.Backup(t.Context(), filepath.Join(dir, "backups", "big.db")) }()
	var err error
	over := false
	beside := measure(func() bool {
		select {
		case err = <-done:
			over = true
		default:
		}
		return over
	})
	if err != nil {
		t.Fatal(err)
	}
	p := func(list []time.Duration, part float64) time.Duration { return list[int(float64(len(list)-1)*part)] }
	t.Logf("%d MB in %v: %d commits alone p50 %v p99 %v, %d beside p50 %v p99 %v, the longest %v", *megabytes, time.Since(begun),
		len(alone), p(alone, .5), p(alone, .99), len(beside), p(beside, .5), p(beside, .99), p(beside, 1))
	// A commit that waits longer than five seconds, the database's own limit, has
	// failed above. Only a large database shows that the wait is far shorter.
	if longest := p(beside, .99); *megabytes >= 100 && longest > max(time.Second, 20*p(alone, .99)) {
		t.Errorf("the slowest commits took %v during the backup", longest)
	}
}

// A server that was killed while it made a backup leaves a part of one.
func TestTheNextStartRemovesBackupsThatWereCutShort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "backups")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(folder, "mine.db.part") // `questboard backup` may be at work there
	for _, name := range []string{"hourly-20260101T000000.000Z", "exit-20260101T000000.000Z", "before-schema-3-20260101T000000.000Z"} {
		write(t, filepath.Join(folder, name+".db.part"), []byte("half"))
	}
	write(t, mine, []byte("half"))
	open(t, dir)
	if left := wantBackups(t, dir, 1); left[0] != mine {
		t.Errorf("left: %v", left)
	}
}

func TestABackupNeverOverwrites(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	file := filepath.Join(t.TempDir(), "precious")
	write(t, file, []byte("precious"))
	if err := s.Backup(t.Context(), file); err == nil {
		t.Error("it was overwritten")
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
		t.Errorf("the file is %q (%v)", text, err)
	}
}

func wantStored(t *testing.T, s *store.Store, want *orchestration.Quest) {
	t.Helper()
	got, err := s.Quest(t.Context(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if d := storetest.Diff(want, got); d != "" {
		t.Fatalf("quest %s (-want +stored):\n%s", want.ID, d)
	}
}
