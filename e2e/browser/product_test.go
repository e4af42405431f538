package browser_test

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// product is the built server with simulated agents, as its user starts it.
type product struct {
	url, login string
	repo       string

	binary string
	args   []string
	cmd    *exec.Cmd
	said   *transcript
}

// newProduct starts the server on a repository with one commit; flags come after
// its own and win.
func newProduct(t *testing.T, scenario string, flags ...string) *product {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "scenario.yaml")
	if err := os.WriteFile(file, []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &product{binary: builtServer(t), repo: filepath.Join(dir, "repo with a space"), said: &transcript{},
		args: append([]string{"-addr", "127.0.0.1:0", "-data", filepath.Join(dir, "data"), "-agent", "simulated", "-scenario", file, "-grace", "1s"}, flags...)}
	p.start(t)
	t.Cleanup(func() { p.stop(t) })
	p.git(t, "init", "-q", "-b", "main", p.repo)
	p.git(t, "-C", p.repo, "commit", "-q", "--allow-empty", "-m", "first")
	return p
}

// start starts the server and waits for the line with its address.
func (p *product) start(t *testing.T) {
	t.Helper()
	p.cmd = exec.Command(p.binary, p.args...)
	p.cmd.Env = append(os.Environ(), "DISPLAY=")
	p.cmd.Stderr = p.said
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, p.said)
	}
	p.login = strings.TrimPrefix(strings.TrimSpace(line), "questboard: ")
	p.url, _, _ = strings.Cut(p.login, "/login")
}

// stop ends the server as its user does.
func (p *product) stop(t *testing.T) {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	kill := time.AfterFunc(30*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	if err := p.cmd.Wait(); err != nil || t.Failed() {
		t.Errorf("the server ended with %v and said\n%s", err, p.said)
	}
}

// kill ends the server with SIGKILL.
func (p *product) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // it says that it was killed
}

// startAgain starts the server where it was, and returns when it was ready.
func (p *product) startAgain(t *testing.T) time.Time {
	t.Helper()
	where := p.url
	p.args = append(p.args, "-addr", strings.TrimPrefix(where, "http://"))
	p.start(t)
	if p.url != where {
		t.Fatalf("the server is at %s now, not at %s", p.url, where)
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		response, err := http.Get(p.url + "/readyz")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return time.Now()
			}
		}
	}
	t.Fatalf("the server is not ready\n%s", p.said)
	return time.Time{}
}

func (p *product) git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// transcript is what a server says while others read it.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *transcript) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
