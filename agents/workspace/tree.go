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

	"questboard/agents/git"
	"questboard/agents/remove"
)

// tree is the worktree of a step, or of the quest itself (step own).
type tree struct {
	r     *repository
	step  string
	path  string
	admin string // the tree's folder in our git directory; empty: there is none
	// The git directory of the tree, and our view of it.
	common, view string
	asides       int // number of kept folders that were looked at
}

// The files of ours in a worktree's admin folder.
const (
	// written last; without it the tree is half made or half removed. In the quest's own tree: the commit of its files
	ready   = "questboard-ready"
	merging = "questboard-merging" // a merge is changing the files
	locked  = "locked"             // git's: prevents "git worktree prune"
)

// tree finds the worktree of a step.
func (r *repository) tree(ctx context.Context, step string) (*tree, error) {
	switch step {
	case "requirements", "plan", own:
		step = own
	default:
		if err := checkName("step", step); err != nil {
			return nil, err
		}
	}
	r.wanted = append(r.wanted, r.branch(step), r.tipRef(step))
	tr := &tree{r: r, step: step, path: filepath.Join(r.root, r.ref.Quest, step), common: r.common, view: r.view}
	if err := git.ClearLock(ctx, filepath.Join(r.common, r.branch(step)+".lock")); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(r.adminOf(step)); err != nil || !info.IsDir() {
		return tr, ignoreGone(err)
	}
	tr.admin = r.adminOf(step)
	if err := tr.restoreAdmin(); err != nil {
		return nil, err
	}
	if err := git.ClearLocks(ctx, tr.admin); err != nil {
		return nil, err
	}
	return tr, tr.clearTemporary()
}

// adminOf returns git's folder for the worktree of a step. No name of a quest or step
// contains a plus.
func (r *repository) adminOf(step string) string { return adminIn(r.common, r.ref.Quest, step) }

func adminIn(common, quest, step string) string {
	return filepath.Join(common, "worktrees", quest+"+"+step)
}

// restoreAdmin rewrites the files that tell git where the tree is, if an agent has
// replaced them: git would wait for a pipe.
func (tr *tree) restoreAdmin() error {
	for name, text := range map[string]string{"commondir": "../..\n", "gitdir": tr.gitFile() + "\n"} {
		at := filepath.Join(tr.admin, name)
		if info, err := os.Lstat(at); err == nil && !info.Mode().IsRegular() {
			if err := removeAll(at); err != nil {
				return err
			}
		}
		if err := writeIfChanged(at, []byte(text)); err != nil {
			return err
		}
	}
	if info, err := os.Lstat(filepath.Join(tr.admin, "index")); err == nil && info.Size() > indexMax {
		return odd("%s has %s; git writes another if you remove it", filepath.Join(tr.admin, "index"), formatSize(info.Size()))
	}
	for _, name := range []string{"HEAD", "index", "config.worktree", "MERGE_HEAD", "info/sparse-checkout"} {
		if err := plainAt(tr.admin, name, false); err != nil {
			return err
		}
	}
	return nil
}

// indexMax limits the copy of an index; one of a million files has 100 MB.
const indexMax = 1 << 30

// standing returns a tree that must exist.
func (r *repository) standing(ctx context.Context, step string) (*tree, error) {
	tr, err := r.tree(ctx, step)
	if err != nil {
		return nil, err
	}
	if !tr.whole() {
		return nil, fmt.Errorf("the worktree %s is gone: %w", tr.path, fs.ErrNotExist)
	}
	return tr, tr.unstuck(ctx, tr.mend())
}

func (tr *tree) gitFile() string { return filepath.Join(tr.path, ".git") }

// whole reports whether the tree was made completely and still exists.
func (tr *tree) whole() bool {
	if tr.admin == "" || !tr.has(ready) {
		return false
	}
	info, err := os.Lstat(tr.path)
	return err == nil && info.IsDir()
}

// mend restores the tree's .git file, which an agent may have removed or replaced.
func (tr *tree) mend() error {
	if admin, _ := linked(tr.path); admin == tr.admin {
		return nil
	}
	if info, err := os.Lstat(tr.gitFile()); err == nil && info.IsDir() { // "git init" in a tree without .git
		return tr.aside(".git")
	}
	if err := os.Remove(tr.gitFile()); errors.Is(err, fs.ErrPermission) { // the folder may be a link to elsewhere
		_ = os.Chmod(tr.path, 0o700)
		_ = os.Remove(tr.gitFile())
	}
	// Only a new file: opening an existing pipe would wait forever.
	f, err := os.OpenFile(tr.gitFile(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("gitdir: " + tr.admin + "\n")
	return errors.Join(err, f.Close())
}

// linked reads from a worktree's .git file which of git's folders it belongs to.
func linked(worktree string) (admin string, ok bool) {
	b, err := readPlain(filepath.Join(worktree, ".git"))
	if err != nil {
		return "", false
	}
	return strings.CutPrefix(strings.TrimSuffix(string(b), "\n"), "gitdir: ")
}

func (tr *tree) has(name string) bool {
	_, err := os.Lstat(filepath.Join(tr.admin, name))
	return err == nil
}

// note and noted write and read a line of text in the admin folder. note replaces
// whatever is there: agents can also write to that folder, or the repository may have
// brought such a file.
func (tr *tree) note(name, text string) error {
	at := filepath.Join(tr.admin, name)
	if info, err := os.Lstat(at); err == nil && info.IsDir() {
		if err := removeAll(at); err != nil {
			return err
		}
	}
	return writeIfChanged(at, []byte(text+"\n"))
}

func (tr *tree) noted(name string) string {
	b, _ := readPlain(filepath.Join(tr.admin, name))
	return strings.TrimSpace(string(b))
}

func (tr *tree) forget(names ...string) error {
	for _, name := range names {
		if err := removeAll(filepath.Join(tr.admin, name)); err != nil {
			return err
		}
	}
	return nil
}

// git runs a command in the tree.
func (tr *tree) git(ctx context.Context, args ...string) (string, error) {
	out, err := tr.r.do(ctx, call{in: tr, args: args})
	return strings.TrimSuffix(out, "\n"), err
}

// names runs a command in the tree that lists file names with -z.
func (tr *tree) names(ctx context.Context, args ...string) ([]string, error) {
	out, err := tr.r.do(ctx, call{in: tr, args: args})
	return splitNames(out), err
}

func splitNames(out string) []string {
	names := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if names[0] == "" {
		return nil
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// remove deletes the tree's files and git's folder for it. Files that cannot be deleted
// are moved away. A kill in the middle leaves an incomplete tree.
func (tr *tree) remove() error {
	if tr.admin != "" {
		if err := tr.forget(ready); err != nil {
			return err
		}
	}
	if err := removeAll(tr.path); err != nil { // for example another user's files
		if other := tr.away(); other != nil {
			return errors.Join(err, other)
		}
	}
	if tr.admin != "" {
		if err := removeAll(tr.admin); err != nil {
			return err
		}
	}
	tr.admin = ""
	return nil
}

// removeAll removes a folder that agents have filled.
func removeAll(dir string) error {
	above, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return ignoreGone(err)
	}
	defer above.Close()
	return remove.All(above, filepath.Base(dir))
}
