package e2e_test

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"questboard/e2e/e2etest"
)

// workerProcess is a worker, started by a test that also ends it.
type workerProcess struct {
	t    *testing.T
	name string
	args []string
	env  []string // instead of the test's own, if not nil
	cmd  *exec.Cmd
	said *lockedBuffer
	data string
}

// startHost makes a host's key and starts its worker, with a clone of the repository.
func (s *launched) startHost(t *testing.T, name, repo, scenario string, flags ...string) *workerProcess {
	t.Helper()
	w := s.newWorker(t, name, repo, append([]string{"-scenario", scenario}, flags...)...)
	w.start()
	s.untilHost(name, true)
	return w
}

// newWorker makes a host's key, and a clone of the repository.
func (s *launched) newWorker(t *testing.T, name, repo string, flags ...string) *workerProcess {
	t.Helper()
	key := s.post("/hosts", `{"name":"`+name+`"}`).want(201)["key"].(string)
	clone := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "-q", repo, clone).CombinedOutput(); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	w := &workerProcess{t: t, name: name, said: &lockedBuffer{}, data: t.TempDir()}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("worker %s:\n%s", name, w.said.String())
		}
	})
	w.args = append([]string{"worker", "-server", s.base, "-key", key, "-repo", repo + "=" + clone, "-data", w.data}, flags...)
	return w
}

func (w *workerProcess) start() {
	w.t.Helper()
	cmd := serverCommand(w.t, nil, w.args...)
	if w.env != nil {
		cmd.Env = w.env
	}
	cmd.Stdout, cmd.Stderr = w.said, w.said
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.cmd = cmd
	w.t.Cleanup(func() {
		if cmd.ProcessState == nil {
			stopServer(w.t, cmd, w.said)
		}
	})
}

func (w *workerProcess) signal(sig syscall.Signal) {
	w.t.Helper()
	if err := w.cmd.Process.Signal(sig); err != nil {
		w.t.Fatal(err)
	}
}

// untilHost waits until a host is connected, or is not.
func (s *launched) untilHost(name string, connected bool) {
	s.t.Helper()
	poll(s.t, e2etest.Room(10*time.Second), func() bool { return s.get("/hosts/" + name).want(200)["connected"] == connected },
		func() string { return "host " + name + "\n" + s.said.String() })
}
