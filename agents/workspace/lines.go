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

// Place is where Dir puts a line, and whether that is there now; nothing is
// made and git is not asked, so a page may call it for every line.
func (t *Trees) Place(ref Ref, line string) (dir string, exists bool) {
	if line == "requirements" || line == "plan" {
		line = own
	}
	if checkName("quest", ref.Quest) != nil || line != own && checkName("line", line) != nil {
		return "", false
	}
	root, err := filepath.EvalSymlinks(t.Root)
	if err != nil {
		root = t.Root // not made yet
	}
	dir = filepath.Join(root, ref.Quest, line, within(ref.Repo))
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// within is where a folder lies in the checkout that it belongs to.
func within(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	for top := real; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			rest, _ := filepath.Rel(top, real)
			return rest
		}
		if top == filepath.Dir(top) {
			return ""
		}
	}
}

// marked is the file in a worktree's admin folder that Mark writes.
const marked = "questboard-marked"

// Mark notes a word of the caller's for a line's worktree. It goes with the tree.
func (t *Trees) Mark(ctx context.Context, ref Ref, line, word string) error {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return fmt.Errorf("mark the worktree of %s: %w", line, err)
	}
	defer done()
	tr, err := r.standing(ctx, line)
	if err == nil {
		err = tr.note(marked, word)
	}
	if err != nil {
		return fmt.Errorf("mark the worktree of %s: %w", line, err)
	}
	return nil
}

// Marked reports whether Mark noted that word last. Where it did not, untouched
// tells whether nothing in the tree waits to be committed, so that Discard
// would undo only what comes from now on.
func (t *Trees) Marked(ctx context.Context, ref Ref, line, word string) (is, untouched bool, err error) {
	r, done, err := t.write(ctx, ref)
	if err != nil {
		return false, false, fmt.Errorf("look at the worktree of %s: %w", line, err)
	}
	defer done()
	tr, err := r.standing(ctx, line)
	if err == nil && tr.noted(marked) == word {
		return true, false, nil
	}
	if err == nil {
		untouched, err = tr.untouched(ctx)
	}
	if err != nil {
		return false, false, fmt.Errorf("look at the worktree of %s: %w", line, err)
	}
	return false, untouched, nil
}

func (tr *tree) untouched(ctx context.Context) (bool, error) {
	if tr.line == own {
		return true, nil // nobody's work is ever there
	}
	p, err := tr.adopt(ctx)
	if err != nil || p.head != p.left || len(p.merges) > 0 {
		return false, err
	}
	s, err := tr.snapshot(ctx, p.head)
	return err == nil && len(s.changes) == 0 && len(s.nested) == 0, err
}
