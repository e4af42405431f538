// Package git starts git, and the user's gh, in a way that an agent or a repository
// cannot turn against us: without a shell, with arguments one by one; in an
// environment that leaves out what belongs to others; with settings that win over
// all that is configured; within a time limit, as a process group that ends as a
// whole; and inside the sandbox, where there is one, whenever the command touches
// files that an agent can change. It also has the locks that a git which outlives
// its server goes on holding.
//
// Which git directory a command works on is for the caller to say, each time; that
// the configuration there is one of ours, too (agents/workspace, view.go).
package git

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

// Runner starts git. Safe for concurrent use.
type Runner struct {
	// Exe is the git binary; empty = "git" on PATH.
	Exe string
	// Environ is the host's environment, as os.Environ gives it; of it git
	// sees only what it needs.
	Environ []string
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

// ErrTooLong: git was ended, for it took longer than Runner.Limit.
var ErrTooLong = errors.New("git took too long and was ended; a file that cannot be read, or a slow disk, may be the cause")

// ErrEnding: git was ended, for the server stops.
var ErrEnding = errors.New("the server stops")

// errNowhere: a git that is not told where its repository is would look for one,
// and obey what it finds.
var errNowhere = errors.New("no git directory is named")

// atTheEnd is how long a command may take once the server stops.
const atTheEnd = 2 * time.Second

// usualLimit is long for any command: a check-out of 50,000 files takes seconds.
const usualLimit = 3 * time.Minute

// quickLimit is how long a command may take for whose answer somebody waits.
const quickLimit = 20 * time.Second

// MaxOutput bounds what is read of git's answers where nothing else does.
const MaxOutput = 64 << 20

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

// writing are settings for commands that change something: what they leave
// behind must not depend on the user's taste.
var writing = []string{
	"-c", "merge.conflictStyle=diff3", "-c", "rerere.enabled=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"-c", "core.safecrlf=false", "-c", "i18n.commitEncoding=UTF-8",
	"-c", "index.version=4", // a third of the size: it is read and written at each step
}

// Command is one call of git.
type Command struct {
	Dir      string   // where it runs
	GitDir   string   // what it works on: it never looks for a repository by itself
	Common   string   // what all working trees share, configuration and all; empty: GitDir has that
	WorkTree string   // whose files it looks at; empty: it looks at none
	Index    string   // another index than that of GitDir
	Limit    int      // bytes of the answer that are wanted
	Env      []string // further variables: identity, settings that -c cannot express
	Args     []string // the command first
	Settings []string // further ones, as -c pairs
	Input    []byte   // for its standard input
	Source   *Command // whose output is its standard input
	Held     *Lock    // lasts as long as git does; may be nil
	Writing  bool     // it changes something
	Online   bool     // it talks to a remote, as the user does
	Users    bool     // it reads the user's own configuration
	Quick    bool     // somebody waits for the answer: it has 20 seconds
	// What it touches, where an agent can change that: then it is confined.
	Reads, Writes []string
}

// Run returns what git prints, also beside an error; cut says that there was
// more than the limit.
func (r Runner) Run(ctx context.Context, c Command) (out []byte, cut bool, err error) {
	if c.GitDir == "" || c.Source != nil && c.Source.GitDir == "" {
		return nil, false, fmt.Errorf("git %s: %w", c.Args[0], errNowhere)
	}
	if !c.Online { // a remote has a limit of the caller's
		var cancel context.CancelFunc
		limit := cmp.Or(r.Limit, usualLimit)
		if c.Quick {
			limit = min(limit, quickLimit)
		}
		ctx, cancel = context.WithTimeoutCause(ctx, limit, ErrTooLong)
		defer cancel()
	}
	ctx, cancel := r.untilTheEnd(ctx)
	defer cancel(nil)
	cmd := r.command(ctx, c)
	var complaint bytes.Buffer
	cmd.Stderr = &limited{w: &complaint, left: 4 << 10}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, false, fmt.Errorf("run git: %w", err)
	}
	ended := func() error { return nil }
	if c.Source != nil {
		if ended, err = r.feed(ctx, cmd, *c.Source); err != nil {
			return nil, false, err
		}
	}
	if err := cmd.Start(); err != nil {
		cancel(nil)
		return nil, false, fmt.Errorf("run git: %w", errors.Join(err, ended()))
	}
	out, err = io.ReadAll(io.LimitReader(pipe, int64(c.Limit)+1))
	if cut = len(out) > c.Limit; cut {
		out = out[:c.Limit]
		cancel(nil) // the rest is not wanted
	}
	waitErr := waited(ctx, cmd)
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
		return out, false, worded(c.Args[0], complaint.String(), errors.Join(waitErr, cause))
	}
	return out, cut, err
}

// untilTheEnd ends a while after the server has begun to stop.
func (r Runner) untilTheEnd(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if r.Ending == nil {
		return ctx, cancel
	}
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-r.Ending:
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
func (r Runner) feed(ctx context.Context, into *exec.Cmd, c Command) (ended func() error, err error) {
	cmd := r.command(ctx, c)
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
		if err := waited(ctx, cmd); err != nil {
			return worded(c.Args[0], complaint.String(), errors.Join(err, context.Cause(ctx)))
		}
		return nil
	}, nil
}

// waited waits for a command whose answer was read. It may have ended well while
// nothing read its complaints to their end: the machine is busy, or something that
// it left behind holds them open. That is no failure, and what is left is ended.
func waited(ctx context.Context, cmd *exec.Cmd) error {
	err := cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		return nil
	}
	return err
}

// command is git in a process group of its own, which ends with it.
func (r Runner) command(ctx context.Context, c Command) *exec.Cmd {
	argv := slices.Concat([]string{r.exe()}, harmless)
	if c.Writing {
		argv = append(argv, writing...)
	}
	argv = slices.Concat(argv, c.Settings, c.Args)
	if r.Confine != nil && len(c.Reads)+len(c.Writes) > 0 {
		argv = append(r.Confine(c.Dir, c.Reads, c.Writes), argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, r.env(c)
	if c.Input != nil {
		cmd.Stdin = bytes.NewReader(c.Input)
	}
	if c.Held != nil {
		cmd.ExtraFiles = []*os.File{c.Held.file}
	}
	endsAsGroup(cmd, c.Online)
	return cmd
}

func worded(command, complaint string, err error) error {
	if strings.Contains(complaint, "not a git repository") {
		return ErrNotGit
	}
	if complaint = PlainLines(complaint); complaint != "" { // a remote's words may be in it
		return fmt.Errorf("git %s: %s (%w)", command, complaint, err)
	}
	return fmt.Errorf("git %s: %w", command, err)
}

func (r Runner) exe() string {
	if r.Exe != "" {
		return r.Exe
	}
	return "git"
}
