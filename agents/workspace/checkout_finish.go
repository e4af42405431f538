package workspace

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
)

// finish ends a delivery that a kill cut short. The note tells which commits
// the files are between; a file that is neither as before nor as after is the
// user's, and then nothing is touched; but for one that git could not write to
// its end.
func (c *checkout) finish(ctx context.Context, base string) error {
	from, to, ok := strings.Cut(c.noted(delivering), " ")
	if !ok {
		return nil
	}
	if to != base { // the branch was not moved, or went on since
		return c.forget(delivering)
	}
	if err := git.ClearLock(ctx, filepath.Join(c.admin, "index.lock")); err != nil {
		return err
	}
	steps, err := c.compare(ctx, from, to)
	if err != nil {
		return err
	}
	dirty, err := c.neither(ctx, from, to, steps)
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		return fmt.Errorf("%w: a delivery was interrupted in %s, and since then %s changed; commit or restore them", ErrDirty, c.path, listed(dirty))
	}
	inside, err := os.OpenRoot(c.path)
	if err != nil {
		return err
	}
	defer inside.Close()
	// Only the files of the delivery are written; index and files then agree.
	if _, err := c.git(ctx, "read-tree", to); err != nil {
		return err
	}
	for _, m := range steps {
		if m.newMode == "000000" {
			if err := ignoreGone(inside.Remove(filepath.FromSlash(m.name))); err != nil {
				return err
			}
		}
	}
	var names strings.Builder
	for _, m := range steps {
		if m.newMode != "000000" {
			names.WriteString(m.name + "\x00")
		}
	}
	if _, err := c.r.do(ctx, call{in: &c.tree, input: []byte(names.String()), args: []string{"checkout-index", "-f", "-z", "--stdin"}}); err != nil {
		return err
	}
	if _, err := c.git(ctx, "update-index", "-q", "--refresh"); err != nil && !git.Exited(err, 1) {
		return err
	}
	return c.forget(delivering)
}

// neither are those of the files between two commits that are as in none of them.
// No other file of the checkout is looked at.
func (c *checkout) neither(ctx context.Context, from, to string, steps []change) (dirty []string, err error) {
	inside, err := os.OpenRoot(c.path)
	if err != nil {
		return nil, err
	}
	defer inside.Close()
	var names []string
	for _, m := range steps {
		info, err := inside.Lstat(filepath.FromSlash(m.name))
		if err == nil && info.Mode()&^fs.ModePerm&^fs.ModeSymlink != 0 {
			dirty = append(dirty, m.name) // a folder, or what git would wait for
			continue
		}
		names = append(names, m.name)
	}
	x, err := c.copiedIndex()
	if err != nil {
		return nil, err
	}
	defer os.Remove(x.file)
	if err := x.take(ctx, names); err != nil {
		return nil, err
	}
	after, err := x.changes(ctx, to)
	if err != nil {
		return nil, err
	}
	before, err := x.changes(ctx, from)
	if err != nil {
		return nil, err
	}
	for _, name := range both(after, before) {
		if slices.Contains(names, name) && !c.halfWritten(ctx, to, name) {
			dirty = append(dirty, name)
		}
	}
	return dirty, nil
}

// halfWritten reports whether a file holds the beginning of what it holds in a
// commit: a kill or a full disk stopped git in the middle of it.
func (c *checkout) halfWritten(ctx context.Context, commit, name string) bool {
	inside, err := os.OpenRoot(c.path)
	if err != nil {
		return false
	}
	defer inside.Close()
	info, err := inside.Lstat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > git.MaxOutput {
		return false
	}
	is, err := inside.ReadFile(filepath.FromSlash(name))
	if err != nil || len(is) == 0 {
		return err == nil
	}
	whole, more, err := c.r.doCut(ctx, call{in: &c.tree, limit: len(is), args: []string{"cat-file", "--filters", commit + ":" + name}})
	return err == nil && more && bytes.Equal(is, whole)
}
