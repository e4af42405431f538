package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	if tr.whole() {
		err := tr.empty(ctx)
		if errors.Is(err, ErrNotBegun) {
			if err = tr.remember(ctx); err == nil {
				err = tr.empty(ctx)
			}
		}
		if err != nil {
			return err
		}
		if err := tr.remove(); err != nil {
			return err
		}
	} else if err := tr.clear(ctx); err != nil {
		return err
	}
	if tr.line == own {
		return nil
	}
	branch, record := tr.r.branch(tr.line), tr.r.tipRef(tr.line)
	known, err := tr.r.refs(ctx, branch, record, tr.r.tipRef(own))
	if err != nil {
		return err
	}
	for _, tip := range slices.Compact([]string{known[branch], known[record]}) {
		if tip == "" {
			continue
		}
		if quest := known[tr.r.tipRef(own)]; quest != "" {
			if merged, err := tr.r.contains(ctx, quest, tip); err != nil {
				return err
			} else if merged {
				continue
			}
		}
		if err := tr.r.keep(ctx, tr.line, "unmerged", tip); err != nil {
			return err
		}
	}
	return tr.r.move(ctx, "remove", move{ref: branch, from: known[branch]}, move{ref: record, from: known[record]})
}

// empty keeps what is only in the tree's files.
func (tr *tree) empty(ctx context.Context) error {
	if err := tr.mend(); err != nil {
		return err
	}
	if tr.line == own {
		_, err := tr.follow(ctx, "uncommitted")
		return err
	}
	p, err := tr.adopt(ctx)
	if err != nil {
		return err
	}
	s, err := tr.snapshot(ctx)
	if err != nil {
		return err
	}
	for _, name := range s.nested {
		if err := tr.aside(name); err != nil {
			return err
		}
	}
	changed, err := tr.compare(ctx, p.head, s.tree)
	if err != nil || len(changed) == 0 {
		return err
	}
	return tr.keep(ctx, "uncommitted", "Uncommitted changes of "+tr.line, s.tree, append([]string{p.head}, p.merges...)...)
}
