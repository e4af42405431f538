package main

import (
	"context"

	"questboard/agents/workspace"
)

// repos tells the pages and the API whether a directory will do for a quest.
type repos struct{ git workspace.Git }

// Check implements handlers.Repos and api.Repos.
func (r repos) Check(ctx context.Context, dir string) (branch string, err error) {
	facts, err := r.git.Check(ctx, dir)
	return facts.Branch, err
}
