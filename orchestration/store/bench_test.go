package store_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"questboard/orchestration"
	"questboard/orchestration/store"
)

// BenchmarkCommitBesideLimit compares a signal with the least possible: one changed and
// one new row in a transaction with synchronous FULL, only through database/sql. The
// two take turns, so that noise of the machine affects both. It reports medians.
func BenchmarkCommitBesideLimit(b *testing.B) {
	limit, s := newBare(b), open(b, b.TempDir())
	q := questOf("quest", 100)
	commit(b, s, born(q))
	var took [2][]time.Duration
	for b.Loop() {
		t := signalled(q)
		took[0] = append(took[0], timed(func() { limit.commit(b) }))
		took[1] = append(took[1], timed(func() { commit(b, s, t) }))
		q = t.Quest
	}
	bare, ours := median(took[0]), median(took[1])
	b.ReportMetric(float64(bare.Microseconds()), "limit-µs")
	b.ReportMetric(float64(ours.Microseconds()), "signal-µs")
	b.ReportMetric(float64(bare)/float64(ours), "of-limit")
}

func timed(f func()) time.Duration {
	from := time.Now()
	f()
	return time.Since(from)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func BenchmarkLoadQuests(b *testing.B) {
	s := open(b, b.TempDir())
	const quests = 1000
	for i := range quests {
		commit(b, s, born(questOf("quest"+string(rune('a'+i/100))+string(rune('a'+i/10%10))+string(rune('a'+i%10)), 10)))
	}
	for b.Loop() {
		got, err := s.Quests(b.Context(), false)
		if err != nil || len(got) != quests {
			b.Fatalf("%d quests, %v", len(got), err)
		}
	}
}

// bare is a database without our schema and code.
type bare struct {
	db             *sql.DB
	update, insert *sql.Stmt
	n              int
}

func newBare(t testing.TB) *bare {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "bare.db")+"?_journal_mode=WAL&_synchronous=FULL&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE q (id TEXT PRIMARY KEY, version INT); CREATE TABLE e (n INT PRIMARY KEY, body TEXT); INSERT INTO q VALUES ('q', 0)"); err != nil {
		t.Fatal(err)
	}
	b := &bare{db: db}
	if b.update, err = db.Prepare("UPDATE q SET version = version + 1 WHERE id = 'q' AND version = ?"); err != nil {
		t.Fatal(err)
	}
	if b.insert, err = db.Prepare("INSERT INTO e VALUES (?, 'a history entry')"); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bare) commit(t testing.TB) {
	tx, err := b.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Stmt(b.update).Exec(b.n); err != nil {
		t.Fatal(err)
	}
	b.n++
	if _, err := tx.Stmt(b.insert).Exec(b.n); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

func commit(t testing.TB, s *store.Store, transitions ...orchestration.Transition) {
	t.Helper()
	if err := s.Commit(t.Context(), transitions, nil); err != nil {
		t.Fatal(err)
	}
}
