// Package workspace answers questions about working trees by asking git. It
// runs git without a shell and so that nothing a repository brings along is
// executed: no hooks, no fsmonitor, no filters, no pager, no external diff.
package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Git asks git about working trees. Safe for concurrent use.
type Git struct {
	// Exe is the git binary; empty = "git" on PATH.
	Exe string
	// Environ is the host's environment, as os.Environ gives it; of it git
	// sees only what it needs.
	Environ []string
}

// ErrNotGit: the directory belongs to no git repository.
var ErrNotGit = errors.New("not a git repository")

// maxOutput bounds what is read of git's answers where nothing else does.
const maxOutput = 64 << 20

// harmless are settings that win over those of a repository.
var harmless = []string{
	"--no-pager", "--no-optional-locks", // never writes the index
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.quotePath=false",
	"-c", "log.showSignature=false",
	"-c", "core.bigFileThreshold=32m", // larger files are streamed, and binary to a diff: git must not hold them in memory
}

// question is one call of git.
type question struct {
	dir      string
	limit    int      // bytes of the answer that are wanted
	env      []string // settings that -c cannot express
	args     []string // the command first
	settings []string // further ones, as -c pairs
	input    []byte   // for its standard input
	held     *os.File // a lock that lasts as long as git does
	online   bool     // it talks to a remote
}

// ask returns what git prints, also beside an error; cut says that there was
// more than the limit.
func (g Git) ask(ctx context.Context, q question) (out []byte, cut bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, g.exe(), slices.Concat(harmless, q.settings, q.args)...)
	cmd.Dir, cmd.Env = q.dir, append(g.env(q.online), q.env...)
	cmd.WaitDelay = time.Second
	if q.input != nil {
		cmd.Stdin = bytes.NewReader(q.input)
	}
	if q.held != nil {
		cmd.ExtraFiles = []*os.File{q.held}
		endGently(cmd)
	}
	if q.online {
		apart(cmd)
	}
	var complaint bytes.Buffer
	cmd.Stderr = &limited{w: &complaint, left: 4 << 10}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, false, fmt.Errorf("run git: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, false, fmt.Errorf("run git: %w", err)
	}
	out, err = io.ReadAll(io.LimitReader(pipe, int64(q.limit)+1))
	if cut = len(out) > q.limit; cut {
		out = out[:q.limit]
		cancel() // the rest is not wanted
	}
	if waitErr := cmd.Wait(); waitErr != nil && !cut {
		return out, false, worded(q.args[0], complaint.String(), errors.Join(waitErr, context.Cause(ctx)))
	}
	return out, cut, err
}

// ask1 is a question whose answer is one line.
func (g Git) ask1(ctx context.Context, dir string, args ...string) (string, error) {
	out, _, err := g.ask(ctx, question{dir: dir, limit: 64 << 10, args: args})
	return strings.TrimSuffix(string(out), "\n"), err
}

func worded(command, complaint string, err error) error {
	if strings.Contains(complaint, "not a git repository") {
		return ErrNotGit
	}
	if complaint = plainLines(complaint); complaint != "" { // a remote's words may be in it
		return fmt.Errorf("git %s: %s (%w)", command, complaint, err)
	}
	return fmt.Errorf("git %s: %w", command, err)
}

func (g Git) exe() string {
	if g.Exe != "" {
		return g.Exe
	}
	return "git"
}

// limited takes left bytes and drops the rest.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	part := b[:min(len(b), l.left)]
	l.left -= len(part)
	if _, err := l.w.Write(part); err != nil {
		return 0, err
	}
	return len(b), nil
}
