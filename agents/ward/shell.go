package ward

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"questboard/agents"
	"questboard/agents/confine"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/orchestration"
)

// Timeout is the default time limit of a command (a check that takes longer blocks:
// docs/state-machine.md#the-check).
const Timeout = 30 * time.Minute

// Shell runs the user's own shell command lines. Its fields must not change; all except
// Process and Logs are optional.
type Shell struct {
	Process process.Starter
	// Sandbox confines the commands; nil: they have the user's full rights.
	Sandbox *confine.Sandbox
	Logs    *runlog.Logs
	Timeout time.Duration // 0: the constant Timeout
	// Environ is the host's environment; nil: this process's.
	Environ []string
	// ExtraEnv are further names that a command may see (flag -agent-env).
	ExtraEnv []string
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// open prepares a command whose records have that kind.
func (s Shell) open(kind string, spec agents.Spec, observer agents.Observer) (*command, error) {
	out, err := s.Logs.Create(spec.RunID)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", kind, err)
	}
	c := &command{spec: spec, observer: observer, log: record{kind, out}, now: s.Now, limit: cmp.Or(spec.Timeout, s.Timeout),
		done: make(chan struct{})}
	if c.now == nil {
		c.now = time.Now
	}
	if c.limit <= 0 {
		c.limit = Timeout
	}
	c.started = c.now()
	c.log.start(spec.Command, spec.Dir)
	return c, nil
}

// run starts the command line. One that cannot be started is an ending, not an
// error.
func (s Shell) run(ctx context.Context, c *command) error {
	wrap, err := s.Sandbox.Wrap(ctx, c.spec, confine.Needs{})
	if err != nil {
		c.finish(c.judge(broke, orchestration.Exit{Why: err.Error(), Code: -1}))
		return nil
	}
	environ := s.Environ
	if environ == nil {
		environ = os.Environ()
	}
	child, err := s.Process.Start(process.Command{
		RunID: c.spec.RunID,
		Wrap:  wrap,
		// "--": the command line may begin with a dash.
		Argv:   []string{"/bin/sh", "-c", "--", c.spec.Command},
		Dir:    c.spec.Dir,
		Env:    process.Environment(environ, s.ExtraEnv, nil),
		Ports:  c.spec.Ports,
		Output: c.read,
		Merge:  true,
	})
	var fault *process.StartError
	switch {
	case errors.As(err, &fault):
		c.finish(c.judge(broke, orchestration.Exit{Why: "could not be started: " + fault.Reason, Code: -1}))
		return nil
	case err != nil:
		return errors.Join(fmt.Errorf("start %s: %w", c.log.kind, err), c.log.out.Close())
	}
	c.child = child
	go c.watch()
	go func() { // ends with the process tree
		c.finish(c.judge(c.fate(child.Wait())))
	}()
	return nil
}
