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
	if err := r.sweepAdmin(); err != nil {
		return err
	}
	if err := clearLocks(ctx, filepath.Join(r.common, "refs", "heads", "quest-steps", r.ref.Quest)); err != nil {
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
			all = append(all, tr.clear())
		case line == own:
			_, err := tr.follow(ctx, "")
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// lines are those of the quest that have a folder, or one of git's.
func (r *repository) lines() ([]string, error) {
	found := map[string]bool{}
	home := filepath.Join(r.root, r.ref.Quest)
	entries, err := os.ReadDir(home)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() {
			found[e.Name()] = true
		}
	}
	gitdirs, err := filepath.Glob(filepath.Join(globbed(r.common), "worktrees", "*", "gitdir"))
	if err != nil {
		return nil, err
	}
	for _, name := range gitdirs {
		b, err := os.ReadFile(name)
		if tree := filepath.Dir(strings.TrimSuffix(string(b), "\n")); err == nil && filepath.Dir(tree) == home {
			found[filepath.Base(tree)] = true
		}
	}
	var lines []string
	for line := range found {
		if line == own || checkName("line", line) == nil {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// globbed quotes a path for filepath.Glob.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
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
		reason, _ := os.ReadFile(filepath.Join(dir, e.Name(), locked))
		if errors.Is(none, fs.ErrNotExist) && strings.TrimSpace(string(reason)) == "initializing" {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	_ = os.Remove(dir) // as git does, if it is empty
	return nil
}
