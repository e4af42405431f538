package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"questboard/agents"
	"questboard/agents/confine"
	"questboard/agents/simulated"
	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// Worktrees lets pages and API work with the git side of quests in worktree mode. It
// implements Trees.
type Worktrees struct {
	Trees *workspace.Trees
	// Submit is the engine's method.
	Submit func(ctx context.Context, quest, actor string, input orchestration.InputKind) (*orchestration.Quest, error)
	// Elsewhere returns the folder where a step of a quest on another host works. Nil: there is
	// no other host.
	Elsewhere func(q *orchestration.Quest, step string) string
	Data      string // the data directory
	Simulated string // where the simulated agent keeps its state
}

func inTrees(q *orchestration.Quest) bool { return q.Workspace == orchestration.WorkspaceWorktree }

// refOf names a quest in its repository. Its Branch is the base that the quest starts
// from. What the repository's own file says holds for the commit that it was read from.
func refOf(q *orchestration.Quest) workspace.Ref {
	ref := workspace.Ref{Quest: q.ID, Repo: q.Repo, Base: q.Branch}
	if q.File != nil {
		ref.Start = q.File.Commit
	}
	return ref
}

// beginningOf also names work of the quest. With a database from elsewhere it would otherwise
// begin again, without what its steps have done.
func beginningOf(q *orchestration.Quest) workspace.Ref {
	ref := refOf(q)
	for _, r := range q.Runs.All() {
		ref.Work = cmp.Or(r.Commit, ref.Work)
	}
	return ref
}

// Diff implements Trees.
func (w Worktrees) Diff(ctx context.Context, q *orchestration.Quest, step string) ([]byte, bool, error) {
	if !inTrees(q) {
		return nil, false, noDiff(q)
	}
	var patch []byte
	var cut bool
	var err error
	if step == "" {
		patch, cut, err = w.Trees.QuestDiff(ctx, refOf(q))
	} else {
		patch, cut, err = w.Trees.Diff(ctx, refOf(q), step)
	}
	if err != nil {
		return nil, false, notShown(ctx, q, err)
	}
	return patch, cut, nil
}

// DiffOf implements Trees.
func (w Worktrees) DiffOf(ctx context.Context, q *orchestration.Quest, step string, around int, names []string) ([]byte, bool, error) {
	if !inTrees(q) || len(names) == 0 {
		return nil, false, refuse(orchestration.CodeNotFound, "there is no diff of these files")
	}
	patch, cut, err := w.Trees.DiffOf(ctx, refOf(q), step, around, names)
	if err != nil {
		return nil, false, notShown(ctx, q, err)
	}
	return patch, cut, nil
}

// Writers implements Trees.
func (w Worktrees) Writers(ctx context.Context, q *orchestration.Quest, name string) ([]string, error) {
	if !inTrees(q) {
		return nil, noDiff(q)
	}
	commits, err := w.Trees.Writers(ctx, refOf(q), name)
	if err != nil {
		return nil, notShown(ctx, q, err)
	}
	return commits, nil
}

// Extent implements Trees.
func (w Worktrees) Extent(ctx context.Context, q *orchestration.Quest) (record.Extent, error) {
	if !inTrees(q) {
		return record.Extent{}, noDiff(q)
	}
	e, err := w.Trees.Extent(ctx, refOf(q))
	if err != nil {
		return record.Extent{}, notShown(ctx, q, err)
	}
	return e, nil
}

func noDiff(q *orchestration.Quest) error {
	return conflict("the agents of this quest work in the repository itself, so it has no diff of its own: see git diff in %s", q.Repo)
}

// notShown says why git did not show what a quest changed.
func notShown(ctx context.Context, q *orchestration.Quest, err error) error {
	switch {
	case ctx.Err() != nil:
		return err
	case errors.Is(err, workspace.ErrNotBegun):
		return refuse(orchestration.CodeNotFound, "nothing is changed yet: there is no branch")
	case errors.Is(err, workspace.ErrGone):
		return refuse(orchestration.CodeUnavailable,
			"the repository %s is not there: put it back where it was", q.Repo)
	case errors.Is(err, workspace.ErrNotGit), errors.Is(err, workspace.ErrBare):
		return refuse(orchestration.CodeUnavailable,
			"%s is no longer a repository with a working tree: put back the one in which the quest started", q.Repo)
	default:
		return refuse(orchestration.CodeUnavailable, "git could not show the changes: %s", OneLine(err.Error()))
	}
}

// Stand returns what a prompt says of where a step's branch stands: for a step of the plan
// its base and the work that it does not have, for the review how much has changed.
func (w Worktrees) Stand(ctx context.Context, q *orchestration.Quest, step string) (agents.Stand, error) {
	s := q.Step(step)
	switch {
	case !inTrees(q) || s == nil:
		return agents.Stand{}, nil
	case step == orchestration.StepReview:
		sizes, err := w.Trees.Sizes(ctx, refOf(q))
		var at agents.Stand
		for _, size := range sizes {
			at.Sizes = append(at.Sizes, agents.FileSize(size))
		}
		return at, err
	case s.Whole():
		return agents.Stand{}, nil
	}
	base, missing, err := w.Trees.Stand(ctx, refOf(q), step, q.Finished(step))
	return agents.Stand{Base: base, Missing: missing}, err
}

// Kept lists the work that is not on any branch.
func (w Worktrees) Kept(ctx context.Context, q *orchestration.Quest) ([]record.Kept, error) {
	if !inTrees(q) {
		return nil, nil
	}
	all, err := w.Trees.Kept(ctx, q.Repo, q.ID)
	if err != nil {
		return nil, refusedByGit(q, err)
	}
	return all, nil
}

// Restore makes a branch from kept work of this quest. It refuses other quests' work.
func (w Worktrees) Restore(ctx context.Context, q *orchestration.Quest, ref, branch string) error {
	all, err := w.Kept(ctx, q)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(k record.Kept) bool { return k.Ref == ref }) {
		return refuse(orchestration.CodeNotFound, "this quest has no kept work under that name")
	}
	err = w.Trees.Restore(ctx, q.Repo, ref, branch)
	switch {
	case errors.Is(err, workspace.ErrBranchTaken):
		return refusedAt("branch", "this name is taken or clashes with an existing branch (git cannot have both a and a/b): choose another name")
	case errors.Is(err, workspace.ErrName):
		return refusedAt("branch", "git does not accept this branch name: use letters, digits, - and /")
	case err != nil:
		return refusedByGit(q, err)
	}
	return nil
}

// Root returns the folder of the quest's worktrees; "": they are not on this machine.
func (w Worktrees) Root(q *orchestration.Quest) string {
	if !inTrees(q) || q.Workplace.Host != "" {
		return ""
	}
	return filepath.Join(w.Trees.Root, q.ID)
}

// Place returns the folder where a step works.
func (w Worktrees) Place(q *orchestration.Quest, step string) record.Place {
	place := record.Place{Step: step}
	if host := q.Workplace.Host; host != "" && w.Elsewhere != nil && inTrees(q) {
		place.Host, place.Dir = host, w.Elsewhere(q, step)
		s := q.Step(step)
		place.Exists = place.Dir != "" && s != nil && s.Started && !q.Over() && !q.GivenUp(orchestration.TreeOf(step))
		return place
	}
	if inTrees(q) {
		place.Dir, place.Exists = w.Trees.Place(refOf(q), step)
	}
	return place
}

// Disk returns the size of the quest's worktrees.
func (w Worktrees) Disk(ctx context.Context, q *orchestration.Quest) (int64, error) {
	if !inTrees(q) {
		return 0, nil
	}
	return w.Trees.DiskUse(ctx, q.ID)
}

// Forget removes what the agents of a deleted quest have stored, and what the quest
// left in git. If the repository is gone, or became a bare one, work is kept only in the quest's
// own git directory.
func (w Worktrees) Forget(ctx context.Context, d orchestration.Deletion, late bool) error {
	if err := errors.Join(forgetHome(w.Data, d.Quest), simulated.Forget(w.Simulated, d.Quest)); err != nil {
		return err
	}
	if d.Workspace != orchestration.WorkspaceWorktree {
		return nil
	}
	err := w.Trees.Forget(ctx, workspace.Ref{Quest: d.Quest, Repo: d.Repo}, workspace.Forgetting{Branch: true, Unmoved: late})
	if !errors.Is(err, workspace.ErrGone) && !errors.Is(err, workspace.ErrNotGit) && !errors.Is(err, workspace.ErrBare) {
		return err
	}
	// At a start no user is watching, and a disk may not be mounted yet.
	if _, none := os.Lstat(filepath.Join(w.Trees.Root, d.Quest)); late && !errors.Is(none, fs.ErrNotExist) {
		return err
	}
	return w.Trees.RemoveFolder(ctx, d.Quest)
}

// forgetHome removes the quest's home in the sandbox.
func forgetHome(data, quest string) error {
	if err := confine.Forget(data, quest); err != nil {
		return fmt.Errorf("remove the quest's home in the sandbox: %w", err)
	}
	return nil
}
