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

// tree is the worktree of a line, or of the quest itself (line own).
type tree struct {
	r     *repository
	line  string
	path  string
	admin string // git's folder for it in the repository; empty: there is none
	env   []string
}

// The files of ours in a worktree's admin folder.
const (
	ready   = "questboard-ready"   // written last; without it the tree is half made or half removed. In the quest's own: the commit its files are at
	merging = "questboard-merging" // there is a merge at work on the files
	locked  = "locked"             // git's: keeps "git worktree prune" away
)

// tree finds the worktree of a line.
func (r *repository) tree(ctx context.Context, line string) (*tree, error) {
	switch line {
	case "requirements", "plan", own:
		line = own
	default:
		if err := checkName("line", line); err != nil {
			return nil, err
		}
	}
	r.wanted = append(r.wanted, r.branch(line), r.tipRef(line))
	tr := &tree{r: r, line: line, path: filepath.Join(r.root, r.ref.Quest, line), env: r.env}
	all, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	if err != nil {
		return tr, ignoreGone(err)
	}
	for _, e := range all {
		admin := filepath.Join(r.common, "worktrees", e.Name())
		gitdir, err := readPlain(filepath.Join(admin, "gitdir"))
		if err == nil && strings.TrimSuffix(string(gitdir), "\n") == tr.gitFile() {
			tr.admin = admin
			break
		}
	}
	if tr.admin == "" {
		return tr, nil
	}
	if _, err := os.Stat(filepath.Join(tr.admin, "config.worktree")); err == nil { // it may configure filters of its own
		if tr.env, err = r.t.Git.tamed(ctx, tr.path, []string{"GIT_DIR=" + tr.admin, "GIT_WORK_TREE=" + tr.path}); err != nil {
			return nil, err
		}
	}
	if err := clearLock(ctx, filepath.Join(r.common, r.branch(line)+".lock")); err != nil {
		return nil, err
	}
	if err := clearLocks(ctx, tr.admin); err != nil {
		return nil, err
	}
	return tr, tr.clearTemporary()
}

// standing is a tree that must be there.
func (r *repository) standing(ctx context.Context, line string) (*tree, error) {
	tr, err := r.tree(ctx, line)
	if err != nil {
		return nil, err
	}
	if !tr.whole() {
		return nil, fmt.Errorf("the worktree %s is gone: %w", tr.path, fs.ErrNotExist)
	}
	return tr, tr.mend()
}

func (tr *tree) gitFile() string { return filepath.Join(tr.path, ".git") }

// whole reports whether the tree was made to the end and is still there.
func (tr *tree) whole() bool {
	if tr.admin == "" || !tr.has(ready) {
		return false
	}
	info, err := os.Lstat(tr.path)
	return err == nil && info.IsDir()
}

// mend gives a tree its .git file back: an agent may have removed it.
func (tr *tree) mend() error {
	if admin, _ := linked(tr.path); admin == tr.admin {
		return nil
	}
	if info, err := os.Lstat(tr.gitFile()); err == nil && info.IsDir() { // "git init" in a tree without .git
		return tr.aside(".git")
	}
	_ = os.Remove(tr.gitFile()) // it may be a link to elsewhere
	return os.WriteFile(tr.gitFile(), []byte("gitdir: "+tr.admin+"\n"), 0o600)
}

// linked reads from a worktree's .git file which folder of git's it belongs to.
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

// note and noted keep a line of text in the admin folder.
func (tr *tree) note(name, text string) error {
	temporary := filepath.Join(tr.admin, name+".new")
	if err := os.WriteFile(temporary, []byte(text+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(tr.admin, name))
}

func (tr *tree) noted(name string) string {
	b, _ := readPlain(filepath.Join(tr.admin, name))
	return strings.TrimSpace(string(b))
}

func (tr *tree) forget(names ...string) error {
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(tr.admin, name)); err != nil {
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

// aside moves what is at a path of the tree out of it, where nobody deletes it.
func (tr *tree) aside(name string) error {
	for n := 1; ; n++ {
		to := filepath.Join(tr.r.root, tr.r.ref.Quest, "_kept", tr.line, fmt.Sprint(n), filepath.FromSlash(name))
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		err := os.Rename(filepath.Join(tr.path, filepath.FromSlash(name)), to)
		if name == ".git" && err == nil {
			return tr.mend()
		}
		return err
	}
}

// remove deletes the tree's files and git's folder for it. Killed in the
// middle, it leaves a tree that is not whole.
func (tr *tree) remove() error {
	if tr.admin != "" {
		if err := tr.forget(ready); err != nil {
			return err
		}
	}
	if err := removeAll(tr.path); err != nil {
		return err
	}
	if tr.admin != "" {
		if err := os.RemoveAll(tr.admin); err != nil {
			return err
		}
		_ = os.Remove(filepath.Dir(tr.admin)) // as git does, if it is empty
	}
	tr.admin = ""
	return nil
}

// removeAll also removes folders that an agent's tools made read-only.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// Whoever still works there may put a link in the place of a folder: within
	// a root nothing outside changes its mode.
	above, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer above.Close()
	_ = fs.WalkDir(above.FS(), filepath.Base(dir), func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = above.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
