package main

import (
	"context"

	"questboard/agents/process"
	"questboard/agents/simulated"
)

// supervise is what package process starts every program under: this binary
// again. It is not for people and reads its own arguments.
func supervise(_ context.Context, args []string, _ world) error {
	return exited(process.Supervise(args))
}

// simulatedAgent is the program that the adapter of the simulated agent
// starts. It is not for people and reads its own arguments.
func simulatedAgent(_ context.Context, args []string, w world) error {
	return exited(simulated.Main(args, w.stdin, w.stdout, w.stderr, w.getenv))
}
