package main

import (
	"context"

	"questboard/agents/process"
)

// supervise is what package process starts every program under: this binary
// again. It is not for people and reads its own arguments.
func supervise(_ context.Context, args []string, _ world) error {
	return exited(process.Supervise(args))
}
