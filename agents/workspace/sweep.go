package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
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
	return errors.Join(all...)
}

// clearDebris removes what a git that was killed left in the repository.
func (r *repository) clearDebris(ctx context.Context) error {
	if err := r.sweepAdmin(); err != nil {
		return err
	}
	return clearLocks(ctx, filepath.Join(r.common, "refs", "heads", "quest-steps", r.ref.Quest))
}

// sweepAdmin removes what "git worktree add" leaves when it is killed at its
// very start: a folder that does not say yet which tree it is for. Only in a
// turn that died, and only if the folder came up in it: another may be adding
// a worktree just now.
func (r *repository) sweepAdmin() error {
	if r.turn.died.IsZero() {
		return nil
	}
	dir := filepath.Join(r.common, "worktrees")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ignoreGone(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.ModTime().Before(r.turn.died) || time.Since(info.ModTime()) < staleAfter {
			continue
		}
		_, none := os.Lstat(filepath.Join(dir, e.Name(), "gitdir"))
		reason, _ := readPlain(filepath.Join(dir, e.Name(), locked))
		if errors.Is(none, fs.ErrNotExist) && strings.TrimSpace(string(reason)) == "initializing" {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	_ = os.Remove(dir) // as git does, if it is empty
	return nil
}
