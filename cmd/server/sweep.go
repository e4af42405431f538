package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"questboard/agents/confine"
	"questboard/agents/process"
	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// sweepTime bounds the end of what an earlier server left: TERM, KILL after
// 5 s, and two empty looks.
const sweepTime = 30 * time.Second

// sweeper ends what is left of runs from before a restart of the server.
type sweeper struct {
	bootID string
	log    *slog.Logger
}

func (s sweeper) sweep(ctx context.Context, runs []*orchestration.Run) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	marks := make([]process.Mark, len(runs))
	for i, r := range runs {
		marks[i] = process.Mark{BootID: r.BootID, PID: r.PID, RunID: r.ID}
	}
	ended, err := process.Sweep(ctx, s.bootID, marks)
	if ended > 0 {
		s.log.Info("ended what was left of runs from before the restart", "runs", len(runs), "processes", ended)
	}
	return err
}

// tidier sees to the working trees that an earlier server left. Nobody waits
// for it: where a run is about to work, the engine tidies first of its own.
type tidier struct {
	trees  *workspace.Trees
	engine *engine.Engine
	log    *slog.Logger
	data   string // the data directory
	// deletions finishes those that were cut short: they know more of a quest
	// that is gone than what lies about.
	deletions func(context.Context)
}

// tidy goes through all quests that have trees, until ctx ends.
func (t tidier) tidy(ctx context.Context) {
	if err := t.trees.SweepGone(); err != nil {
		t.log.Warn("remove what was left of git directories of deleted quests", "error", err)
	}
	t.deletions(ctx)
	t.homes(ctx)
	all, err := t.trees.Orphans(func(string) bool { return false })
	if err != nil {
		t.log.Warn("look for working trees", "error", err)
	}
	for _, quest := range all {
		if ctx.Err() != nil {
			return
		}
		err := t.engine.Tidy(ctx, quest)
		switch {
		case err == nil, ctx.Err() != nil:
		case orchestration.CodeOf(err) == orchestration.CodeNotFound:
			t.orphan(ctx, quest)
		default:
			t.log.Warn("tidy up working trees", "quest", quest, "error", err)
		}
	}
}

// homes removes those of quests that are gone: a server may have died between
// the two.
func (t tidier) homes(ctx context.Context) {
	for _, quest := range confine.Homes(t.data) {
		if _, err := t.engine.Quest(ctx, quest); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			continue
		}
		if err := forgetHome(t.data, quest); err != nil {
			t.log.Warn("tidy up homes", "quest", quest, "error", err)
		}
	}
}

// orphan sees to the trees of a quest that nobody knows, say of one whose
// deletion was cut short. They are given up, and all that is in no branch
// is kept in the quest's git directory. What is in no repository is told and left alone.
func (t tidier) orphan(ctx context.Context, quest string) {
	repo, _ := t.trees.Repository(quest) // unknown is an answer, too
	var err error
	if repo != "" {
		if err = t.trees.Forget(ctx, workspace.Ref{Quest: quest, Repo: repo}, workspace.Forgetting{}); err == nil {
			t.log.Info("gave up the working trees of a quest that is gone", "quest", quest, "repository", repo,
				"kept", filepath.Join(t.trees.Git.Dir, quest))
		}
	}
	dir := filepath.Join(t.trees.Root, quest)
	if gone := os.Remove(dir); gone == nil || errors.Is(gone, os.ErrNotExist) || ctx.Err() != nil { // only where it is empty
		return
	}
	t.log.Warn("a folder of working trees belongs to no quest", "folder", dir, "repository", repo,
		"remedy", "if nothing in it is wanted, delete the folder", "error", err)
}
