package e2e_test

import (
	"bufio"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// launched is the built binary, started by a test that also ends it.
type launched struct {
	apiServer
	cmd  *exec.Cmd
	said *lockedBuffer
}

// launch starts the binary and waits for its first line.
func launch(t *testing.T, env []string, args ...string) *launched {
	t.Helper()
	s, err := tryLaunch(t, serverBinary(t), env, args...)
	if err != nil {
		t.Fatalf("read the first line: %v\n%s", err, s.said.String())
	}
	return s
}

// tryLaunch starts a server that may end before it prints anything. The caller must
// wait for it in any case.
func tryLaunch(t *testing.T, exe string, env []string, args ...string) (*launched, error) {
	t.Helper()
	s := &launched{apiServer: apiServer{t: t}, cmd: commandOf(exe, env, args...), said: &lockedBuffer{}}
	s.cmd.Stderr = s.said
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			stopServer(t, s.cmd, s.said)
		}
	})
	in := bufio.NewReader(stdout)
	line, err := in.ReadString('\n')
	if err != nil {
		return s, err
	}
	u, err := url.Parse(strings.TrimPrefix(strings.TrimSpace(line), "questboard: "))
	if err != nil || u.Path != "/login" || u.Query().Get("token") == "" {
		t.Fatalf("the first line is %q", line)
	}
	s.base = u.Scheme + "://" + u.Host
	go func() { _, _ = in.WriteTo(s.said) }() // ends with the process
	return s, nil
}

func serverCommand(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	return commandOf(serverBinary(t), env, args...)
}

func commandOf(exe string, env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), append([]string{"QUESTBOARD_TOKEN=" + apiToken, "DISPLAY="}, env...)...)
	return cmd
}

func (s *launched) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}
