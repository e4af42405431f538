package harness_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"questboard/e2e/e2etest"
)

const boardToken = "harness-token-of-a-test-0123456789"

// board is a running Questboard, whose agents are this binary.
type board struct {
	args []string
	exe  string
	data string
	base string

	mu   sync.Mutex
	cmd  *exec.Cmd
	said *bytes.Buffer
}

// newBoard starts a server with an empty data directory. notes is where its agents write.
func newBoard(dir, notes string, slots int) (*board, error) {
	exe, err := e2etest.Server()
	if err != nil {
		return nil, err
	}
	cli, err := standInCLI(dir, notes)
	if err != nil {
		return nil, err
	}
	b := &board{exe: exe, data: filepath.Join(dir, "data"), said: &bytes.Buffer{}}
	b.args = []string{"-data", b.data, "-addr", "127.0.0.1:0", "-agent", "claude", "-claude", cli, "-slots", fmt.Sprint(slots), "-checks", "2",
		"-crash-backoff", "50ms,50ms,50ms", "-backoff", "100ms", "-grace", "1s", "-auth", "token"}
	return b, b.start()
}

// standInCLI writes the program that the server takes for the Claude Code CLI.
func standInCLI(dir, notes string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	cli := filepath.Join(dir, "claude")
	return cli, e2etest.WriteProgram(cli, fmt.Appendf(nil, `#!/bin/sh
case "$1" in
--version) echo '2.1.330 (Claude Code)'; exit ;;
auth) echo '{"loggedIn":true}'; exit ;;
esac
exec '%s' %s '%s' "$@"
`, self, agentCommand, notes), 0o755)
}

// start starts the server on its data, and waits until it is ready.
func (b *board) start() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cmd = exec.Command(b.exe, b.args...)
	b.cmd.Env = append(os.Environ(), "QUESTBOARD_TOKEN="+boardToken, "DISPLAY=")
	b.cmd.Stderr = b.said
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := b.cmd.Start(); err != nil {
		return err
	}
	in := bufio.NewReader(out)
	line, err := in.ReadString('\n')
	u, bad := url.Parse(strings.TrimPrefix(strings.TrimSpace(line), "questboard: "))
	if err != nil || bad != nil || u.Host == "" {
		_ = b.cmd.Wait()
		return fmt.Errorf("the server began with %q\n%s", line, b.said)
	}
	b.base = u.Scheme + "://" + u.Host
	go func() { _, _ = io.Copy(io.Discard, in) }() // ends with the process
	return nil
}

// kill ends the server at once, and starts the next one on its data.
func (b *board) kill() error {
	b.mu.Lock()
	err := b.cmd.Process.Kill()
	_ = b.cmd.Wait()
	b.mu.Unlock()
	if err != nil {
		return err
	}
	return b.start()
}

// stop ends the server as a person does.
func (b *board) stop() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- b.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("the server ended: %w\n%s", err, b.said)
		}
		return nil
	case <-time.After(time.Minute):
		return errors.Join(errors.New("the server does not end"), b.cmd.Process.Kill())
	}
}

func (b *board) address() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.base
}

// ask calls the API.
func (b *board) ask(ctx context.Context, method, path string, body any) (object, error) {
	text := ""
	if body != nil {
		text = jsonText(body)
	}
	q, err := http.NewRequestWithContext(ctx, method, b.address()+"/api/v1"+path, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Authorization", "Bearer "+boardToken)
	if body != nil {
		q.Header.Set("Content-Type", "application/json")
	}
	w, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer w.Body.Close()
	raw, err := io.ReadAll(w.Body)
	if err != nil {
		return nil, err
	}
	if w.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, w.Status, raw)
	}
	var v object
	err = json.Unmarshal(raw, &v)
	return v, err
}
