package main

import (
	"context"
	"errors"

	"questboard/agents/workspace"
	"questboard/orchestration"
)

// diffs shows the pages and the API what agents changed in worktree mode.
type diffs struct{ trees *workspace.Trees }

// Diff implements handlers.Diffs and api.Diffs.
func (d diffs) Diff(ctx context.Context, q *orchestration.Quest, line string) ([]byte, bool, error) {
	if !inTrees(q) {
		return nil, false, conflict("the agents of this quest work in the repository itself, so it has no diff of its own: see git diff in %s", q.Repo)
	}
	var patch []byte
	var cut bool
	var err error
	if line == "" {
		patch, cut, err = d.trees.QuestDiff(ctx, refOf(q))
	} else {
		patch, cut, err = d.trees.Diff(ctx, refOf(q), line)
	}
	switch {
	case err == nil:
		return patch, cut, nil
	case ctx.Err() != nil:
		return nil, false, err
	case errors.Is(err, workspace.ErrNotBegun):
		return nil, false, refuse(orchestration.CodeNotFound, "nothing is changed yet: there is no branch")
	case errors.Is(err, workspace.ErrGone):
		return nil, false, refuse(orchestration.CodeUnavailable,
			"the repository %s is not there (any more): put it back where it was", q.Repo)
	case errors.Is(err, workspace.ErrNotGit), errors.Is(err, workspace.ErrBare):
		return nil, false, refuse(orchestration.CodeUnavailable,
			"%s is no repository with a working tree any more: put back the one in which the quest began", q.Repo)
	default:
		return nil, false, refuse(orchestration.CodeUnavailable, "git could not show the changes: %s", oneLine(err.Error()))
	}
}
