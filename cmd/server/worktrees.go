package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"questboard/agents/simulated"
	"questboard/agents/workspace"
	"questboard/failpoint"
	"questboard/orchestration"
)

// worktrees is what pages and API do with the work of quests in worktree mode.
// It implements handlers.Trees and api.Trees.
type worktrees struct {
	trees   *workspace.Trees
	records records
	data    string // the data directory
}

// records is what the adapter needs of the engine.
type records interface {
	Submit(ctx context.Context, quest, actor string, fact orchestration.Fact) (*orchestration.Quest, error)
}

// How long git may take for what a person waits for. It goes on where the
// person does not: a browser that was closed must not leave half a delivery.
const (
	deliverTime = 5 * time.Minute
	pushTime    = 2 * time.Minute
)

func inTrees(q *orchestration.Quest) bool { return q.Workspace == orchestration.WorkspaceWorktree }

// Deliver brings the work to its base branch and records that. Git comes
// first: after a crash in between, a repeat finds that the work has arrived.
func (w worktrees) Deliver(ctx context.Context, q *orchestration.Quest, actor, how, message string) (*orchestration.Quest, error) {
	if err := mustBeComplete(q); err != nil {
		return q, err
	}
	if q.Delivered != nil {
		return q, nil
	}
	if strings.TrimSpace(message) == "" {
		message = q.Title
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deliverTime)
	defer cancel()
	commit, err := w.trees.Deliver(ctx, refOf(q), workspace.How(how), message)
	if err != nil {
		return q, refusedByGit(q, err)
	}
	if err := failpoint.At(failpoint.Delivered); err != nil {
		return q, err
	}
	now, err := w.records.Submit(ctx, q.ID, actor, orchestration.QuestDelivered{How: how, Branch: q.Branch, Commit: commit})
	if orchestration.CodeOf(err) == orchestration.CodeConflict {
		err = conflict("%s has the work now (%.12s), but comments opened the quest again meanwhile: deliver what follows once it is complete", q.Branch, commit)
	}
	return now, err
}

// Push pushes the quest's branch and opens a pull request. Where that cannot be
// done, it says what a person can run instead.
func (w worktrees) Push(ctx context.Context, q *orchestration.Quest) (orchestration.Pushed, error) {
	if err := mustBeComplete(q); err != nil {
		return orchestration.Pushed{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pushTime)
	defer cancel()
	var done orchestration.Pushed
	var err error
	if done.Branch, done.Remote, err = w.trees.Push(ctx, refOf(q)); err != nil {
		return done, w.notPushed(ctx, q, err)
	}
	if done.PullRequest, err = w.trees.PullRequest(ctx, refOf(q), q.Title, q.Request+"\n\n---\n\n"+q.Report()); err == nil {
		return done, nil
	}
	done.Note = wordsOf(q, err)
	if done.Command, err = w.trees.PullCommand(ctx, refOf(q), q.Title); errors.Is(err, workspace.ErrNoBranch) {
		done.Note = "the quest started from a commit, so there is no branch that a pull request could go into"
	}
	return done, nil
}

func (w worktrees) notPushed(ctx context.Context, q *orchestration.Quest, err error) error {
	command, none := w.trees.PushCommand(ctx, refOf(q))
	if none != nil {
		return refusedByGit(q, err)
	}
	return conflict("%s. By hand: %s", wordsOf(q, err), command)
}

// Patch is the quest's change, for "git apply".
func (w worktrees) Patch(ctx context.Context, q *orchestration.Quest) ([]byte, error) {
	if err := mustHaveTrees(q); err != nil {
		return nil, err
	}
	patch, err := w.trees.Patch(ctx, refOf(q))
	if err != nil {
		return nil, refusedByGit(q, err)
	}
	return patch, nil
}

// Kept lists the work that is in no branch any more.
func (w worktrees) Kept(ctx context.Context, q *orchestration.Quest) ([]orchestration.Kept, error) {
	if !inTrees(q) {
		return nil, nil
	}
	all, err := w.trees.Kept(ctx, q.Repo, q.ID)
	if err != nil {
		return nil, refusedByGit(q, err)
	}
	return all, nil
}

// Restore makes a branch of what was kept of this quest, and of no other.
func (w worktrees) Restore(ctx context.Context, q *orchestration.Quest, ref, branch string) error {
	all, err := w.Kept(ctx, q)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(k orchestration.Kept) bool { return k.Ref == ref }) {
		return refuse(orchestration.CodeNotFound, "nothing of this quest is kept under that name")
	}
	err = w.trees.Restore(ctx, q.Repo, ref, branch)
	switch {
	case errors.Is(err, workspace.ErrBranchTaken):
		return refusedAt("branch", "there is a branch of this name, or one that it would be a part of: take another name")
	case errors.Is(err, workspace.ErrName):
		return refusedAt("branch", "git takes no branch of this name: use letters, digits, - and /")
	case err != nil:
		return refusedByGit(q, err)
	}
	return nil
}

// Root is the folder of the quest's worktrees.
func (w worktrees) Root(q *orchestration.Quest) string {
	if !inTrees(q) {
		return ""
	}
	return filepath.Join(w.trees.Root, q.ID)
}

// Place is where a line works.
func (w worktrees) Place(q *orchestration.Quest, line string) orchestration.Place {
	place := orchestration.Place{Line: line}
	if inTrees(q) {
		place.Dir, place.Exists = w.trees.Place(refOf(q), line)
	}
	return place
}

// Disk is what the quest's worktrees take.
func (w worktrees) Disk(ctx context.Context, q *orchestration.Quest) (int64, error) {
	if !inTrees(q) {
		return 0, nil
	}
	return w.trees.DiskUse(ctx, q.ID)
}

// Forget removes what the agents of a deleted quest have kept, and what it has
// left in git. Where the repository is gone, work is kept in the quest's own git
// directory alone.
func (w worktrees) Forget(ctx context.Context, d orchestration.Deletion, late bool) error {
	if err := errors.Join(forgetHome(w.data, d.Quest), simulated.Forget(simulatedDir(w.data), d.Quest)); err != nil {
		return err
	}
	if d.Workspace != orchestration.WorkspaceWorktree {
		return nil
	}
	err := w.trees.Forget(ctx, workspace.Ref{Quest: d.Quest, Repo: d.Repo}, workspace.Forgetting{Branch: true, Unmoved: late})
	if !errors.Is(err, workspace.ErrGone) && !errors.Is(err, workspace.ErrNotGit) {
		return err
	}
	// Nobody looks on at a start, and a disk may not be mounted yet.
	if _, none := os.Lstat(filepath.Join(w.trees.Root, d.Quest)); late && !errors.Is(none, fs.ErrNotExist) {
		return err
	}
	return w.trees.RemoveFolder(ctx, d.Quest)
}
