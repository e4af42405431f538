package workspace

import (
	"context"
	"errors"
	"fmt"

	"questboard/failpoint"
)

// Remove ends a line's worktree and branch; what is uncommitted or unmerged is
// kept first. Of requirements and plan: the quest's own worktree, while its
// branch stays.
func (t *Trees) Remove(ctx context.Context, ref Ref, line string) error {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return fmt.Errorf("remove the worktree of %s: %w", line, err)
	}
	defer done()
	tr, err := r.tree(ctx, line)
	if err == nil {
		err = tr.end(ctx)
	}
	if err != nil {
		return fmt.Errorf("remove the worktree of %s: %w", line, err)
	}
	return nil
}

func (tr *tree) end(ctx context.Context) error {
	if err := tr.endFiles(ctx); err != nil || tr.line == own {
		return err
	}
	if err := failpoint.At(failpoint.ReleaseFiles); err != nil {
		return err
	}
	branch, record := tr.r.branch(tr.line), tr.r.tipRef(tr.line)
	known, err := tr.r.refs(ctx, branch, record, tr.r.tipRef(own))
	if err != nil {
		return err
	}
	quest, tip, left := known[tr.r.tipRef(own)], known[branch], known[record]
	if left == "" { // ended before, or a branch that is not ours
		return nil
	}
	// The branch last: what is kept last is what Diff shows.
	if err := tr.r.keepUnlessIn(ctx, tr.line, left, quest, tip); err != nil {
		return err
	}
	if err := tr.r.keepUnlessIn(ctx, tr.line, tip, quest); err != nil {
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

// keepUnlessIn keeps the tip of a line that ends, unless one of the others has
// it in its history.
func (r *repository) keepUnlessIn(ctx context.Context, line, tip string, others ...string) error {
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
	return r.keep(ctx, line, unmerged, tip)
}

// empty keeps what is only in the tree's files.
func (tr *tree) empty(ctx context.Context) error {
	if err := tr.mend(); err != nil {
		return err
	}
	if tr.line == own {
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
		err = tr.keep(ctx, "uncommitted", "Uncommitted changes of "+tr.line, s.tree, append([]string{p.head}, p.merges...)...)
		if err != nil {
			return err
		}
	}
	return tr.keepSubmodules(ctx)
}
