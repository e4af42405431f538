package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"questboard/agents/git"
	"questboard/failpoint"
)

// Begin makes the quest's branch at the base commit, and the quest's own worktree. It
// returns the base commit. Repeating it changes nothing. The error may be ErrNoCommit,
// ErrBare, ErrBranchTaken, ErrWorkGone or ErrNotGit.
func (t *Trees) Begin(ctx context.Context, ref Ref) (base string, err error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return "", ofQuest("begin", ref.Quest, err)
	}
	defer done()
	if base, err = r.begin(ctx); err != nil {
		return "", ofQuest("begin", ref.Quest, err)
	}
	return base, nil
}

func (r *repository) begin(ctx context.Context) (string, error) {
	known, err := r.refs(ctx, r.baseRef(), r.questBranch())
	if err != nil {
		return "", err
	}
	base := known[r.baseRef()]
	if base == "" && r.ref.Work != "" {
		return "", fmt.Errorf("%w (commit %.12s): copy git/%[3]s and worktrees/%[3]s from the one where it worked. If they are lost, "+
			"abandon this quest; the branch quest/%[3]s of the repository may have what was merged", ErrWorkGone, r.ref.Work, r.ref.Quest)
	}
	if base == "" {
		theirs, err := r.users.refsLike(ctx, r.questBranch())
		if err != nil {
			return "", err
		}
		if known[r.questBranch()] != "" || theirs[r.questBranch()] != "" {
			return "", fmt.Errorf("%w: quest/%s exists, and Questboard did not create it: rename or delete it", ErrBranchTaken, r.ref.Quest)
		}
		if base, err = r.start(ctx); err != nil {
			return "", err
		}
	}
	// The branch comes after its record. This also repairs a kill in between, and a
	// branch that somebody deleted.
	tip, err := r.questTip(ctx)
	if errors.Is(err, ErrNotBegun) {
		err = r.move(ctx, "begin", move{ref: r.tipRef(own), to: base}, move{ref: r.questBranch(), to: base})
	} else if err == nil && known[r.questBranch()] == "" {
		err = r.move(ctx, "begin", move{ref: r.questBranch(), to: tip})
	}
	if err != nil {
		return "", takenBy(err, "quest/"+r.ref.Quest)
	}
	if _, err := r.publish(ctx); err != nil {
		return "", err
	}
	tr, err := r.tree(ctx, own)
	if err != nil {
		return "", err
	}
	return base, tr.ensure(ctx)
}

// start finds the base commit and records it, with the branch that it is from.
func (r *repository) start(ctx context.Context) (string, error) {
	from := cmp.Or(r.ref.Start, r.ref.Base, "HEAD")
	base, err := r.users.commitOf(ctx, from)
	if git.Exited(err, 1) {
		if _, none := r.users.ask(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); git.Exited(none, 1) && r.ref.Base == "" {
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
	if err := r.fetch(ctx, base); err != nil {
		return "", err
	}
	if into != "" {
		if _, err := r.git(ctx, "symbolic-ref", r.intoRef(), into); err != nil {
			return "", err
		}
	}
	return base, r.move(ctx, "begin", move{ref: r.baseRef(), to: base})
}

// baseBranch returns the branch that a quest starts from, as a full ref.
func (r *repository) baseBranch(ctx context.Context) (string, error) {
	if r.ref.Base == "" {
		head, err := r.users.ask(ctx, "symbolic-ref", "--quiet", "HEAD")
		if git.Exited(err, 1) {
			return "", fmt.Errorf("%w: HEAD is detached", ErrNoBranch)
		}
		return head, err
	}
	name := "refs/heads/" + strings.TrimPrefix(r.ref.Base, "refs/heads/")
	if _, err := r.users.ask(ctx, "show-ref", "--verify", "--quiet", name); git.Exited(err, 1) {
		return "", fmt.Errorf("%w: %q", ErrNoBranch, r.ref.Base)
	} else if err != nil {
		return "", err
	}
	return name, nil
}

// Dir returns where a step works, and makes the place if needed: for requirements and
// plan the quest's own worktree, which they only read; for every other step its own
// worktree and branch, made from the quest's current branch. If the quest's repository
// is a folder within a checkout, so is the result.
func (t *Trees) Dir(ctx context.Context, ref Ref, step string) (string, error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("make the worktree of %s: %w", step, err)
	}
	defer done()
	tr, err := r.tree(ctx, step)
	if err == nil {
		err = tr.ensure(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("make the worktree of %s: %w", step, err)
	}
	if r.users.prefix == "" {
		return tr.path, nil
	}
	inside, err := os.OpenRoot(tr.path)
	if err != nil {
		return "", fmt.Errorf("make the worktree of %s: %w", step, err)
	}
	defer inside.Close()
	if err := inside.MkdirAll(filepath.FromSlash(strings.TrimSuffix(r.users.prefix, "/")), 0o755); err != nil {
		return "", fmt.Errorf("make the worktree of %s: %w", step, err)
	}
	return filepath.Join(tr.path, filepath.FromSlash(r.users.prefix)), nil
}

// ensure makes the tree and its branch if they are missing.
func (tr *tree) ensure(ctx context.Context) error {
	if tr.whole() {
		if err := tr.unstuck(ctx, tr.mend()); err != nil {
			return err
		}
		if tr.step == own {
			_, err := tr.follow(ctx, "")
			return err
		}
		return tr.finishMerge(ctx)
	}
	if err := tr.clear(ctx); err != nil {
		return err
	}
	at, err := tr.ensureBranch(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(tr.path), 0o700); err != nil {
		return err
	}
	if err := tr.makeAdmin(); err != nil {
		return err
	}
	if err := failpoint.At(failpoint.TreeAdded); err != nil {
		return err
	}
	if _, err := tr.git(ctx, "read-tree", "--reset", "-u", at); err != nil {
		return err
	}
	if err := tr.note(ready, at); err != nil || tr.step != own {
		return err
	}
	_, err = tr.follow(ctx, "")
	return err
}

// makeAdmin makes git's folder for the tree, completely or not at all, and the tree's
// folder with the file that names it.
func (tr *tree) makeAdmin() error {
	admin := tr.r.adminOf(tr.step)
	temporary := admin + ".new"
	if err := removeAll(temporary); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(temporary, "info"), 0o700); err != nil {
		return err
	}
	files := map[string]string{"HEAD": "ref: " + tr.r.branch(tr.step) + "\n", "commondir": "../..\n", "gitdir": tr.gitFile() + "\n",
		locked: "a quest of Questboard works here"}
	if tr.r.users.sparse {
		patterns, err := textIn(tr.r.users.gitdir, "info/sparse-checkout")
		if err != nil {
			return err
		}
		files["info/sparse-checkout"] = string(patterns)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(temporary, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := os.Rename(temporary, admin); err != nil {
		return err
	}
	if err := os.MkdirAll(tr.path, 0o700); err != nil {
		return err
	}
	tr.admin = admin
	return tr.mend()
}

// ensureBranch returns the tip of the tree's branch. If there is none, it makes the
// branch from the quest's.
func (tr *tree) ensureBranch(ctx context.Context) (string, error) {
	quest, err := tr.r.questTip(ctx)
	if err != nil {
		return "", err
	}
	branch, record := tr.r.branch(tr.step), tr.r.tipRef(tr.step)
	known, err := tr.r.refs(ctx, branch, record)
	switch {
	case err != nil:
		return "", err
	case known[branch] != "" && known[record] == "":
		return "", fmt.Errorf("%w: %s exists, and Questboard did not create it: rename or delete it", ErrBranchTaken,
			strings.TrimPrefix(branch, "refs/heads/"))
	case known[branch] != "":
		return known[branch], nil
	case known[record] != "": // a kill in between, or somebody deleted it
		return known[record], tr.r.move(ctx, "start "+tr.step, move{ref: branch, to: known[record]})
	}
	err = tr.r.move(ctx, "start "+tr.step, move{ref: record, to: quest}, move{ref: branch, to: quest})
	if err != nil {
		err = takenBy(err, branch)
	}
	return quest, err
}
