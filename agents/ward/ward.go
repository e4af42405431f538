// Package ward runs a project's own check command and says what came of it.
// The command is a shell command line by contract: the user wrote it for
// their own shell. It runs under the same supervision as an agent, and its
// whole output is kept as the run's output.
package ward

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"questboard/agents"
	"questboard/agents/process"
	"questboard/agents/runlog"
	"questboard/orchestration"
)

// Timeout is how long a check may take where Runner says nothing
// (state-machine.md: over its own timeout it blocks).
const Timeout = 30 * time.Minute

// Trees names the state of a working tree; workspace.Git does. An empty name
// means that nothing is known.
type Trees interface {
	Fingerprint(ctx context.Context, dir string) (string, error)
}

// Runner runs checks. Its fields are set once; all but Timeout and the ones
// marked optional are needed.
type Runner struct {
	Process process.Starter
	Logs    *runlog.Logs
	Trees   Trees
	Timeout time.Duration // 0 = the constant Timeout
	// Environ is the host's environment; optional: that of this process.
	Environ []string
	// ExtraEnv are further names that the check may see (flag -agent-env).
	ExtraEnv []string
	// Now is the clock; optional: time.Now.
	Now func() time.Time
}

// Start implements agents.Runner. No process starts where no command is
// configured or where the tree is the one that last passed: both pass at once.
// A command that cannot be started is an ending, not an error.
func (r *Runner) Start(ctx context.Context, spec agents.Spec, observer agents.Observer) (agents.Process, error) {
	out, err := r.Logs.Create(spec.RunID)
	if err != nil {
		return nil, fmt.Errorf("start ward: %w", err)
	}
	c := &check{spec: spec, observer: observer, log: record{out}, now: r.now, done: make(chan struct{})}
	c.begin()
	if strings.TrimSpace(spec.Command) == "" {
		return c.settle(orchestration.EndWardPassed, orchestration.Exit{Why: "no check is configured"}), nil
	}
	// The tree is named before the command runs: what the command or anybody
	// else changes meanwhile has not been checked.
	c.tree, err = r.Trees.Fingerprint(ctx, spec.Dir)
	if err != nil {
		c.log.note("the state of the working tree is not known: " + err.Error())
	}
	if spec.GreenTree != "" && c.tree == spec.GreenTree {
		return c.settle(orchestration.EndWardPassed, orchestration.Exit{
			Why: "nothing has changed since the check last passed", Tree: c.tree, Reused: true}), nil
	}
	return r.run(c)
}

func (r *Runner) run(c *check) (agents.Process, error) {
	limit := r.Timeout
	if limit <= 0 {
		limit = Timeout
	}
	c.limit = limit
	child, err := r.Process.Start(process.Command{
		RunID: c.spec.RunID,
		// "--": the command line may begin with a dash.
		Argv:   []string{"/bin/sh", "-c", "--", c.spec.Command},
		Dir:    c.spec.Dir,
		Env:    process.Environment(r.environ(), r.ExtraEnv, nil),
		Output: c.read,
		Merge:  true,
	})
	var fault *process.StartError
	switch {
	case errors.As(err, &fault):
		return c.settle(orchestration.EndWardBroke, orchestration.Exit{Why: "could not be started: " + fault.Reason, Code: -1}), nil
	case err != nil:
		return nil, errors.Join(fmt.Errorf("start ward: %w", err), c.log.out.Close())
	}
	c.child = child
	timer := time.AfterFunc(limit, c.timeOut)
	go func() { // ends with the process tree
		exit := child.Wait()
		timer.Stop()
		c.finish(c.verdict(exit))
	}()
	return c, nil
}

func (r *Runner) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

func (r *Runner) environ() []string {
	if r.Environ != nil {
		return r.Environ
	}
	return os.Environ()
}
