package service

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"questboard/agents/confine"
	"questboard/agents/process"
	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// sweepTime limits the end of what an earlier server left: TERM, KILL after 5 s, and
// two looks that find nothing.
const sweepTime = 30 * time.Second

// Sweeper ends what is left of runs from before a restart of the server.
type Sweeper struct {
	BootID string
	Log    *slog.Logger
}

// Sweep ends these runs' processes and returns once none is alive.
func (s Sweeper) Sweep(ctx context.Context, runs []*orchestration.Run) error {
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	marks := make([]process.Mark, len(runs))
	for i, r := range runs {
		marks[i] = process.Mark{BootID: r.BootID, PID: r.PID, RunID: r.ID}
	}
	ended, err := process.Sweep(ctx, s.BootID, marks)
	if ended > 0 {
		s.Log.Info("ended the processes of runs from before the restart", "runs", len(runs), "processes", ended)
	}
	return err
}

// SweepRun ends what is left of one run of this machine.
func (s Sweeper) SweepRun(ctx context.Context, run string) error {
	return s.Sweep(ctx, []*orchestration.Run{{ID: run, BootID: s.BootID}})
}

// Tidier repairs the working trees that an earlier server left. Nobody waits for it:
// before a run works in a tree, the engine tidies by itself.
type Tidier struct {
	Trees  *workspace.Trees
	Engine *engine.Engine
	Log    *slog.Logger
	Data   string // the data directory
	Trials *WardTrials
	// FinishDeletions finishes incomplete deletions. It comes first, because a deletion
	// knows more about a quest than its remaining files.
	FinishDeletions func(context.Context)
	// Attachments removes what no quest and no form needs.
	Attachments func(context.Context)
}

// Tidy visits all quests that have trees, until ctx ends.
func (t Tidier) Tidy(ctx context.Context) {
	if err := t.Trees.SweepGone(); err != nil {
		t.Log.Warn("remove git directories of deleted quests", "error", err)
	}
	t.FinishDeletions(ctx)
	t.Attachments(ctx)
	t.homes()
	all, err := t.Trees.Quests()
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
			t.unknown(quest)
		default:
			t.Log.Warn("tidy up working trees", "quest", quest, "error", err)
		}
	}
}

// homes removes the homes of trials. A server may have died before it could.
func (t Tidier) homes() {
	for _, name := range confine.Homes(t.Data) {
		if !strings.HasPrefix(name, trialPrefix) || t.Trials.uses(name) {
			continue
		}
		if err := forgetHome(t.Data, name); err != nil {
			t.Log.Warn("clean up homes", "home", name, "error", err)
		}
	}
}

// unknown names the trees of a quest that the database does not know. They stay: the database may
// be an older copy, or another one, and the one that knows the quest may come back. A quest that
// was deleted has no trees any more, or a deletion that the next start finishes.
func (t Tidier) unknown(quest string) {
	dir := filepath.Join(t.Trees.Root, quest)
	if gone := os.Remove(dir); gone == nil || errors.Is(gone, os.ErrNotExist) { // Remove removes only an empty folder
		return
	}
	t.Log.Warn("a folder of working trees belongs to no quest of this database, and stays", "folder", dir,
		"remedy", "if nothing in it is wanted, delete it, and "+filepath.Join(t.Trees.Git.Dir, quest))
}
