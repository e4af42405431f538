package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Lines names the lines that have a worktree or a branch now, sorted: what a
// server that starts may have to Remove. The quest's own worktree is none.
func (t *Trees) Lines(ctx context.Context, ref Ref) ([]string, error) {
	r, err := t.read(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("list the lines of quest %s: %w", ref.Quest, err)
	}
	lines, err := r.linesNow(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the lines of quest %s: %w", ref.Quest, err)
	}
	return lines, nil
}

// linesNow are the lines of which anything is left: files, or the record that
// every branch of ours has. A branch without one is somebody else's.
func (r *repository) linesNow(ctx context.Context) ([]string, error) {
	lines, err := r.lines()
	if err != nil {
		return nil, err
	}
	records := r.tipRef("")
	known, err := r.refsLike(ctx, records)
	if err != nil {
		return nil, err
	}
	for name := range known {
		lines = append(lines, strings.TrimPrefix(name, records))
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return checkName("line", line) != nil }) // own, too
	slices.Sort(lines)
	return slices.Compact(lines), nil
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
	admins, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range admins {
		if line, ok := strings.CutPrefix(e.Name(), r.ref.Quest+"+"); ok && e.IsDir() {
			found[line] = true
		}
	}
	var lines []string
	for line := range found {
		if line == own || checkName("line", line) == nil && !strings.HasSuffix(line, ".new") {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// globbed quotes a path for filepath.Glob.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
