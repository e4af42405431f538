package bench_test

import (
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"
)

// ledger is the least that a durable scheduler writes: one row changed and one
// added in one transaction, fsynced, through database/sql and nothing else.
type ledger struct {
	mu     sync.Mutex
	tb     testing.TB
	db     *sql.DB
	change *sql.Stmt
	add    *sql.Stmt
	n      int
}

func openLedger(tb testing.TB) *ledger {
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(tb.TempDir(), "ledger.db")+"?_journal_mode=WAL&_synchronous=FULL&_txlock=immediate")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE states (id INTEGER PRIMARY KEY, n INT); CREATE TABLE history (n INTEGER PRIMARY KEY, body TEXT)"); err != nil {
		tb.Fatal(err)
	}
	l := &ledger{tb: tb, db: db}
	l.change = l.prepare("INSERT INTO states VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET n = excluded.n")
	l.add = l.prepare("INSERT INTO history VALUES (?, 'a transition')")
	return l
}

func (l *ledger) prepare(query string) *sql.Stmt {
	s, err := l.db.Prepare(query)
	if err != nil {
		l.tb.Fatal(err)
	}
	return s
}

// commit makes one transition durable.
func (l *ledger) commit(state int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	tx, err := l.db.Begin()
	if err == nil {
		_, err = tx.Stmt(l.change).Exec(state, l.n)
	}
	if err == nil {
		_, err = tx.Stmt(l.add).Exec(l.n)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		l.tb.Error(err)
	}
}

// runsPerStep: codeweaver, ward, siegemaster, ward.
const runsPerStep = 4

// durableLimit does the work of a quest of this shape with a pool of workers
// and no rules: each step is four programs, one after the other, each with a
// transaction when it starts and one when it has ended.
func durableLimit(tb testing.TB, s shape, workers int, start spawn) time.Duration {
	l := openLedger(tb)
	waits, dependents := make([]int, s.steps), make([][]int, s.steps)
	ready := make(chan int, s.steps)
	for i := range s.steps {
		for _, d := range s.before(i) {
			waits[i]++
			dependents[d] = append(dependents[d], i)
		}
	}
	began := time.Now()
	for i, n := range waits {
		if n == 0 {
			ready <- i
		}
	}
	var mu sync.Mutex
	var pool sync.WaitGroup
	left := s.steps
	for range workers {
		pool.Go(func() {
			for step := range ready {
				for range runsPerStep {
					l.commit(step)
					once(tb, start)
					l.commit(step)
				}
				mu.Lock()
				for _, d := range dependents[step] {
					if waits[d]--; waits[d] == 0 {
						ready <- d
					}
				}
				if left--; left == 0 {
					close(ready)
				}
				mu.Unlock()
			}
		})
	}
	pool.Wait()
	return time.Since(began)
}
