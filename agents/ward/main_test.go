package ward_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/agents/ward"
	"questboard/agents/workspace"
	"questboard/orchestration"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.Subcommand {
		os.Exit(process.Supervise(os.Args[2:]))
	}
	os.Exit(m.Run())
}

type observer struct {
	mu   sync.Mutex
	seen []agents.Progress
	bell chan struct{}
}

func (*observer) Told(orchestration.Told) {}
func (o *observer) SessionOpened(string)  {}
func (o *observer) Progress(p agents.Progress) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, p)
	select {
	case o.bell <- struct{}{}:
	default:
	}
}

// until waits for a line on the card.
func (o *observer) until(t *testing.T, line string) {
	t.Helper()
	for deadline := time.After(20 * time.Second); ; {
		o.mu.Lock()
		for _, p := range o.seen {
			if p.Line == line {
				o.mu.Unlock()
				return
			}
		}
		o.mu.Unlock()
		select {
		case <-o.bell:
		case <-deadline:
			t.Fatalf("the card never said %q", line)
		}
	}
}

type rig struct {
	runner   *ward.Runner
	commands agents.Runner // what start uses: the check's runner, or that of the set-up
	logs     *runlog.Logs
	dir      string
}

func newRig(t *testing.T) rig {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	logs, err := runlog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logs.Close() })
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=T", "-c", "user.email=t@e", "commit", "-q", "--allow-empty", "-m", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git: %v %s", err, out)
		}
	}
	shell := ward.Shell{Process: process.Starter{Exe: exe, KillAfter: 200 * time.Millisecond}, Logs: logs}
	runner := &ward.Runner{Shell: shell, Trees: workspace.Git{Dir: t.TempDir()}}
	return rig{runner: runner, commands: runner, logs: logs, dir: dir}
}

var runs atomic.Int64

func (r rig) start(t *testing.T, spec agents.Spec) (agents.Process, *observer) {
	t.Helper()
	if spec.Dir == "" {
		spec.Dir = r.dir
	}
	o := &observer{bell: make(chan struct{}, 1)}
	p, err := r.commands.Start(t.Context(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(0); p.Wait() })
	return p, o
}

func newSpec(command string) agents.Spec {
	return agents.Spec{RunID: fmt.Sprintf("w-%d-r%d", os.Getpid(), runs.Add(1)), Command: command}
}

// run runs a command to its end and returns the log as well.
func (r rig) run(t *testing.T, spec agents.Spec) (agents.Ended, []map[string]any) {
	t.Helper()
	p, _ := r.start(t, spec)
	ended := p.Wait()
	var log []map[string]any
	for total := 1; len(log) < total; {
		lines, n, err := r.logs.Page(spec.RunID, len(log), 1000)
		if err != nil || len(lines) == 0 {
			t.Fatal(n, err)
		}
		total = n
		for _, line := range lines {
			var entry map[string]any
			if err := json.Unmarshal(line, &entry); err != nil {
				t.Fatalf("%.80q: %v", line, err)
			}
			log = append(log, entry)
		}
	}
	return ended, log
}
