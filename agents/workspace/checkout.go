package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents/git"
)

// checkout is a user's worktree with the base branch checked out. It is handled like a
// tree, but belongs to no step.
type checkout struct{ tree }

// delivering is the note in a checkout that is being updated: from and to.
const delivering = "questboard-delivering"

// checkout finds where the user has a branch checked out; nil: nowhere.
func (r *repository) checkout(branch string) (*checkout, error) {
	at := r.users.onBranch(branch)
	if at == "" {
		return nil, nil
	}
	f, err := openedAt(at)
	if err != nil || f.common != r.users.common {
		return nil, errors.Join(fmt.Errorf("git says that the branch is checked out at %s, but that worktree is not there: run `git "+
			"worktree prune`", at), err)
	}
	return &checkout{tree{r: r, path: f.top, admin: f.gitdir, common: f.common, view: r.users.view}}, nil
}

// idle returns ErrDirty if git is at work in the checkout, or a merge or rebase is not finished there.
func (c *checkout) idle() error {
	if c.has("index.lock") {
		return fmt.Errorf("%w: git is at work in %s", ErrDirty, c.path)
	}
	for _, name := range inProgress {
		if name != "MERGE_RR" && name != "SQUASH_MSG" && name != "MERGE_MSG" && c.has(name) {
			return fmt.Errorf("%w: a merge or rebase is not finished in %s", ErrDirty, c.path)
		}
	}
	return nil
}

// free returns ErrDirty if the checkout cannot move from one commit to another.
func (c *checkout) free(ctx context.Context, from, to string) error {
	if err := c.idle(); err != nil {
		return err
	}
	s, _, err := c.r.t.Git.status(ctx, c.path)
	if err != nil {
		return err
	}
	var dirty []string
	for _, e := range s.entries {
		if !e.untracked {
			dirty = append(dirty, e.path)
		}
	}
	moving, err := c.compare(ctx, from, to)
	if err != nil {
		return err
	}
	// git would overwrite ignored files, and a user may have no other copy of them.
	others, err := c.names(ctx, "ls-files", "--others", "-z")
	if err != nil {
		return err
	}
	for _, m := range moving {
		if m.newMode != "000000" {
			dirty = append(dirty, inTheWay(others, m.name)...)
		}
	}
	if len(dirty) > 0 {
		return fmt.Errorf("%w: commit, stash or move %s in %s first", ErrDirty, listed(dirty), c.path)
	}
	if err := c.refresh(ctx); err != nil {
		return err
	}
	if _, err := c.git(ctx, "read-tree", "-n", "-m", "-u", from, to); err != nil {
		return fmt.Errorf("%w: %w", ErrDirty, err)
	}
	return c.note(delivering, from+" "+to)
}

// inTheWay returns those of the sorted names that a file of the given name would
// replace: the name itself, a file where it needs a folder, and files in a folder of
// its name.
func inTheWay(sorted []string, name string) []string {
	var found []string
	for up := name; up != "."; up = path.Dir(up) {
		for _, other := range []string{up, up + "/"} { // with a slash: a nested repository
			if _, is := slices.BinarySearch(sorted, other); is {
				found = append(found, other)
			}
		}
	}
	at, _ := slices.BinarySearch(sorted, name+"/")
	for _, other := range sorted[at:] {
		if !strings.HasPrefix(other, name+"/") || other == name+"/" {
			break
		}
		found = append(found, other)
	}
	return found
}

// update updates files and index after the branch has moved.
func (c *checkout) update(ctx context.Context, from, to string) error {
	if err := c.turn(ctx, from, to); err != nil {
		return fmt.Errorf("update the checkout %s: %w", c.path, err)
	}
	return c.forget(delivering)
}

// finish completes a delivery that a kill cut short. The note says which commits the
// files are between. A file or an entry of the index that matches neither commit is the user's, and
// then nothing is touched, unless git only failed to write that file completely.
func (c *checkout) finish(ctx context.Context, base string) error {
	from, to, ok := strings.Cut(c.noted(delivering), " ")
	if !ok {
		return nil
	}
	// The branch did not move, or has moved on since; or the note came with the repository.
	if to != base || objectID(from) == "" {
		return c.forget(delivering)
	}
	steps, err := c.compare(ctx, from, to)
	if err != nil {
		return err
	}
	s, err := c.standing(ctx, from, to, steps)
	if err != nil {
		return err
	}
	if s.arrived { // the user completed it
		return c.forget(delivering)
	}
	if err := c.idle(); err != nil {
		return err
	}
	if len(s.staged) > 0 {
		return fmt.Errorf("%w: a merge was interrupted in %s, and since then %s was staged; unstage it with `git restore --staged`", ErrDirty,
			c.path, listed(s.staged))
	}
	if len(s.dirty) > 0 {
		return fmt.Errorf("%w: a merge was interrupted in %s, and since then %s changed; commit or restore them", ErrDirty, c.path,
			listed(s.dirty))
	}
	inside, err := os.OpenRoot(c.path)
	if err != nil {
		return err
	}
	defer inside.Close()
	// Only the files of the delivery are written; index and files then agree. What the user leaves
	// out of a sparse checkout stays so in the index.
	if _, err := c.git(ctx, "read-tree", "--reset", "-i", to); err != nil {
		return err
	}
	for _, m := range steps {
		if name := filepath.FromSlash(m.name); m.newMode == "000000" && present(inside, name) {
			if err := ignoreGone(inside.Remove(name)); err != nil {
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
	if _, err := c.r.do(ctx, call{in: &c.tree, input: []byte(names.String()), args: []string{"checkout-index", "-f", "-z",
		"--stdin"}}); err != nil {
		return err
	}
	if err := c.refresh(ctx); err != nil {
		return err
	}
	return c.forget(delivering)
}

// turn changes files and index from one commit to another. It fails where a file that
// differs between them is not as the first one has it. A file that was only touched fails
// the first attempt; asking about all files beforehand would double the time.
func (tr *tree) turn(ctx context.Context, from, to string) error {
	_, err := tr.git(ctx, "read-tree", "-m", "-u", from, to)
	if err == nil {
		return nil
	}
	if again := tr.refresh(ctx); again != nil {
		return errors.Join(err, again)
	}
	if _, again := tr.git(ctx, "read-tree", "-m", "-u", from, to); again != nil {
		return errors.Join(err, again)
	}
	return nil
}

// refresh notes in the index which files are as it has them. git takes a file that was
// only touched for a changed one until then.
func (tr *tree) refresh(ctx context.Context) error {
	if _, err := tr.git(ctx, "update-index", "-q", "--refresh"); err != nil && !git.Exited(err, 1) { // 1: some are not
		return err
	}
	return nil
}

// halfway is how a checkout stands between two commits.
type halfway struct {
	staged  []string // what the index has as neither of them
	dirty   []string // the files between them that are as in neither of them
	arrived bool     // what differs between them is as in the second one, in files and index
}

// standing looks at the index, and at the files between two commits. It looks at no other file of the
// checkout.
func (c *checkout) standing(ctx context.Context, from, to string, steps []change) (s halfway, err error) {
	inside, err := os.OpenRoot(c.path)
	if err != nil {
		return s, err
	}
	defer inside.Close()
	var names []string
	for _, m := range steps {
		info, err := inside.Lstat(filepath.FromSlash(m.name))
		if err == nil && info.Mode()&^fs.ModePerm&^fs.ModeSymlink != 0 {
			s.dirty = append(s.dirty, m.name) // a folder, or something that git would wait for
			continue
		}
		names = append(names, m.name)
	}
	x, err := c.copiedIndex()
	if err != nil {
		return s, err
	}
	defer os.Remove(x.file)
	after, before, err := x.changesOf(ctx, to, from)
	if err != nil {
		return s, err
	}
	s.staged = both(after, before)
	s.arrived = len(s.dirty) == 0 && len(both(after, steps)) == 0
	if err := x.take(ctx, names); err != nil {
		return s, err
	}
	if after, before, err = x.changesOf(ctx, to, from); err != nil {
		return s, err
	}
	s.arrived = s.arrived && len(both(after, steps)) == 0
	for _, name := range both(after, before) {
		if slices.Contains(names, name) && !c.halfWritten(ctx, to, name) {
			s.dirty = append(s.dirty, name)
		}
	}
	return s, nil
}

// changesOf lists the differences between the index and each of two commits.
func (x index) changesOf(ctx context.Context, one, other string) (ofOne, ofOther []change, err error) {
	if ofOne, err = x.changes(ctx, one); err != nil {
		return nil, nil, err
	}
	ofOther, err = x.changes(ctx, other)
	return ofOne, ofOther, err
}

// halfWritten reports whether a file holds the beginning of its content in a commit: a
// kill or a full disk stopped git while it wrote.
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
