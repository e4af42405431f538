package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Begin makes the quest's branch at the base commit, and the quest's own
// worktree; it returns the base commit. Done already: nothing changes.
// ErrNoCommit, ErrBare, ErrBranchTaken, ErrNotGit.
func (t *Trees) Begin(ctx context.Context, ref Ref) (base string, err error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("begin quest %s: %w", ref.Quest, err)
	}
	defer done()
	if base, err = r.begin(ctx); err != nil {
		return "", fmt.Errorf("begin quest %s: %w", ref.Quest, err)
	}
	return base, nil
}

func (r *repository) begin(ctx context.Context) (string, error) {
	known, err := r.refs(ctx, r.baseRef(), r.questBranch())
	if err != nil {
		return "", err
	}
	base := known[r.baseRef()]
	if base == "" {
		if known[r.questBranch()] != "" {
			return "", fmt.Errorf("%w: there is a branch quest/%s already, which is not ours", ErrBranchTaken, r.ref.Quest)
		}
		if base, err = r.start(ctx); err != nil {
			return "", err
		}
	}
	// The branch comes after its record: a kill in between is made good here,
	// and so is a branch that somebody deleted.
	tip, err := r.questTip(ctx)
	if errors.Is(err, ErrNotBegun) {
		err = r.move(ctx, "begin", move{ref: r.tipRef(own), to: base}, move{ref: r.questBranch(), to: base})
	} else if err == nil && known[r.questBranch()] == "" {
		err = r.move(ctx, "begin", move{ref: r.questBranch(), to: tip})
	}
	if err != nil {
		return "", takenBy(err, "quest/"+r.ref.Quest)
	}
	tr, err := r.tree(ctx, own)
	if err != nil {
		return "", err
	}
	return base, tr.ensure(ctx)
}

// start finds the base commit and remembers it, and the branch it is from.
func (r *repository) start(ctx context.Context) (string, error) {
	from := r.ref.Base
	if from == "" {
		from = "HEAD"
	}
	base, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", from+"^{commit}")
	if exitedWith(err, 1) {
		if _, none := r.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); exitedWith(none, 1) && r.ref.Base == "" {
			return "", fmt.Errorf("%w yet: make a first one in %s", ErrNoCommit, r.ref.Repo)
		}
		return "", fmt.Errorf("there is no branch or commit %q in %s", from, r.ref.Repo)
	}
	if err != nil {
		return "", err
	}
	into, err := r.baseBranch(ctx)
	if err != nil && !errors.Is(err, ErrNoBranch) {
		return "", err
	}
	if into != "" {
		if _, err := r.git(ctx, "symbolic-ref", r.intoRef(), into); err != nil {
			return "", err
		}
	}
	return base, r.move(ctx, "begin", move{ref: r.baseRef(), to: base})
}

// baseBranch is the branch that a quest starts from, as a full ref.
func (r *repository) baseBranch(ctx context.Context) (string, error) {
	if r.ref.Base == "" {
		head, err := r.git(ctx, "symbolic-ref", "--quiet", "HEAD")
		if exitedWith(err, 1) {
			return "", fmt.Errorf("%w: HEAD is detached", ErrNoBranch)
		}
		return head, err
	}
	name := "refs/heads/" + strings.TrimPrefix(r.ref.Base, "refs/heads/")
	if _, err := r.git(ctx, "show-ref", "--verify", "--quiet", name); exitedWith(err, 1) {
		return "", fmt.Errorf("%w: %q", ErrNoBranch, r.ref.Base)
	} else if err != nil {
		return "", err
	}
	return name, nil
}

// questTip is where we left the quest's branch.
func (r *repository) questTip(ctx context.Context) (string, error) {
	known, err := r.refs(ctx, r.tipRef(own))
	if err == nil && known[r.tipRef(own)] == "" {
		err = fmt.Errorf("quest %s: %w; begin it first", r.ref.Quest, ErrNotBegun)
	}
	return known[r.tipRef(own)], err
}

// takenBy says in words that a branch like quest stands in the way of quest/x.
func takenBy(err error, name string) error {
	if strings.Contains(err.Error(), "exists; cannot create") || strings.Contains(err.Error(), "reference already exists") {
		return fmt.Errorf("%w: %s cannot be made beside a branch that is there (%w)", ErrBranchTaken, name, err)
	}
	return err
}

// Dir is where a line works, made if need be: for requirements and plan the
// quest's own worktree, which they only read; for every other line a worktree
// and branch of its own, from the quest's branch as it is then. Where the
// quest's repository is a folder within a checkout, so is the result.
func (t *Trees) Dir(ctx context.Context, ref Ref, line string) (string, error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("make the worktree of %s: %w", line, err)
	}
	defer done()
	tr, err := r.tree(ctx, line)
	if err == nil {
		err = tr.ensure(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("make the worktree of %s: %w", line, err)
	}
	if r.prefix == "" {
		return tr.path, nil
	}
	inside, err := os.OpenRoot(tr.path)
	if err != nil {
		return "", fmt.Errorf("make the worktree of %s: %w", line, err)
	}
	defer inside.Close()
	if err := inside.MkdirAll(filepath.FromSlash(strings.TrimSuffix(r.prefix, "/")), 0o755); err != nil {
		return "", fmt.Errorf("make the worktree of %s: %w", line, err)
	}
	return filepath.Join(tr.path, filepath.FromSlash(r.prefix)), nil
}
