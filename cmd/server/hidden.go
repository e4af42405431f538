package main

import (
	"context"

	"questboard/agents/process"
	"questboard/agents/simulated"
)

// supervise is the command that package process starts for every program: this binary
// again, as a supervisor. It is internal and reads its own arguments.
func supervise(_ context.Context, args []string, _ world) error {
	return exited(process.Supervise(args))
}

// simulatedAgent is the command of the simulated agent. It is internal and reads its own
// arguments.
func simulatedAgent(_ context.Context, args []string, w world) error {
	return exited(simulated.Main(args, w.stdin, w.stdout, w.stderr, w.getenv))
}
