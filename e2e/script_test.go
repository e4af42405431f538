package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// script runs the commands that ask a server, as a script on its machine does.
type script struct {
	t    *testing.T
	data string
}

func (s script) run(args ...string) result {
	s.t.Helper()
	return command(s.t, serverBinary(s.t), []string{"QUESTBOARD_TOKEN=" + apiToken, "QUESTBOARD_DATA=" + s.data}, args...)
}

// is checks the exit code and what standard output begins with.
func (s script) is(r result, code int, begins string) {
	s.t.Helper()
	if r.code != code || !strings.HasPrefix(r.stdout, begins) || begins == "" && r.stdout != "" {
		s.t.Errorf("exit %d, want %d with %q:\n%s%s", r.code, code, begins, r.stdout, r.stderr)
	}
}

func TestAScriptTakesTheDemoToItsEnd(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, unseenScenario)
	s := script{t, t.TempDir()}
	d := &demoServer{launch(t, nil, "demo", "-addr", "127.0.0.1:0", "-data", s.data, "-scenario", file), ""}
	id := d.quest()["id"].(string)

	s.is(s.run("wait", "-for", "question", id), 0, "question "+id+"-q1 Which moon?\n")
	if r := s.run("status", id[:4]); r.code != 0 || !strings.Contains(r.stdout, "question "+id+"-q1 Which moon?\n  moon.txt\n") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	s.is(s.run("wait", "-timeout", "10ms", id), 6, "")
	s.is(s.run("answer", id, "ours"), 0, "answered "+id+"-q1\n")
	s.is(s.run("answer", id+"-q1", "theirs"), 5, "")
	s.is(s.run("answer", id, "theirs"), 4, "") // no question of it is open
	s.is(s.run("wait", id), 0, "complete "+id+" 2 of 2 steps done")
	s.is(s.run("wait", "-for", "blocked,delivery", id), 0, "delivery "+id)
	s.is(s.run("wait", "-for", "question,abandoned", id), 7, "")
	s.is(s.run("wait", "-json", id), 0, `{"quest":{"id":"`+id+`"`)
	s.is(s.run("status"), 0, "QUEST ")
	d.signal(syscall.SIGTERM)
	if err := d.cmd.Wait(); err != nil {
		t.Error(err)
	}
	s.is(s.run("status"), 3, "")
}

func TestAWaitOutlivesItsServer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	write(t, file, unseenScenario)
	s := script{t, t.TempDir()}
	serve := func() *launched {
		return launch(t, nil, "-addr", "127.0.0.1:0", "-data", s.data, "-agent", "simulated", "-scenario", file)
	}
	first := serve()
	id := first.begin(apiRepo(t), `,"approve":[]`)
	s.is(s.run("wait", "-for", "question", id), 0, "question ")

	waits := exec.Command(serverBinary(t), "wait", "-data", s.data, id)
	waits.Env = append(os.Environ(), "QUESTBOARD_TOKEN="+apiToken)
	var out, told lockedBuffer
	waits.Stdout, waits.Stderr = &out, &told
	if err := waits.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = waits.Process.Kill() })
	hears := func(what string) {
		t.Helper()
		poll(t, time.Minute, func() bool { return strings.Contains(told.String(), what) }, told.String)
	}
	hears("needs you: question")
	first.signal(syscall.SIGKILL)
	_ = first.cmd.Wait()
	hears("looking for it")
	serve() // at another port
	hears("the server is back")
	s.is(s.run("answer", id, "ours"), 0, "answered ")
	if err := waits.Wait(); err != nil || !strings.HasPrefix(out.String(), "complete "+id) {
		t.Errorf("%v: %s%s", err, out.String(), told.String())
	}
}

func TestAScriptWithoutTheTokenGetsNothing(t *testing.T) {
	t.Parallel()
	s := startAPI(t, unseenScenario)
	id := s.begin(apiRepo(t), `,"approve":[]`)
	for _, token := range []string{"", "QUESTBOARD_TOKEN=wrong"} {
		for _, args := range [][]string{{"status"}, {"wait", id}, {"answer", id + "-q1", "mine"}} {
			command(t, serverBinary(t), []string{token}, append(args, "-data", s.data)...).fails(t, 5, "QUESTBOARD_TOKEN")
		}
	}
	command(t, serverBinary(t), []string{"QUESTBOARD_URL=http://127.0.0.1:1"}, "status").fails(t, 3, "127.0.0.1:1")
	command(t, serverBinary(t), nil, "status", "-data", t.TempDir()).fails(t, 3, "no server works in")
	command(t, serverBinary(t), []string{"QUESTBOARD_TOKEN=" + apiToken, "QUESTBOARD_URL=" + s.base}, "wait", "nosuch").fails(t, 4, "nosuch")
}
