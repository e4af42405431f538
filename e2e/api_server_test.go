package e2e_test

import (
	"bufio"
	"bytes"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const apiToken = "0123456789abcdef0123456789abcdef-for-tests"

// apiServer is the built binary with simulated agents, for a test that calls its API as a
// script would.
type apiServer struct {
	t    testing.TB
	base string // http://127.0.0.1:port
	data string
	stop func() // ends the server's process
}

// startAPI starts the server with a scenario and waits for its first line.
func startAPI(t testing.TB, scenario string, flags ...string) *apiServer {
	t.Helper()
	s := &apiServer{t: t, data: t.TempDir()}
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(file, []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-addr", "127.0.0.1:0", "-data", s.data, "-agent", "simulated", "-scenario", file,
		"-auth", "token", "-grace", "1s"}, flags...)
	cmd := exec.Command(serverBinary(t), args...)
	cmd.Env = append(os.Environ(), "QUESTBOARD_TOKEN="+apiToken, "DISPLAY=")
	s.launch(cmd)
	return s
}

// launch starts a server's process, which ends with the test, and waits until it says where it
// listens.
func (s *apiServer) launch(cmd *exec.Cmd) {
	s.t.Helper()
	var said lockedBuffer
	cmd.Stderr = &said
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.stop = sync.OnceFunc(func() { stopServer(s.t, cmd, &said) })
	s.t.Cleanup(s.stop)
	first := make(chan string, 1)
	go func() {
		r := bufio.NewReader(stdout)
		line, _ := r.ReadString('\n')
		first <- line
		_, _ = r.WriteTo(&said) // until the process ends
	}()
	select {
	case line := <-first:
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "questboard: ")
		u, err := url.Parse(text)
		if !ok || err != nil || u.Path != "/login" {
			s.t.Fatalf("the first line is %q\n%s", line, said.String())
		}
		s.base = u.Scheme + "://" + u.Host
	case <-time.After(30 * time.Second):
		s.t.Fatalf("the server says nothing\n%s", said.String())
	}
}

// stopServer ends the server as a user does, and checks that it ends.
func stopServer(t testing.TB, cmd *exec.Cmd, said *lockedBuffer) {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("the server does not end on TERM")
		_ = cmd.Process.Kill()
		<-ended
	}
	if t.Failed() {
		t.Logf("the server said:\n%s", lastLines(said.String(), 30))
	}
}

// lastLines returns the last n lines of a server's log, so that what failed is not lost
// among them.
func lastLines(log string, n int) string {
	lines := strings.SplitAfter(log, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "")
}

// lockedBuffer is a buffer into which two goroutines can write.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
