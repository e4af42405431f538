package service

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

// Sweeper ends what is left of runs from before a restart of the server.
type Sweeper struct {
	BootID string
	Log    *slog.Logger
}

// Sweep ends it, and returns once nothing of it lives.
func (s Sweeper) Sweep(ctx context.Context, runs []*orchestration.Run) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	marks := make([]process.Mark, len(runs))
	for i, r := range runs {
		marks[i] = process.Mark{BootID: r.BootID, PID: r.PID, RunID: r.ID}
	}
	ended, err := process.Sweep(ctx, s.BootID, marks)
	if ended > 0 {
		s.Log.Info("ended what was left of runs from before the restart", "runs", len(runs), "processes", ended)
	}
	return err
}

// Tidier sees to the working trees that an earlier server left. Nobody waits
// for it: where a run is about to work, the engine tidies first of its own.
type Tidier struct {
	Trees  *workspace.Trees
	Engine *engine.Engine
	Log    *slog.Logger
	Data   string // the data directory
	// FinishDeletions goes on with those that were cut short: they know more of
	// a quest that is gone than what lies about.
	FinishDeletions func(context.Context)
}

// Tidy goes through all quests that have trees, until ctx ends.
func (t Tidier) Tidy(ctx context.Context) {
	if err := t.Trees.SweepGone(); err != nil {
		t.Log.Warn("remove what was left of git directories of deleted quests", "error", err)
	}
	t.FinishDeletions(ctx)
	t.homes(ctx)
	all, err := t.Trees.Orphans(func(string) bool { return false })
	if err != nil {
		t.Log.Warn("look for working trees", "error", err)
	}
	for _, quest := range all {
		if ctx.Err() != nil {
			return
		}
		err := t.Engine.Tidy(ctx, quest)
		switch {
		case err == nil, ctx.Err() != nil:
		case orchestration.CodeOf(err) == orchestration.CodeNotFound:
			t.orphan(ctx, quest)
		default:
			t.Log.Warn("tidy up working trees", "quest", quest, "error", err)
		}
	}
}

// homes removes those of quests that are gone: a server may have died between
// the two.
func (t Tidier) homes(ctx context.Context) {
	for _, quest := range confine.Homes(t.Data) {
		if _, err := t.Engine.Quest(ctx, quest); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			continue
		}
		if err := forgetHome(t.Data, quest); err != nil {
			t.Log.Warn("tidy up homes", "quest", quest, "error", err)
		}
	}
}

// orphan sees to the trees of a quest that nobody knows, say of one whose
// deletion was cut short. They are given up, and all that is in no branch
// is kept in the quest's git directory. What is in no repository is told and left alone.
func (t Tidier) orphan(ctx context.Context, quest string) {
	repo, _ := t.Trees.Repository(quest) // unknown is an answer, too
	var err error
	if repo != "" {
		if err = t.Trees.Forget(ctx, workspace.Ref{Quest: quest, Repo: repo}, workspace.Forgetting{}); err == nil {
			t.Log.Info("gave up the working trees of a quest that is gone", "quest", quest, "repository", repo,
				"kept", filepath.Join(t.Trees.Git.Dir, quest))
		}
	}
	dir := filepath.Join(t.Trees.Root, quest)
	if gone := os.Remove(dir); gone == nil || errors.Is(gone, os.ErrNotExist) || ctx.Err() != nil { // only where it is empty
		return
	}
	t.Log.Warn("a folder of working trees belongs to no quest", "folder", dir, "repository", repo,
		"remedy", "if nothing in it is wanted, delete the folder", "error", err)
}
