package e2e_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
	"questboard/orchestration/storetest"
)

// completesInVain returns a quest on a host whose agent completes its step while PostgreSQL hangs.
func completesInVain(t *testing.T) (*held, *storetest.Cluster) {
	t.Helper()
	cluster := storetest.NewCluster(t)
	h, _ := holdOnHost(t, "-db", cluster.Database(t), "-lease", "1m")
	if err := cluster.Freeze(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Thaw() })
	write(t, h.goes, "")
	return h, cluster
}

// While PostgreSQL hangs, the server says so to those who ask whether it is ready, and in its log. An
// agent on a host that completes its step waits for its answer. Everything goes on when PostgreSQL
// does.
func TestADatabaseThatHangsIsWaitedFor(t *testing.T) {
	t.Parallel()
	h, cluster := completesInVain(t)
	// An answer of just before holds for a moment.
	poll(t, e2etest.Room(10*time.Second), func() bool { return h.send("GET", "/readyz", "").status == 503 }, h.said.String)
	poll(t, e2etest.Room(10*time.Second), func() bool { return strings.Contains(h.said.String(), "the database does not answer") }, h.said.String)
	if err := cluster.Thaw(); err != nil {
		t.Fatal(err)
	}
	q := h.finish()
	if runs := ofStep(q, "codeweaver", "one"); len(runs) != 1 || runs[0]["signal"] == nil {
		t.Errorf("codeweaver's runs: %s", jsonText(runs))
	}
	poll(t, e2etest.Room(10*time.Second), func() bool { return h.send("GET", "/readyz", "").status == 200 }, h.said.String)
}

// A server whose database hangs ends at the second signal, as always. What it could not store is
// done again by the next one.
func TestAServerWhoseDatabaseHangsCanBeEnded(t *testing.T) {
	t.Parallel()
	h, cluster := completesInVain(t)
	poll(t, e2etest.Room(10*time.Second), func() bool { return strings.Contains(h.said.String(), "the database does not answer") }, h.said.String)
	h.signal(syscall.SIGTERM)
	poll(t, time.Minute, func() bool { return strings.Contains(h.said.String(), "a second signal ends the server at once") }, h.said.String)
	h.signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- h.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(e2etest.Room(5 * time.Second)):
		t.Fatal("it does not end")
	}
	if err := cluster.Thaw(); err != nil {
		t.Fatal(err)
	}
	h.launched = launch(t, nil, h.args...)
	h.untilHost("forge", true)
	if runs := ofStep(h.finish(), "codeweaver", "one"); len(runs) != 1 || runs[0]["signal"] == nil {
		t.Errorf("codeweaver's runs: %s", jsonText(runs))
	}
}
