package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"questboard/agents/git"
)

// Deliver merges the quest's branch into the base branch and returns the base branch's
// new commit. It touches the user's checkout only if the base branch is checked out
// there; if that has changes, it returns ErrDirty with the files' names. ErrConflict,
// ErrDiverged (fast-forward), ErrNoBranch. Repeating it is harmless, also after a kill.
// Merge commits need git 2.38.
func (t *Trees) Deliver(ctx context.Context, ref Ref, how How, message string) (commit string, err error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return "", ofQuest("merge", ref.Quest, err)
	}
	defer done()
	// Two quests must not update one checkout at the same time.
	lock, err := t.locks.Take(ctx, filepath.Join(r.users.view, lockFile))
	if err != nil {
		return "", ofQuest("merge", ref.Quest, err)
	}
	defer lock.Release()
	if commit, err = r.deliver(ctx, how, message); err != nil {
		return "", ofQuest("merge", ref.Quest, err)
	}
	return commit, nil
}

func (r *repository) deliver(ctx context.Context, how How, text string) (string, error) {
	into, err := r.into(ctx)
	if err != nil {
		return "", err
	}
	quest, err := r.questTip(ctx)
	if err != nil {
		return "", err
	}
	theirs, err := r.users.refsLike(ctx, into)
	if err != nil {
		return "", err
	}
	base := theirs[into]
	if base == "" {
		return "", fmt.Errorf("%w: %s is not there any more", ErrNoBranch, strings.TrimPrefix(into, "refs/heads/"))
	}
	if err := r.fetch(ctx, base); err != nil {
		return "", err
	}
	if _, err := r.publish(ctx); err != nil {
		return "", err
	}
	out, err := r.checkout(into)
	if err != nil {
		return "", err
	}
	if out != nil { // an earlier delivery may be incomplete
		if err := out.finish(ctx, base); err != nil {
			return "", err
		}
	}
	next, err := r.joined(ctx, how, base, quest, text)
	if err != nil || next == base {
		return next, err
	}
	if err := r.hand(ctx, r.users, next); err != nil {
		return "", err
	}
	if out != nil {
		if err := out.free(ctx, base, next); err != nil {
			return "", err
		}
	}
	if err := r.users.move(ctx, r, "deliver", move{ref: into, from: base, to: next}); err != nil {
		return "", err
	}
	if out != nil {
		if err := out.update(ctx, base, next); err != nil {
			return "", err
		}
	}
	return next, r.arrived(ctx, into, next, quest)
}

// into returns the branch to deliver to, as a full ref.
func (r *repository) into(ctx context.Context) (string, error) {
	if r.ref.Base != "" {
		return r.baseBranch(ctx)
	}
	name, err := r.git(ctx, "symbolic-ref", "--quiet", r.intoRef())
	if git.Exited(err, 1) {
		return "", fmt.Errorf("%w: the quest began at a detached HEAD", ErrNoBranch)
	}
	return name, err
}

// joined makes the commit for the base branch. If the work has already arrived, it
// returns the base itself.
func (r *repository) joined(ctx context.Context, how How, base, quest, text string) (string, error) {
	if there, err := r.contains(ctx, base, quest); err != nil || there {
		return base, err
	}
	parents := []string{base, quest}
	switch how {
	case FastForward:
		ahead, err := r.contains(ctx, quest, base)
		if err == nil && !ahead {
			err = fmt.Errorf("%w: the base branch has commits of its own; merge or squash", ErrDiverged)
		}
		return quest, err
	case Squash:
		parents = parents[:1]
	case MergeCommit:
	default:
		return "", fmt.Errorf("%q is no way to merge", how)
	}
	tree, err := r.mergedTree(ctx, base, quest)
	if err != nil {
		return "", err
	}
	if was, err := r.git(ctx, "rev-parse", base+"^{tree}"); err != nil || was == tree {
		return base, err // it was squashed before
	}
	if subject, _, _ := strings.Cut(strings.TrimSpace(text), "\n"); git.PlainLine(subject, 120) == "" {
		text = "Quest " + r.ref.Quest
	}
	args := []string{"commit-tree"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	out, err := r.do(ctx, call{input: []byte(message(r.ref.Quest, "", Stamp{Summary: text})), args: append(args, "-F", "-", tree)})
	return strings.TrimSpace(out), err
}

// lookedAt returns the quest's own worktree, whose attributes apply to merges and diffs
// without files. Nil: it is gone, or git must not read it, and no attributes apply.
func (r *repository) lookedAt(ctx context.Context) *tree {
	tr := &tree{r: r, step: own, path: filepath.Join(r.root, r.ref.Quest, own), admin: r.adminOf(own), common: r.common, view: r.view}
	if !tr.whole() || tr.restoreAdmin() != nil {
		return nil
	}
	if unfits, err := look(ctx, tr.path, tr.common); err != nil || len(unfits) > 0 {
		return nil
	}
	return tr
}

// mergedTree merges without a checkout.
func (r *repository) mergedTree(ctx context.Context, base, quest string) (string, error) {
	out, cut, err := r.answer(ctx, call{in: r.lookedAt(ctx), limit: 1 << 20, args: []string{"merge-tree", "--write-tree", "--name-only", "-z",
		"--no-messages", base, quest}}, 1)
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	switch {
	case err != nil:
		return "", err
	case len(fields) > 1 || cut:
		return "", &ConflictError{Files: listed(fields[1:])}
	}
	return strings.TrimSpace(fields[0]), nil
}

// arrived verifies that the base branch contains the quest's work.
func (r *repository) arrived(ctx context.Context, into, next, quest string) error {
	theirs, err := r.users.refsLike(ctx, into)
	if err != nil {
		return err
	}
	if theirs[into] != next {
		return errors.New("the base branch moved while the quest was merged into it: look at the branch before anything is removed")
	}
	held, err := r.contains(ctx, next, quest)
	if err != nil || held {
		return err
	}
	again, err := r.mergedTree(ctx, next, quest) // squashed: another merge changes nothing
	if err != nil {
		return err
	}
	if is, err := r.git(ctx, "rev-parse", next+"^{tree}"); err != nil || is != again {
		return errors.Join(err, errors.New("the quest's work did not arrive in the base branch"))
	}
	return nil
}
