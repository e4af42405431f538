package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

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
}

// tidy goes through all quests that have trees, until ctx ends. Folders of
// quests that nobody knows are told and left alone, for there may be work in them.
func (t tidier) tidy(ctx context.Context) {
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
			t.orphan(quest)
		default:
			t.log.Warn("tidy up working trees", "quest", quest, "error", err)
		}
	}
}

func (t tidier) orphan(quest string) {
	dir := filepath.Join(t.trees.Root, quest)
	err := os.Remove(dir) // only where it is empty
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return
	}
	repo, _ := t.trees.Repository(quest) // unknown is an answer, too
	remedy := "if nothing in it is wanted, delete the folder"
	if repo != "" {
		remedy += `, then run "git worktree prune" in the repository`
	}
	t.log.Warn("a folder of working trees belongs to no quest", "folder", dir, "repository", repo, "remedy", remedy)
}
