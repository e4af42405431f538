package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"questboard/failpoint"
)

// Remove removes a step's worktree and branch, and keeps uncommitted or unmerged work
// first. For requirements and plan it removes the quest's own worktree but not its
// branch.
func (t *Trees) Remove(ctx context.Context, ref Ref, step string) error {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return fmt.Errorf("remove the worktree of %s: %w", step, err)
	}
	defer done()
	tr, err := r.tree(ctx, step)
	if err == nil {
		err = tr.end(ctx)
	}
	if err != nil {
		return fmt.Errorf("remove the worktree of %s: %w", step, err)
	}
	return nil
}

func (tr *tree) end(ctx context.Context) error {
	if err := tr.endFiles(ctx); err != nil || tr.step == own {
		return err
	}
	if err := failpoint.At(failpoint.ReleaseFiles); err != nil {
		return err
	}
	branch, record := tr.r.branch(tr.step), tr.r.tipRef(tr.step)
	known, err := tr.r.refs(ctx, branch, record, tr.r.tipRef(own))
	if err != nil {
		return err
	}
	quest, tip, left := known[tr.r.tipRef(own)], known[branch], known[record]
	if left == "" { // removed before, or a branch that is not ours
		return nil
	}
	// The branch last, because Diff shows what was kept last.
	if err := tr.r.keepUnlessIn(ctx, tr.step, left, quest, tip); err != nil {
		return err
	}
	if err := tr.r.keepUnlessIn(ctx, tr.step, tip, quest); err != nil {
		return err
	}
	return tr.r.move(ctx, "remove", move{ref: branch, from: tip}, move{ref: record, from: left})
}

func (tr *tree) endFiles(ctx context.Context) error {
	if !tr.whole() {
		return tr.clear(ctx)
	}
	err := tr.empty(ctx)
	if errors.Is(err, ErrNotBegun) {
		if err = tr.remember(ctx); err == nil {
			err = tr.empty(ctx)
		}
	}
	if errors.Is(err, errStuck) {
		if err = tr.away(); err == nil {
			return tr.clear(ctx)
		}
	}
	if err != nil {
		return err
	}
	return tr.remove()
}

// keepUnlessIn keeps the tip of a step that ends, unless one of the others has it in
// its history.
func (r *repository) keepUnlessIn(ctx context.Context, step, tip string, others ...string) error {
	if tip == "" {
		return nil
	}
	for _, other := range others {
		if other == "" {
			continue
		}
		if held, err := r.contains(ctx, other, tip); err != nil || held {
			return err
		}
	}
	return r.keep(ctx, step, unmerged, tip)
}

// empty keeps what exists only in the tree's files.
func (tr *tree) empty(ctx context.Context) error {
	if err := tr.mend(); err != nil {
		return err
	}
	if tr.step == own {
		if _, err := tr.follow(ctx, "uncommitted"); err != nil {
			return err
		}
		return tr.keepSubmodules(ctx)
	}
	p, err := tr.adopt(ctx)
	if err != nil {
		return err
	}
	s, err := tr.snapshot(ctx, p.head)
	if err != nil {
		return err
	}
	for _, name := range s.nested {
		if err := tr.aside(name); err != nil {
			return err
		}
	}
	if len(s.changes) > 0 {
		err = tr.keep(ctx, "uncommitted", "Uncommitted changes of "+tr.step, s.tree, append([]string{p.head}, p.merges...)...)
		if err != nil {
			return err
		}
	}
	return tr.keepSubmodules(ctx)
}

// clear removes the rest of an incomplete tree. No agent was ever in a half-made one,
// and the content of a half-removed one is kept already. A folder that git does not
// know is moved aside, because its content is unknown.
func (tr *tree) clear(ctx context.Context) error {
	if tr.admin != "" && tr.has(ready) {
		if err := tr.rescue(ctx); err != nil {
			return err
		}
	}
	if tr.admin != "" {
		return tr.remove()
	}
	left, err := os.ReadDir(tr.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && (len(left) == 0 || len(left) == 1 && left[0].Name() == ".git" && left[0].Type().IsRegular()) {
		return os.RemoveAll(tr.path)
	}
	return tr.away()
}

// rescue keeps what git still knows of a tree whose files somebody deleted: commits
// that are not on its branch, and what was staged.
func (tr *tree) rescue(ctx context.Context) error {
	if err := tr.remember(ctx); err != nil {
		return err
	}
	gone := *tr
	gone.path = tr.admin // git must run somewhere, and a new folder would look like a tree
	if tr.step == own {
		quest, err := tr.r.questTip(ctx)
		if err != nil {
			return err
		}
		_, err = gone.holdBranch(ctx, quest)
		return err
	}
	p, err := gone.adopt(ctx)
	if err != nil {
		return err
	}
	conflicts, err := gone.names(ctx, "ls-files", "--unmerged", "-z")
	if err != nil {
		return err
	}
	x := index{tr: &gone} // its own, which goes with the tree
	if err := x.settle(ctx, conflicts); err != nil {
		return err
	}
	staged, err := x.git(ctx, nil, "write-tree")
	if err != nil {
		return err
	}
	changed, err := gone.compare(ctx, p.head, staged)
	if err != nil || len(changed) == 0 {
		return err
	}
	return gone.keep(ctx, "staged", "Staged changes of "+tr.step, staged, append([]string{p.head}, p.merges...)...)
}

// remember restores a tree's record if somebody deleted it. Everything in our folder is
// ours and must stay removable.
func (tr *tree) remember(ctx context.Context) error {
	branch, record := tr.r.branch(tr.step), tr.r.tipRef(tr.step)
	known, err := tr.r.refs(ctx, branch, record)
	if err != nil || known[record] != "" {
		return err
	}
	at := known[branch]
	if at == "" {
		at = tr.noted(ready)
	}
	return tr.r.move(ctx, "remember", move{ref: record, to: at})
}
