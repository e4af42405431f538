package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// checkout is a user's worktree in which the base branch is checked out. It is
// handled as a tree of no line.
type checkout struct{ tree }

// delivering is the note of a checkout that is being moved: from and to.
const delivering = "questboard-delivering"

// checkout finds where the user has a branch checked out; nil: nowhere.
func (r *repository) checkout(branch string) (*checkout, error) {
	at := r.users.onBranch(branch)
	if at == "" {
		return nil, nil
	}
	f, err := openedAt(at)
	if err != nil || f.common != r.users.common {
		return nil, errors.Join(fmt.Errorf("the branch is checked out at %s, which is not there as git says; `git worktree prune` forgets it", at), err)
	}
	return &checkout{tree{r: r, path: f.top, admin: f.gitdir, common: f.common, view: r.users.view}}, nil
}

// free reports ErrDirty where the checkout cannot move from one commit to another.
func (c *checkout) free(ctx context.Context, from, to string) error {
	if c.has("index.lock") {
		return fmt.Errorf("%w: git is at work in %s", ErrDirty, c.path)
	}
	for _, name := range inProgress {
		if name != "MERGE_RR" && name != "SQUASH_MSG" && name != "MERGE_MSG" && c.has(name) {
			return fmt.Errorf("%w: a merge or rebase is not finished in %s", ErrDirty, c.path)
		}
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
	// git would overwrite what is ignored; a user may have nothing else of it.
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
	if _, err := c.git(ctx, "read-tree", "-n", "-m", "-u", from, to); err != nil {
		return fmt.Errorf("%w: %w", ErrDirty, err)
	}
	return c.note(delivering, from+" "+to)
}

// inTheWay returns those of the sorted names that a file of that name would
// replace: itself, a file where it needs a folder, files in a folder of its name.
func inTheWay(sorted []string, name string) []string {
	var found []string
	for up := name; up != "."; up = path.Dir(up) {
		for _, other := range []string{up, up + "/"} { // with a slash: a repository within
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

// update moves files and index; the branch has moved.
func (c *checkout) update(ctx context.Context, from, to string) error {
	if _, err := c.git(ctx, "read-tree", "-m", "-u", from, to); err != nil {
		return fmt.Errorf("update the checkout %s: %w", c.path, err)
	}
	return c.forget(delivering)
}
