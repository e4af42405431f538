// Package git starts git, and the user's gh, in a way that no agent or repository can
// misuse. It uses no shell and passes each argument by itself. The environment contains
// only variables that git needs, and our settings override all others. A command has a
// time limit and a process group that ends as a whole. If there is a sandbox, every
// command that touches files that an agent can change runs in it. The package also has
// locks, which a git process keeps if its server dies.
//
// The caller says which git directory a command works on, and makes sure that its
// configuration is ours (agents/workspace, view.go).
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
	// Exe is the git binary; empty: "git" on PATH.
	Exe string
	// Environ is the host's environment, as os.Environ returns it. git sees only the
	// part that it needs.
	Environ []string
	// Limit is the time limit of one command; 0: three minutes.
	Limit time.Duration
	// Ending is closed when the server begins to stop. A running command then has two
	// more seconds; the next start repairs what it leaves half-done. May be nil.
	Ending <-chan struct{}
	// Confine returns the command line to put before git's own if git touches what an
	// agent can change. It works in dir and sees only the given paths of the user's
	// files. Nil: there is no sandbox.
	Confine func(dir string, reads, writes []string) []string
}

// ErrNotGit: the directory is in no git repository.
var ErrNotGit = errors.New("not a git repository")

// ErrTooLong: git was ended because it took longer than Runner.Limit.
var ErrTooLong = errors.New("git took too long and was ended; a file that cannot be read, or a slow disk, may be the cause")

// ErrEnding: git was ended because the server stops.
var ErrEnding = errors.New("the server stops")

// errNowhere: no git directory was named. git would look for one itself and obey what
// it finds.
var errNowhere = errors.New("no git directory is named")

// atTheEnd is the time that a command has once the server stops.
const atTheEnd = 2 * time.Second

// usualLimit is plenty for any command: a check-out of 50,000 files takes seconds.
const usualLimit = 3 * time.Minute

// quickLimit is the time limit of a command while a person waits for the answer.
const quickLimit = 20 * time.Second

// MaxOutput is the default limit for git's output.
const MaxOutput = 64 << 20

// harmless are settings that override all others.
var harmless = []string{
	"--no-pager", "--no-optional-locks", // never writes the index
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.attributesFile=/dev/null",
	"-c", "core.quotePath=false",
	"-c", "log.showSignature=false",
	"-c", "core.bigFileThreshold=32m", // larger files are streamed, and count as binary in a diff, so that git does not load them into memory
}

// writing are settings for commands that change something: the result must not depend
// on the user's preferences.
var writing = []string{
	"-c", "merge.conflictStyle=diff3", "-c", "rerere.enabled=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"-c", "core.safecrlf=false", "-c", "i18n.commitEncoding=UTF-8",
	"-c", "index.version=4", // a third of the size; the index is read and written at each step
}

// Command is one call of git.
type Command struct {
	Dir      string    // where it runs
	GitDir   string    // the git directory; git never looks for one by itself
	Common   string    // the part that all working trees share, including the configuration; empty: it is in GitDir
	WorkTree string    // the files that it looks at; empty: none
	Index    string    // another index than GitDir's
	Limit    int       // the most bytes of output to return
	Env      []string  // further variables: identity, settings that -c cannot express
	Args     []string  // the command first
	Settings []string  // further settings, as -c pairs
	Input    []byte    // standard input
	Source   *Command  // a command whose output is its standard input
	From     io.Reader // standard input that does not fit into memory
	Held     *Lock     // a lock that lasts as long as git does; may be nil
	Writing  bool      // it changes something
	Online   bool      // it talks to a remote, as the user does
	Users    bool      // it obeys the user's own configuration
	Quick    bool      // a person waits for the answer: the limit is 20 seconds
	// Paths that the command touches and that an agent can change. If there are any, the
	// command runs in the sandbox.
	Reads, Writes []string
	// To gets the output, at most Limit bytes, instead of the caller. Nil: Run returns it.
	To io.Writer
}

// Run returns git's output, even with an error. cut says that there was more than the
// limit.
func (r Runner) Run(ctx context.Context, c Command) (out []byte, cut bool, err error) {
	if c.GitDir == "" || c.Source != nil && c.Source.GitDir == "" {
		return nil, false, fmt.Errorf("git %s: %w", c.Args[0], errNowhere)
	}
	if !c.Online { // with a remote the caller sets the limit
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
	if out, cut, err = c.read(pipe); cut {
		cancel(nil) // the rest is not needed
	}
	waitErr := waited(ctx, cmd)
	cause := context.Cause(ctx)
	if waitErr == nil {
		waitErr = ended()
	} else {
		cancel(nil)
		_ = ended() // it fails, because nobody reads its output
	}
	if cause != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // also kills what git had started
	}
	if c.Held != nil && c.Writing && (cause != nil || killed(waitErr)) {
		c.Held.Cut()
	}
	if waitErr != nil && !cut {
		return out, false, worded(c.Args[0], complaint.String(), errors.Join(waitErr, cause))
	}
	return out, cut, err
}

// killed reports whether a signal ended git. A sandbox around it says so as 128 and the number of
// the signal; git's own errors are below 130.
func killed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && (exit.ExitCode() == -1 || exit.ExitCode() >= 130)
}

// read reads the output up to the limit.
func (c Command) read(from io.Reader) (out []byte, cut bool, err error) {
	if c.To == nil {
		out, err = io.ReadAll(io.LimitReader(from, int64(c.Limit)+1))
		return out[:min(len(out), c.Limit)], len(out) > c.Limit, err
	}
	if _, err = io.CopyN(c.To, from, int64(c.Limit)); errors.Is(err, io.EOF) {
		return nil, false, nil
	} else if err != nil {
		return nil, false, err
	}
	more, _ := io.CopyN(io.Discard, from, 1)
	return nil, more > 0, err
}

// untilTheEnd returns a context that ends shortly after the server begins to stop.
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

// feed starts a command that writes to another's standard input, and returns a function
// that waits for its end.
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

// waited waits for a command whose answer was read. A command may succeed although its
// standard error was not read to the end: the machine is busy, or a process that it left
// behind holds the pipe open. That is not a failure, and the process left behind is
// killed.
func waited(ctx context.Context, cmd *exec.Cmd) error {
	err := cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		return nil
	}
	return err
}

// command returns a git command in its own process group, which ends with it.
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
	} else if c.From != nil {
		cmd.Stdin = c.From
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
	if complaint = PlainLines(complaint); complaint != "" { // it may contain text from a remote
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
