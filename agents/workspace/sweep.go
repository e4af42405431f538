package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"questboard/agents/git"
)

// Sweep tidies up after a restart, before any agent is started: lock files of
// dead processes, worktrees that are half made or half removed. It deletes
// nothing that an agent wrote. A quest that was not begun: nothing to do.
func (t *Trees) Sweep(ctx context.Context, ref Ref) error {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return fmt.Errorf("tidy up quest %s: %w", ref.Quest, err)
	}
	defer done()
	if err := r.sweep(ctx); err != nil {
		return fmt.Errorf("tidy up quest %s: %w", ref.Quest, err)
	}
	return nil
}

func (r *repository) sweep(ctx context.Context) error {
	if err := r.clearDebris(ctx); err != nil {
		return err
	}
	lines, err := r.lines()
	if err != nil {
		return err
	}
	var all []error // one tree that cannot be tidied must not keep the others
	for _, line := range lines {
		tr, err := r.tree(ctx, line)
		switch {
		case err != nil:
			all = append(all, err)
		case !tr.whole():
			all = append(all, tr.clear(ctx))
		case line == own:
			_, err := tr.follow(ctx, "")
			all = append(all, err)
		}
	}
	_, err = r.publish(ctx)
	return errors.Join(append(all, err)...)
}

// clearDebris removes what a git or a server that was killed left behind.
func (r *repository) clearDebris(ctx context.Context) error {
	half, err := filepath.Glob(filepath.Join(globbed(r.common), "worktrees", r.ref.Quest+"+*.new"))
	if err != nil {
		return err
	}
	for _, name := range half {
		if err := removeAll(name); err != nil {
			return err
		}
	}
	return git.ClearLocks(ctx, filepath.Join(r.common, "refs", "heads", "quest-steps", r.ref.Quest))
}
