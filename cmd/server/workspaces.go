package main

import (
	"context"

	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// workspaces gives the engine the working trees of every quest.
type workspaces struct{ workspace.Shared }

// Settle leaves a shared tree as it is.
func (workspaces) Settle(context.Context, *orchestration.Quest, *orchestration.Run) (engine.Settled, error) {
	return engine.Settled{}, nil
}

// Merge has nothing to merge in a shared tree.
func (workspaces) Merge(_ context.Context, _ *orchestration.Quest, line string) orchestration.MergeEnded {
	return orchestration.MergeEnded{Line: line, Outcome: orchestration.MergeBroke, Why: "a shared tree has nothing to merge"}
}
