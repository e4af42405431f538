package ward_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/runlog"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

// While the disk is full, a check that prints waits for us. That time is not the check's: with room
// again it ends as if nothing had happened. The server's end waits for no disk.
func TestTheTimeThatAFullDiskHoldsACheckDoesNotCount(t *testing.T) {
	dir := e2etest.SmallDisk(t, "16m")
	if dir == "" {
		return
	}
	r := newRig(t)
	logs, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.runner.Logs = logs
	filler := filepath.Join(dir, "filler")
	// held starts a check that prints more than is kept in memory, and returns it with its end.
	held := func(timeout time.Duration) (agents.Process, <-chan agents.Ended) {
		if err := os.WriteFile(filler, make([]byte, 32<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("the disk is not full: %v", err)
		}
		spec := newSpec("yes " + strings.Repeat("x", 100) + " | head -n 30000; exit 3")
		spec.Timeout = timeout
		p, _ := r.start(t, spec)
		ended := make(chan agents.Ended, 1)
		go func() { ended <- p.Wait() }() // ends with the check
		for logs.Refused() == nil {
			select {
			case got := <-ended:
				t.Fatalf("ended %s: %s", got.End, got.Exit.Why)
			case <-time.After(time.Millisecond):
			}
		}
		return p, ended
	}

	const limit = 2 * time.Second // without the wait, the check takes a tenth of that
	_, ended := held(limit)
	select {
	case got := <-ended:
		t.Fatalf("ended on a full disk: %s: %s", got.End, got.Exit.Why)
	case <-time.After(limit + limit/2):
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if got := <-ended; got.End != orchestration.EndWardFailed || got.Exit.Why != "exit 3" {
		t.Errorf("ended %s: %s", got.End, got.Exit.Why)
	}

	p, ended := held(limit)
	p.End(0)
	if err := logs.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("close: %v", err)
	}
	if got := <-ended; got.End != orchestration.EndInterrupted {
		t.Errorf("ended %s: %s", got.End, got.Exit.Why)
	}
}
