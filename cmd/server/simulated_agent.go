package main

import (
	"context"

	"questboard/agents/simulated"
)

// simulatedAgent is the program that the adapter of the simulated agent
// starts. It is not for people and reads its own arguments.
func simulatedAgent(_ context.Context, args []string, w world) error {
	return exited(simulated.Main(args, w.stdin, w.stdout, w.stderr, w.getenv))
}
