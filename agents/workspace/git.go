// Package workspace gives quests their working trees and answers questions
// about them by asking git. Git that it starts reads a configuration which we
// wrote, in a folder of ours (view.go), and no other: nothing that a repository
// or an agent configures is heeded. It runs without a shell, within a time limit
// and, where there is a sandbox, inside it whenever it touches files that an
// agent can change.
package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Git asks git about working trees. Safe for concurrent use.
type Git struct {
	// Exe is the git binary; empty = "git" on PATH.
	Exe string
	// Environ is the host's environment, as os.Environ gives it; of it git
	// sees only what it needs.
	Environ []string
	// Dir is our folder for git directories and their settings: absolute, <data>/git.
	Dir string
	// Limit is how long one command may take; 0: three minutes.
	Limit time.Duration
	// Ending is closed when the server begins to stop: then a command has two more
	// seconds. What it leaves half done is made good at the next start. May be nil.
	Ending <-chan struct{}
	// Confine returns the command line that git's own follows where it touches
	// what an agent can change. It works in dir, and sees nothing of the user's
	// but the given paths. Nil: there is no sandbox.
	Confine func(dir string, reads, writes []string) []string
}

// ErrNotGit: the directory belongs to no git repository.
var ErrNotGit = errors.New("not a git repository")

// ErrTooLong: git was ended, for it took longer than Git.Limit.
var ErrTooLong = errors.New("git took too long and was ended; a file that cannot be read, or a slow disk, may be the cause")

// ErrEnding: git was ended, for the server stops.
var ErrEnding = errors.New("the server stops")

// atTheEnd is how long a command may take once the server stops.
const atTheEnd = 2 * time.Second

// usualLimit is long for any command: a check-out of 50,000 files takes seconds.
const usualLimit = 3 * time.Minute

// lookLimit is how long git may look at a user's repository.
const lookLimit = 20 * time.Second

// maxOutput bounds what is read of git's answers where nothing else does.
const maxOutput = 64 << 20

// harmless are settings that win over all others.
var harmless = []string{
	"--no-pager", "--no-optional-locks", // never writes the index
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.attributesFile=/dev/null",
	"-c", "core.quotePath=false",
	"-c", "log.showSignature=false",
	"-c", "core.bigFileThreshold=32m", // larger files are streamed, and binary to a diff: git must not hold them in memory
}

// question is one call of git.
type question struct {
	dir      string
	limit    int       // bytes of the answer that are wanted
	env      []string  // where the repository is, and settings that -c cannot express
	args     []string  // the command first
	settings []string  // further ones, as -c pairs
	input    []byte    // for its standard input
	source   *question // whose output is its standard input
	held     *os.File  // a lock that lasts as long as git does
	online   bool      // it talks to a remote, as the user does
	users    bool      // it reads the user's own configuration
	look     bool      // somebody waits for the answer: it may take no longer than a look
	// What it touches, where an agent can change that: then it is confined.
	reads, writes []string
}

// ask returns what git prints, also beside an error; cut says that there was
// more than the limit.
func (g Git) ask(ctx context.Context, q question) (out []byte, cut bool, err error) {
	if !q.online { // a remote has a limit of the caller's
		var cancel context.CancelFunc
		limit := cmp.Or(g.Limit, usualLimit)
		if q.look {
			limit = min(limit, lookLimit)
		}
		ctx, cancel = context.WithTimeoutCause(ctx, limit, ErrTooLong)
		defer cancel()
	}
	ctx, cancel := g.untilTheEnd(ctx)
	defer cancel(nil)
	cmd := g.command(ctx, q)
	var complaint bytes.Buffer
	cmd.Stderr = &limited{w: &complaint, left: 4 << 10}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, false, fmt.Errorf("run git: %w", err)
	}
	ended := func() error { return nil }
	if q.source != nil {
		if ended, err = g.feed(ctx, cmd, *q.source); err != nil {
			return nil, false, err
		}
	}
	if err := cmd.Start(); err != nil {
		cancel(nil)
		return nil, false, fmt.Errorf("run git: %w", errors.Join(err, ended()))
	}
	out, err = io.ReadAll(io.LimitReader(pipe, int64(q.limit)+1))
	if cut = len(out) > q.limit; cut {
		out = out[:q.limit]
		cancel(nil) // the rest is not wanted
	}
	waitErr := exited(cmd)
	cause := context.Cause(ctx)
	if waitErr == nil {
		waitErr = ended()
	} else {
		cancel(nil)
		_ = ended() // it has lost its reader
	}
	if cause != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it had started
	}
	if waitErr != nil && !cut {
		return out, false, worded(q.args[0], complaint.String(), errors.Join(waitErr, cause))
	}
	return out, cut, err
}

// untilTheEnd ends a while after the server has begun to stop.
func (g Git) untilTheEnd(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if g.Ending == nil {
		return ctx, cancel
	}
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-g.Ending:
		}
		select {
		case <-ctx.Done():
		case <-time.After(atTheEnd):
			cancel(ErrEnding)
		}
	}()
	return ctx, cancel
}

// feed starts a command that writes to another's standard input, and returns
// what waits for its end.
func (g Git) feed(ctx context.Context, into *exec.Cmd, q question) (ended func() error, err error) {
	cmd := g.command(ctx, q)
	var complaint bytes.Buffer
	cmd.Stderr = &limited{w: &complaint, left: 4 << 10}
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("run git: %w", err)
	}
	into.Stdin = pipe
	return func() error {
		if err := exited(cmd); err != nil {
			return worded(q.args[0], complaint.String(), errors.Join(err, context.Cause(ctx)))
		}
		return nil
	}, nil
}

// command is git in a process group of its own, which ends with it.
func (g Git) command(ctx context.Context, q question) *exec.Cmd {
	argv := slices.Concat([]string{g.exe()}, harmless, q.settings, q.args)
	if g.Confine != nil && len(q.reads)+len(q.writes) > 0 {
		argv = append(g.Confine(q.dir, q.reads, q.writes), argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = q.dir, append(g.env(q), q.env...)
	if q.input != nil {
		cmd.Stdin = bytes.NewReader(q.input)
	}
	if q.held != nil {
		cmd.ExtraFiles = []*os.File{q.held}
	}
	endsAsGroup(cmd, q.online)
	return cmd
}

// exited waits for a command. One that exited well did what it was told, even if
// something holds its standard error for longer: a program that it left behind, or,
// on a busy machine, a process that the server is about to start.
func exited(cmd *exec.Cmd) error {
	if err := cmd.Wait(); !errors.Is(err, exec.ErrWaitDelay) {
		return err
	}
	return nil
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
