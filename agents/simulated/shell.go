package simulated

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// maxOutput is how much of a command's output becomes its result, in bytes.
const maxOutput = 30_000

// shell runs a command line in its own session, as the real CLI's Bash tool does, and
// returns its output. The output goes to a file and not to a pipe, so that a child
// which the command leaves behind does not keep us waiting. When ctx ends, the
// command's group is killed.
func shell(ctx context.Context, dir, command string) (output string, code int, err error) {
	file, err := os.CreateTemp("", "questboard-run-")
	if err != nil {
		return "", 0, fmt.Errorf("make output file: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := os.Remove(file.Name()); err != nil {
		return "", 0, fmt.Errorf("unlink output file: %w", err)
	}
	p, err := startShell(dir, command, file)
	if err != nil {
		return "", 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) })
	defer stop()
	state, err := p.Wait()
	if err != nil {
		return "", 0, fmt.Errorf("wait for command: %w", err)
	}
	raw := make([]byte, maxOutput)
	n, err := file.ReadAt(raw, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", 0, fmt.Errorf("read output: %w", err)
	}
	return string(raw[:n]), state.ExitCode(), nil
}

// spawn starts a command line and leaves it behind.
func spawn(dir, command string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	defer func() { _ = null.Close() }()
	p, err := startShell(dir, command, null)
	if err != nil {
		return err
	}
	return p.Release()
}

func startShell(dir, command string, out *os.File) (*os.Process, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	defer func() { _ = null.Close() }()
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", command}, &os.ProcAttr{
		Dir: dir, Env: os.Environ(), Files: []*os.File{null, out, out},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, fmt.Errorf("start shell: %w", err)
	}
	return p, nil
}
