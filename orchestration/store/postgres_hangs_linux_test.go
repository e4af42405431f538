package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"questboard/orchestration/storetest"
)

// A caller that does not wait for a database that hangs does not cost this server its lock: a
// server that stands by would take it.
func TestACallerThatLeavesDoesNotCostTheLock(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t)
	d := database{t.TempDir(), cluster.Database(t)}
	s, err := d.opened(t)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other, err := pgx.Connect(t.Context(), d.postgres)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(context.Background()) }()
	holder := func() (pid int) {
		t.Helper()
		if err := other.QueryRow(t.Context(), "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted").Scan(&pid); err != nil {
			t.Fatalf("who holds the lock: %v", err)
		}
		return pid
	}
	before := holder()
	if err := cluster.Freeze(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Thaw() })
	impatient, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer leave()
	answered := make(chan error, 1)
	go func() { answered <- s.Ready(impatient) }()
	<-impatient.Done()
	if err := cluster.Thaw(); err != nil {
		t.Fatal(err)
	}
	<-answered
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if after := holder(); after != before {
		t.Errorf("session %d held the lock, and %d does", before, after)
	}
}
