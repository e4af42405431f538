package main

import (
	"context"
	"errors"
	"fmt"

	"questboard/agents/ward"
	"questboard/agents/workspace"
	"questboard/handlers"
	"questboard/orchestration"
)

// repos tells the pages and the API whether a directory will do for a quest.
type repos struct {
	git    workspace.Git
	recent *recentWants
}

// Look implements handlers.Repos.
func (r repos) Look(ctx context.Context, dir string) (handlers.Repository, error) {
	facts, err := r.git.Check(ctx, dir)
	var fault *workspace.Fault
	switch {
	case errors.As(err, &fault):
		return handlers.Repository{Path: facts.Path, Fault: fault.Reason}, nil
	case err != nil:
		return handlers.Repository{}, err
	}
	return handlers.Repository{Path: facts.Path, Branch: facts.Branch, NoTrees: noTrees(facts), Changed: facts.Changed,
		Submodules: facts.Submodules, LFS: facts.LFS, Checks: ward.Suggest(facts.Path)}, nil
}

// Wants implements handlers.Repos and api.Repos.
func (r repos) Wants(dir string) (orchestration.Wants, error) { return wantsOf(dir) }

// LatelyWanted implements handlers.Repos.
func (r repos) LatelyWanted(dir string) (orchestration.Wants, error) { return r.recent.read(dir) }

// noTrees says why steps cannot have trees of their own; "" where they can.
func noTrees(facts workspace.Facts) string {
	if !facts.Commits {
		return fmt.Sprintf("%s has no commit yet, and a worktree starts from one: make a first commit there, or let the agents work in the repository itself", facts.Path)
	}
	return ""
}

// Settle implements handlers.Repos and api.Repos.
func (r repos) Settle(ctx context.Context, n orchestration.NewQuest) (orchestration.NewQuest, error) {
	facts, err := r.git.Check(ctx, n.Repo)
	var fault *workspace.Fault
	switch {
	case errors.As(err, &fault):
		return n, refusedAt("repo", fault.Reason)
	case err != nil:
		return n, err
	}
	n.Repo = facts.Path
	why := noTrees(facts)
	if n.Workspace == "" {
		n.Workspace = orchestration.WorkspaceWorktree
		if why != "" {
			n.Workspace = orchestration.WorkspaceShared
		}
	}
	if n.Workspace != orchestration.WorkspaceWorktree {
		if n.Branch != "" {
			return n, refusedAt("base", "agents that work in the repository itself start from what is checked out there: leave the base out, or choose worktrees")
		}
		n.Branch = facts.Branch
		return n, nil
	}
	if why != "" {
		return n, refusedAt("workspace", why)
	}
	base, err := r.git.Base(ctx, facts.Path, n.Branch)
	if errors.Is(err, workspace.ErrNoRevision) {
		return n, refusedAt("base", fmt.Sprintf("there is no branch or commit %q in %s", n.Branch, facts.Path))
	}
	n.Branch = base
	return n, err
}

// refusedAt is the refusal of one field.
func refusedAt(field, why string) error {
	return &orchestration.Error{Code: orchestration.CodeInvalid, Message: field + ": " + why, Fields: map[string]string{field: why}}
}
