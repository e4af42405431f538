package process

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Exit is the supervisor's report about the program's end.
type Exit struct {
	// Code is the exit code; -1 if a signal ended the program, or Lost.
	Code int
	// Signal is the signal that ended the program; 0: none.
	Signal syscall.Signal
	// Told: the program was still running when we sent it TERM. False: it left by
	// itself, perhaps within its grace, or somebody else ended it.
	Told bool
	// Lost: the supervisor itself was killed, so how the program ended is unknown.
	// Processes with its marker have been ended.
	Lost bool
	// Unwrapped: the wrapper (Command.Wrap) could not prepare the sandbox, so the
	// program never ran. Standard error says why.
	Unwrapped bool
	// Stderr is the last of standard error, at most 256 KiB.
	Stderr []byte
}

// Child is a started program and everything that it starts.
type Child struct {
	cmd       *exec.Cmd
	pipes     *pipes
	status    *json.Decoder
	mark      Mark
	mainPID   int
	failed    bool // the program never ran: there is no tree to look for
	killAfter time.Duration
	stderr    *ring
	input     io.Closer
	free      func()         // gives its ports back
	ended     chan struct{}  // closed when the supervisor is gone
	readers   sync.WaitGroup // output and standard error
	done      chan struct{}  // closed when exit is valid
	exit      Exit           // written before done is closed

	mu   sync.Mutex
	late *time.Timer // kills a supervisor that does not end; nil: End was not called
	by   time.Time   // when
}

// endsWithin is how long a supervisor may take beyond the time that it was given. One that takes
// longer was stopped by a process of the tree.
const endsWithin = 10 * time.Second

// newChild starts the goroutines that feed and read the child. They end when the
// supervisor is gone and the pipes are empty.
func newChild(cmd *exec.Cmd, c Command, p *pipes, killAfter time.Duration) *Child {
	child := &Child{
		cmd: cmd, pipes: p, status: json.NewDecoder(p.status.ours), killAfter: killAfter,
		mark:   Mark{BootID: BootID(), PID: cmd.Process.Pid, RunID: c.RunID},
		stderr: &ring{max: stderrKept},
		ended:  make(chan struct{}), done: make(chan struct{}),
	}
	if c.Input == nil {
		c.Input = io.NopCloser(bytes.NewReader(c.Stdin))
	}
	child.input = c.Input
	go func() { // ends at the latest when collect closes the pipe and the input
		_, _ = io.Copy(p.stdin.ours, c.Input)
		_ = p.stdin.ours.Close()
		_ = c.Input.Close()
	}()
	child.read(p.stdout, c.Output)
	if p.stderr.ours != nil {
		child.read(p.stderr, func(r io.Reader) {
			to := io.Writer(child.stderr)
			if c.Stderr != nil {
				to = io.MultiWriter(child.stderr, ignoreErrors{c.Stderr})
			}
			_, _ = io.Copy(to, r)
		})
	}
	return child
}

func (c *Child) read(p pipe, fn func(io.Reader)) {
	r := &tailReader{file: p.ours, ended: c.ended, most: widen(p.ours, pipeHolds) / 8}
	stop := make(chan struct{})
	go func() { // ends with the supervisor or with the reader
		select {
		case <-c.ended:
			r.hurry()
		case <-stop:
		}
	}()
	c.readers.Go(func() {
		defer close(stop)
		if fn != nil {
			fn(r)
		}
		_, _ = io.Copy(io.Discard, r)
		_ = p.ours.Close()
	})
}

// PID returns the process id of the supervisor.
func (c *Child) PID() int { return c.mark.PID }

// ProgramPID returns the process id of the program itself.
func (c *Child) ProgramPID() int { return c.mainPID }

// Mark returns what Sweep needs to find the child's tree after a restart of the server.
func (c *Child) Mark() Mark { return c.mark }

// End asks the process tree to end. The program may leave by itself within grace; then
// everything gets TERM and, KillAfter later, KILL. A supervisor that does not do so is killed, and
// we do it. End returns at once and may be called again: the shorter remaining grace wins.
func (c *Child) End(grace time.Duration) {
	// If the write fails, the supervisor is gone already.
	_, _ = c.pipes.life.ours.WriteString(strconv.FormatInt(max(0, grace.Milliseconds()), 10) + "\n")
	c.mu.Lock()
	defer c.mu.Unlock()
	left := max(0, grace) + c.killAfter + endsWithin
	if by := time.Now().Add(left); c.late == nil || by.Before(c.by) {
		if c.late != nil {
			c.late.Stop()
		}
		c.by, c.late = by, time.AfterFunc(left, func() { _ = c.cmd.Process.Kill() }) // collect ends the tree then
	}
}

// Wait blocks until the whole tree has ended and all output was read. Several
// goroutines may call it.
func (c *Child) Wait() Exit {
	<-c.done
	return c.exit
}

// collect waits for the supervisor's end in a goroutine, which ends with it.
func (c *Child) collect() {
	go func() {
		var last report
		err := c.status.Decode(&last)
		if last.Exit != nil {
			_ = c.cmd.Process.Kill() // its last report is in: do not wait for its clean-up
		}
		switch {
		case c.failed:
		case err != nil || last.Exit == nil:
			c.exit = Exit{Code: -1, Lost: true}
			awaitDeath(c.mark.PID)
			endMarked(c.mark, c.killAfter)
		default:
			c.exit = Exit{Code: last.Exit.Code, Signal: syscall.Signal(last.Exit.Signal),
				Told: last.Exit.Told, Unwrapped: last.Exit.Unwrapped}
		}
		_ = c.cmd.Wait() // its own exit code means nothing; from here on another process may have the pid
		close(c.ended)
		_ = c.pipes.stdin.ours.Close()
		_ = c.input.Close()
		c.readers.Wait()
		_ = c.pipes.life.ours.Close()
		_ = c.pipes.status.ours.Close()
		c.exit.Stderr = c.stderr.tail()
		c.free()
		c.mu.Lock()
		if c.late != nil {
			c.late.Stop()
		}
		c.mu.Unlock()
		close(c.done)
	}()
}
