// Package process starts programs and ends them. It owns the life of a run's process
// tree and is the only place that kills; what a program prints and what its end means
// is left to the packages above. Every program runs under a small supervisor, our own
// binary, which holds all processes that the program starts:
//
//	server ──life pipe──▶ supervisor (own session, child subreaper) ──▶ program ──▶ …
//	       ◀─status pipe─
//
// The supervisor ends the tree when it is told to, when the program exits and leaves
// something behind, and when the life pipe closes because the server is gone. It exits
// only when no process of the tree is alive, so that a free slot means a free
// workspace. If the server's own cgroup is delegated to it, each program also gets a
// cgroup, and the kernel kills what is in it.
package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"questboard/failpoint"
)

// KillAfter is the default time between TERM and KILL
// (docs/state-machine.md#a-runs-life).
const KillAfter = 5 * time.Second

// Starter starts programs under a supervisor.
type Starter struct {
	// Exe is the binary whose subcommand runs Supervise: our own, as returned by Self.
	Exe string
	// KillAfter is the time between TERM and KILL; 0: the constant KillAfter.
	KillAfter time.Duration
	// Alone uses no cgroups, even if they are available.
	Alone bool
	// Ports gives each program those that its Command asks for, by PortMarker; nil: none.
	Ports *Ports
}

// Subcommand is the first argument of the supervisor. Exe must pass the following
// arguments to Supervise.
const Subcommand = "supervise"

// Command is one program to run.
type Command struct {
	// RunID marks every process of the tree: it is added to Env as RunMarker.
	RunID string
	// Argv is the program and its arguments. A bare name is looked up in the
	// PATH of Env. No shell is involved.
	Argv []string
	// Wrap, if not empty, is a program with arguments that runs Argv in a sandbox:
	// bubblewrap, as package confine calls it. It must accept "--json-status-fd N", and
	// the program after "--".
	Wrap []string
	// Dir is the working directory, absolute.
	Dir string
	// Env is the whole environment, as Environment makes it.
	Env []string
	// Ports is how many ports in a row the program gets; 0: none.
	Ports int
	// Stdin is written to the program, then its standard input is closed.
	Stdin []byte
	// Input, if not nil, is written instead of Stdin, as it comes, until its end. It is
	// closed when the program reads no more.
	Input io.ReadCloser
	// Output reads the program's standard output in its own goroutine until the end. If
	// it returns early, the rest is read and dropped, because a program must never hang
	// on a full pipe. Nil: dropped.
	Output func(io.Reader)
	// Merge sends standard error into Output as well, in order.
	Merge bool
	// Stderr, if not nil, gets a copy of all standard error. The last 256 KiB
	// are kept either way (Exit.Stderr).
	Stderr io.Writer
}

// Start starts the command and returns once the program runs. A *StartError says that
// the program could not be started. After any error no process is left.
func (s Starter) Start(c Command) (*Child, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, &StartError{Reason: "no program named", Err: exec.ErrNotFound}
	}
	if err := checkDir(c.Dir); err != nil {
		return nil, &StartError{Program: c.Argv[0], Reason: err.Error(), Err: err}
	}
	base, free, err := s.Ports.take(c.Ports)
	if err != nil {
		return nil, &StartError{Program: c.Argv[0], Reason: err.Error(), Err: err}
	}
	pipes, err := openPipes(c.Merge)
	if err != nil {
		free()
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	cmd := s.supervisor(c, pipes, base)
	if err = failpoint.At(failpoint.Fork); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		pipes.closeAll()
		free()
		return nil, fmt.Errorf("start supervisor: %w", err)
	}
	failpoint.Pass(failpoint.Forked)
	pipes.closeTheirs()

	child := newChild(cmd, c, pipes, s.killAfter())
	child.free = free
	first, err := child.firstReport()
	if err != nil {
		child.Wait()
		return nil, fmt.Errorf("start %s: %w (%v): %s", c.Argv[0], err, child.cmd.ProcessState, child.stderr.tail())
	}
	if first.Fault != nil {
		child.Wait()
		return nil, first.Fault.asError(c.Argv[0])
	}
	return child, nil
}

// supervisor returns the command line of the supervisor. Its environment is the
// program's own plus one entry that identifies supervisors. base is the first of the
// program's ports; 0: it has none.
func (s Starter) supervisor(c Command, p *pipes, base int) *exec.Cmd {
	args := []string{Subcommand, "-run", c.RunID, "-dir", c.Dir,
		"-kill-after", strconv.FormatInt(s.killAfter().Milliseconds(), 10), "-wrap", strconv.Itoa(len(c.Wrap)),
		"-alone=" + strconv.FormatBool(s.Alone), "--"}
	cmd := exec.Command(s.Exe, slices.Concat(args, c.Wrap, c.Argv)...)
	cmd.Args[0] = os.Args[0] // what ps shows
	cmd.Dir = "/"
	if base != 0 {
		c.Env = append(without(c.Env, PortMarker), PortMarker+"="+strconv.Itoa(base))
	}
	cmd.Env = append(without(c.Env, RunMarker), RunMarker+"="+c.RunID, supervisorMarker+"="+serverID())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.stdin.theirs, p.stdout.theirs, p.stderr.theirs
	cmd.ExtraFiles = []*os.File{p.life.theirs, p.status.theirs} // fds 3 and 4
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func (s Starter) killAfter() time.Duration {
	if s.KillAfter > 0 {
		return s.KillAfter
	}
	return KillAfter
}

func checkDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("working directory: %w", err)
	case !info.IsDir():
		return fmt.Errorf("working directory: %s: %w", dir, syscall.ENOTDIR)
	default:
		return nil
	}
}

// report is one line on the status pipe.
type report struct {
	PID   int         `json:"pid,omitempty"`   // first line: the program runs
	Start uint64      `json:"start,omitempty"` // first line: start time of the supervisor
	Fault *startFault `json:"fault,omitempty"` // first line: why the program does not run
	Exit  *exitReport `json:"exit,omitempty"`  // last line: the whole tree has ended
}

type exitReport struct {
	Code   int  `json:"code"`
	Signal int  `json:"signal"`
	Told   bool `json:"told"`

	Unwrapped bool `json:"unwrapped,omitempty"`
}

var errNoReport = errors.New("the supervisor went away before the program ran")

// startWithin is how long a supervisor may take to report the start. After that, Exe is
// no supervisor at all, or the machine is stuck.
const startWithin = 30 * time.Second

// firstReport waits for the first line of the supervisor and leaves the rest to
// collect.
func (c *Child) firstReport() (report, error) {
	var r report
	_ = c.pipes.status.ours.SetReadDeadline(time.Now().Add(startWithin))
	err := c.status.Decode(&r)
	_ = c.pipes.status.ours.SetReadDeadline(time.Time{})
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errNoReport
	}
	if err != nil {
		_ = c.cmd.Process.Kill()
	}
	c.mark.Start, c.mainPID, c.failed = r.Start, r.PID, r.Fault != nil
	c.collect()
	return r, err
}
