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

// Forgetting says how much of a quest goes beside its worktrees.
type Forgetting struct {
	// Branch: the quest's branch goes too, and with it what Diff, QuestDiff,
	// Patch and Deliver know the quest by. A branch whose commits no other
	// branch holds is kept first.
	Branch bool
	// Unmoved: but not where somebody moved the branch since we left it.
	Unmoved bool
}

// Forget ends a quest's worktrees: every line's and its branch, as Remove does,
// then the quest's own. What is uncommitted or unmerged is kept, and Restore
// brings it back. Repeating it is harmless, also after a kill in the middle.
// ErrGone and ErrNotGit: there is no repository to keep anything in; see
// RemoveFolder. ErrInUse: the quest's branch is checked out elsewhere, and stays.
func (t *Trees) Forget(ctx context.Context, ref Ref, what Forgetting) error {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return fmt.Errorf("forget quest %s: %w", ref.Quest, err)
	}
	defer done()
	if err = r.endTrees(ctx); err == nil && what.Branch {
		err = r.forgetBranch(ctx, what.Unmoved)
	}
	if err == nil && what.Branch {
		err = r.leave(ctx)
	}
	if err != nil {
		return fmt.Errorf("forget quest %s: %w", ref.Quest, err)
	}
	return nil
}

func (r *repository) endTrees(ctx context.Context) error {
	if err := r.clearDebris(ctx); err != nil {
		return err
	}
	lines, err := r.linesNow(ctx)
	if err != nil {
		return err
	}
	var all []error // one tree that cannot go must not keep the others
	for _, line := range append(lines, own) {
		tr, err := r.tree(ctx, line)
		if err == nil {
			err = tr.end(ctx)
		}
		if err != nil {
			all = append(all, fmt.Errorf("%s: %w", line, err))
		}
	}
	_ = os.Remove(filepath.Join(r.root, r.ref.Quest)) // if it is empty
	return errors.Join(all...)
}

// forgetBranch deletes the quest's branch and all that remembers it. The record
// of the base goes last: as long as it is there, the branch is ours.
func (r *repository) forgetBranch(ctx context.Context, unmoved bool) error {
	known, err := r.refsLike(ctx, r.questBranch(), r.baseRef(), r.tipRef(""), r.beforeRef(""), r.mergedRef(""), r.publishedRef())
	if err != nil {
		return err
	}
	branch, tip, base := known[r.questBranch()], known[r.tipRef(own)], known[r.baseRef()]
	if tip == "" && base == "" { // never begun: a branch of that name is not ours
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
	if err == nil { // not by update-ref: that deletes what it points to
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

// inAnotherBranch reports whether a branch of the user's beside the quest's holds
// a commit. Where the user's repository is gone, none holds more than the base.
func (r *repository) inAnotherBranch(ctx context.Context, commit string) (bool, error) {
	if r.alone {
		base, err := r.refsLike(ctx, r.baseRef())
		if err != nil || base[r.baseRef()] == "" {
			return false, err
		}
		return r.contains(ctx, base[r.baseRef()], commit)
	}
	if _, err := r.users.ask(ctx, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return false, nil // not even the commit is there
	}
	known, err := r.users.refsLike(ctx, "--contains", commit, "refs/heads/")
	delete(known, r.questBranch())
	return len(known) > 0, err
}

// leave removes our folder for the quest, or all of it but for what is kept.
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
	view, err := r.t.Git.viewOf(r.common) // made for looks at the worktrees
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

// gonePrefix begins the names of folders in Git.Dir that are on their way out.
const gonePrefix = "_gone-"

// removeHome removes our folder for a quest. It is renamed first: a kill in the
// middle leaves nothing that looks like a git directory.
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

// SweepGone removes what a kill left of folders that were being removed. It is
// for the start of the server.
func (t *Trees) SweepGone() error {
	left, err := filepath.Glob(filepath.Join(globbed(t.Git.Dir), gonePrefix+"*"))
	for _, name := range left {
		err = errors.Join(err, removeAll(name))
	}
	return err
}
