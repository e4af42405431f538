// Package ward runs a project's own check command and says what came of it; it
// also runs the command that sets a new worktree up. Both are shell command
// lines by contract: the user wrote them for their own shell. They run under
// the same supervision as an agent, and all they print is kept as the run's
// output.
package ward

import (
	"context"
	"strings"

	"questboard/agents"
	"questboard/orchestration"
)

// Trees names the state of a working tree; workspace.Git does. An empty name
// means that nothing is known.
type Trees interface {
	Fingerprint(ctx context.Context, dir string) (string, error)
}

// Runner runs checks.
type Runner struct {
	Shell
	Trees Trees
}

// Start implements agents.Runner. No process starts where no command is
// configured or where the tree is the one that last passed: both pass at once.
// A command that cannot be started is an ending, not an error.
func (r *Runner) Start(ctx context.Context, spec agents.Spec, observer agents.Observer) (agents.Process, error) {
	command, err := r.open("ward", spec, observer)
	if err != nil {
		return nil, err
	}
	c := &check{command: command, faults: newFaults(spec.Dir)}
	c.judge, c.look = c.verdict, c.see
	c.tell("check")
	if strings.TrimSpace(spec.Command) == "" {
		return c.pass(orchestration.Exit{Why: "no check is configured", NoCheck: true}), nil
	}
	// The tree is named before the command runs: what the command or anybody
	// else changes meanwhile has not been checked.
	c.tree, err = r.Trees.Fingerprint(ctx, spec.Dir)
	if err != nil {
		c.log.note("the state of the working tree is not known: " + err.Error())
	}
	if spec.GreenTree != "" && c.tree == spec.GreenTree {
		return c.pass(orchestration.Exit{Why: "nothing has changed since the check last passed", Tree: c.tree, Reused: true}), nil
	}
	if err := r.run(ctx, c.command); err != nil {
		return nil, err
	}
	return c, nil
}
