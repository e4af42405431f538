package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"questboard/agents/git"
)

// Forgetting says what is removed besides a quest's worktrees.
type Forgetting struct {
	// Branch: also remove the quest's branch, and with it what Diff, QuestDiff, Patch
	// and Deliver need. If no other branch contains its commits, it is kept first.
	Branch bool
	// Unmoved: do not remove the branch if somebody moved it since we left it.
	Unmoved bool
}

// Forget removes a quest's worktrees: every step's with its branch, as Remove does,
// then the quest's own. It keeps what is uncommitted or unmerged, and Restore brings
// that back. Repeating it is harmless, also after a kill. ErrGone and ErrNotGit: there
// is no repository to keep anything in; see RemoveFolder. ErrInUse: the quest's branch
// is checked out elsewhere, and stays.
func (t *Trees) Forget(ctx context.Context, ref Ref, what Forgetting) error {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return ofQuest("forget", ref.Quest, err)
	}
	defer done()
	if err = r.endTrees(ctx); err == nil && what.Branch {
		err = r.forgetBranch(ctx, what.Unmoved)
	}
	if err == nil && what.Branch {
		err = r.leave(ctx)
	}
	if err != nil {
		return ofQuest("forget", ref.Quest, err)
	}
	return nil
}

func (r *repository) endTrees(ctx context.Context) error {
	if err := r.clearDebris(ctx); err != nil {
		return err
	}
	steps, err := r.stepsNow(ctx)
	if err != nil {
		return err
	}
	var all []error // one tree that cannot be removed must not stop the others
	for _, step := range append(steps, own) {
		tr, err := r.tree(ctx, step)
		if err == nil {
			err = tr.end(ctx)
		}
		if err != nil {
			all = append(all, fmt.Errorf("%s: %w", step, err))
		}
	}
	_ = removeAll(filepath.Join(r.root, r.ref.Quest, copies))
	_ = os.Remove(filepath.Join(r.root, r.ref.Quest)) // if it is empty
	return errors.Join(all...)
}

// forgetBranch deletes the quest's branch and all refs about it. The record of the base
// goes last: while it exists, the branch is ours.
func (r *repository) forgetBranch(ctx context.Context, unmoved bool) error {
	known, err := r.refsLike(ctx, r.questBranch(), r.baseRef(), r.tipRef(""), r.beforeRef(""), r.mergedRef(""), r.foldedRefs(),
		r.publishedRef())
	if err != nil {
		return err
	}
	branch, tip, base := known[r.questBranch()], known[r.tipRef(own)], known[r.baseRef()]
	if tip == "" && base == "" { // the quest never began: a branch of that name is not ours
		return nil
	}
	var users string
	if !r.alone {
		theirs, err := r.users.refsLike(ctx, r.questBranch())
		if err != nil {
			return err
		}
		users = theirs[r.questBranch()]
	}
	if unmoved && users != "" && users != known[r.publishedRef()] {
		return nil
	}
	if at := r.users.onBranch(r.questBranch()); at != "" && users != "" {
		return fmt.Errorf("%w: %s is on it; switch to another branch there first", ErrInUse, at)
	}
	if users != "" && users != known[r.publishedRef()] {
		if err := r.fetchObjects(ctx, users); err != nil {
			return err
		}
	}
	for _, commit := range slices.Compact([]string{users, branch, tip}) {
		if commit == "" {
			continue
		}
		if held, err := r.inAnotherBranch(ctx, commit); err != nil {
			return err
		} else if !held {
			if err := r.keep(ctx, own, "branch", commit); err != nil {
				return err
			}
		}
	}
	if users != "" {
		if err := r.users.move(ctx, r, "forget", move{ref: r.questBranch(), from: users}); err != nil {
			return err
		}
	}
	_, err = r.git(ctx, "symbolic-ref", "--quiet", r.intoRef())
	if err == nil { // not with update-ref, which deletes the target of a symbolic ref
		_, err = r.git(ctx, "symbolic-ref", "--delete", r.intoRef())
	}
	if err != nil && !git.Exited(err, 1) {
		return err
	}
	delete(known, r.questBranch())
	delete(known, r.baseRef())
	moves := []move{{ref: r.questBranch(), from: branch}}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		moves = append(moves, move{ref: name, from: known[name]})
	}
	return r.move(ctx, "forget", append(moves, move{ref: r.baseRef(), from: base})...)
}

// inAnotherBranch reports whether another branch of the user's contains a commit. If
// the user's repository is gone, none does.
func (r *repository) inAnotherBranch(ctx context.Context, commit string) (bool, error) {
	if r.alone {
		base, err := r.refsLike(ctx, r.baseRef())
		if err != nil || base[r.baseRef()] == "" {
			return false, err
		}
		return r.contains(ctx, base[r.baseRef()], commit)
	}
	if _, err := r.users.ask(ctx, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return false, nil // the commit is not there either
	}
	known, err := r.users.refsLike(ctx, "--contains", commit, "refs/heads/")
	delete(known, r.questBranch())
	return len(known) > 0, err
}

// leave removes our folder for the quest, or everything in it except kept work.
func (r *repository) leave(ctx context.Context) error {
	known, err := r.refsLike(ctx)
	if err != nil || known[r.baseRef()] != "" {
		return err
	}
	if err := r.keepBeside(ctx, known); err != nil {
		return err
	}
	kept, err := r.refsLike(ctx, keptRefs(r.ref.Quest))
	if err != nil {
		return err
	}
	view, err := r.t.Git.viewOf(r.common) // the view that was used for the worktrees
	if err == nil {
		err = removeAll(view)
	}
	if err != nil {
		return err
	}
	if len(kept) > 0 {
		return r.shrink(ctx, known, kept)
	}
	return removeHome(r.home)
}

// gonePrefix begins the names of folders in Git.Dir that are being removed.
const gonePrefix = "_gone-"

// removeHome removes our folder for a quest. It renames the folder first, so that a
// kill leaves nothing that looks like a git directory.
func removeHome(home string) error {
	if _, err := os.Lstat(home); err != nil {
		return ignoreGone(err)
	}
	gone, err := os.MkdirTemp(filepath.Dir(home), gonePrefix)
	if err != nil {
		return err
	}
	if err := os.Rename(home, filepath.Join(gone, filepath.Base(home))); err != nil {
		return err
	}
	return removeAll(gone)
}

// SweepGone finishes removals of folders that a kill interrupted. The server calls it
// at its start.
func (t *Trees) SweepGone() error {
	left, err := filepath.Glob(filepath.Join(globQuoted(t.Git.Dir), gonePrefix+"*"))
	for _, name := range left {
		err = errors.Join(err, removeAll(name))
	}
	return err
}
