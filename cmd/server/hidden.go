package main

import (
	"context"

	"questboard/agents/process"
	"questboard/agents/simulated"
)

// supervise is the command that package process starts for every program: this binary
// again, as a supervisor. It is internal and reads its own arguments.
func supervise(_ context.Context, c call) error {
	return exited(process.Supervise(c.args))
}

// simulatedAgent is the command of the simulated agent. It is internal and reads its own
// arguments.
func simulatedAgent(_ context.Context, c call) error {
	return exited(simulated.Main(c.args, c.stdin, c.stdout, c.stderr, c.getenv))
}
