package browser_test

import (
	"bufio"
	"bytes"
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
}

// newProduct starts the server on a repository with one commit.
func newProduct(t *testing.T, scenario string) *product {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "scenario.yaml")
	if err := os.WriteFile(file, []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := os.Getenv("QUESTBOARD_TEST_SERVER")
	if binary == "" {
		binary = filepath.Join(dir, "server")
		if out, err := exec.Command("go", "build", "-o", binary, "questboard/cmd/server").CombinedOutput(); err != nil {
			t.Fatalf("build the server: %v\n%s", err, out)
		}
	}
	cmd := exec.Command(binary, "-addr", "127.0.0.1:0", "-data", filepath.Join(dir, "data"), "-agent", "simulated", "-scenario", file, "-grace", "1s")
	cmd.Env = append(os.Environ(), "DISPLAY=")
	said := &transcript{}
	cmd.Stderr = said
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		kill := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Errorf("the server ended with %v and said\n%s", err, said)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	p := &product{login: strings.TrimPrefix(strings.TrimSpace(line), "questboard: "), repo: filepath.Join(dir, "repo with a space")}
	p.url, _, _ = strings.Cut(p.login, "/login")
	p.git(t, "init", "-q", "-b", "main", p.repo)
	p.git(t, "-C", p.repo, "commit", "-q", "--allow-empty", "-m", "first")
	return p
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
