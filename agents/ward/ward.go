// Package ward runs a project's own check command and says what the result means; it
// also runs the command that sets up a new worktree. It owns both: the shell, the
// record in the run's output, the verdict, and the list of faults. Both commands are
// shell command lines, because the user wrote them for their own shell. When a check
// runs is left to the engine.
package ward

import (
	"context"
	"strings"

	"questboard/agents"
	"questboard/orchestration"
)

// Trees identifies the state of a working tree, as workspace.Git does. An empty name
// means that nothing is known.
type Trees interface {
	Fingerprint(ctx context.Context, dir string) (string, error)
}

// Runner runs checks.
type Runner struct {
	Shell
	Trees Trees
}

// Start implements agents.Runner. If there is no command, or if the tree is the one
// that last passed, it passes at once without a process. A command that cannot be
// started is an ending, not an error.
func (r *Runner) Start(ctx context.Context, spec agents.Spec, observer agents.Observer) (agents.Process, error) {
	command, err := r.open("ward", spec, observer)
	if err != nil {
		return nil, err
	}
	c := &check{command: command, faults: newFaults(spec.Dir)}
	c.judge, c.look = c.verdict, c.see
	c.tell("check")
	// Identify the tree before the command runs: later changes have not been checked.
	c.tree, err = r.Trees.Fingerprint(ctx, spec.Dir)
	if err != nil {
		c.log.note("the state of the working tree is not known: " + err.Error())
	}
	if strings.TrimSpace(spec.Command) == "" {
		return c.pass(orchestration.Exit{Why: "no check command is set", NoCheck: true, Tree: c.tree}), nil
	}
	if spec.GreenTree != "" && c.tree == spec.GreenTree {
		return c.pass(orchestration.Exit{Why: "nothing has changed since the check last passed", Tree: c.tree, Reused: true}), nil
	}
	if err := r.run(ctx, c.command); err != nil {
		return nil, err
	}
	return c, nil
}
