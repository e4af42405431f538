package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
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
		theirs, err := r.users.refsLike(ctx, r.questBranch())
		if err != nil {
			return "", err
		}
		if known[r.questBranch()] != "" || theirs[r.questBranch()] != "" {
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
	if _, err := r.publish(ctx); err != nil {
		return "", err
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
	base, err := r.users.ask(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", from+"^{commit}")
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

// fetch brings a commit of the user's repository to ours, with all that it
// builds upon, and the user's branches and tags for agents to look at.
func (r *repository) fetch(ctx context.Context, commit string) error {
	theirs, err := r.users.refsLike(ctx, "refs/heads/", "refs/tags/", "refs/remotes/")
	if err != nil {
		return err
	}
	if err := r.fetchObjects(ctx, commit); err != nil {
		return err
	}
	if r.users.partial {
		if err := r.missing(ctx, commit); err != nil {
			return err
		}
	}
	ours, err := r.refsLike(ctx, "refs/heads/", "refs/tags/", "refs/remotes/")
	if err != nil {
		return err
	}
	users := []string{commit}
	for name, id := range theirs {
		if !isOurs(name) && !strings.HasPrefix(name, "refs/remotes/") { // where the quest may have been pushed
			users = append(users, id)
		}
	}
	present, err := r.presentObjects(ctx, slices.Collect(maps.Values(theirs)))
	if err != nil {
		return err
	}
	var gone, moves []move
	lost := map[string]string{} // where they were
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if id := theirs[name]; !isOurs(name) && ours[name] != id && present[id] {
			moves = append(moves, move{ref: name, to: id, any: true})
			lost[name] = ours[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if !isOurs(name) && theirs[name] == "" {
			gone = append(gone, move{ref: name, from: ours[name]})
			lost[name] = ours[name]
		}
	}
	maps.DeleteFunc(lost, func(_, id string) bool { return id == "" })
	if err := r.keepBeside(ctx, lost); err != nil {
		return err
	}
	// First with what was there: a kill in between must not make it an agent's.
	if err := r.noteCopied(slices.Concat(users, slices.Collect(maps.Values(lost)))); err != nil {
		return err
	}
	if err := r.move(ctx, "follow the user's branches", gone...); err != nil { // first: a branch a is in the way of a/b
		return err
	}
	if err := r.move(ctx, "follow the user's branches", moves...); err != nil {
		return err
	}
	return r.noteCopied(users)
}

// isOurs: a branch of that name belongs to a quest, or would be in the way of one.
func isOurs(name string) bool {
	return name == "refs/heads/quest" || name == "refs/heads/quest-steps" ||
		strings.HasPrefix(name, "refs/heads/quest/") || strings.HasPrefix(name, "refs/heads/quest-steps/")
}

// missing refuses a commit of a partial clone some of whose files are not there.
func (r *repository) missing(ctx context.Context, commit string) error {
	out, err := r.do(ctx, call{args: []string{"rev-list", "--objects", "--no-walk", "--missing=print", commit}})
	if err != nil {
		return err
	}
	lacking := 0
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "?") {
			lacking++
		}
	}
	if lacking > 0 {
		return odd("%s is a partial clone, and %d files of the commit that the quest starts from are not there: check that commit out once, or work with a whole clone", r.users.top, lacking)
	}
	return nil
}

// baseBranch is the branch that a quest starts from, as a full ref.
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
	if err == nil {
		return nil
	}
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
	if r.users.prefix == "" {
		return tr.path, nil
	}
	inside, err := os.OpenRoot(tr.path)
	if err != nil {
		return "", fmt.Errorf("make the worktree of %s: %w", line, err)
	}
	defer inside.Close()
	if err := inside.MkdirAll(filepath.FromSlash(strings.TrimSuffix(r.users.prefix, "/")), 0o755); err != nil {
		return "", fmt.Errorf("make the worktree of %s: %w", line, err)
	}
	return filepath.Join(tr.path, filepath.FromSlash(r.users.prefix)), nil
}
