package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// found is the repository of a user's folder. It is found without git, because git
// would obey what the repository says about itself. All paths are without links.
type found struct {
	top    string // the root of the working tree
	gitdir string // the git directory of this working tree
	common string // the git directory that all working trees of the repository share
	prefix string // the folder's path within top; "" or ending with a slash
}

// ErrOdd: the layout of a repository cannot be trusted. The error that wraps it names
// the file and the remedy.
var ErrOdd = errors.New("this repository cannot be used as it is")

func odd(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrOdd, fmt.Errorf(format, args...))
}

// errBare is ErrBare with the remedy.
var errBare = fmt.Errorf("%w; clone it and use the clone", ErrBare)

// find looks for the repository that a folder belongs to. The error may be ErrNotGit,
// ErrBare or ErrOdd.
func find(dir string) (found, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return found{}, err
	}
	for top := real; ; top = filepath.Dir(top) {
		f, err := openedAt(top)
		if err == nil {
			if top != real {
				rest, _ := filepath.Rel(top, real) // top is a parent folder
				f.prefix = filepath.ToSlash(rest) + "/"
			}
			return f, nil
		}
		if !errors.Is(err, ErrNotGit) {
			return found{}, err
		}
		if isGitDir(top) {
			return found{}, errBare
		}
		if top == filepath.Dir(top) {
			return found{}, ErrNotGit
		}
	}
}

// openedAt returns the repository whose working tree has this root. Anybody can write a
// .git file that names a foreign git directory, so a git directory elsewhere must in turn
// name the tree.
func openedAt(top string) (found, error) {
	name := filepath.Join(top, ".git")
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found{}, ErrNotGit
	case err != nil:
		return found{}, err
	case info.IsDir():
		if !isGitDir(name) {
			return found{}, ErrNotGit
		}
		f := found{top: top, gitdir: name, common: name}
		return f, errors.Join(plainGitDir(name), plainHead(f))
	case !info.Mode().IsRegular():
		return found{}, odd("%s is %s: replace it with git's own folder", name, kindOf(info))
	}
	text, err := readPlain(name)
	if err != nil {
		return found{}, err
	}
	named, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if !ok {
		return found{}, ErrNotGit
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(top, named)
	}
	f := found{top: top}
	if f.gitdir, err = filepath.EvalSymlinks(named); err != nil {
		return found{}, odd("%s names %s, which is not there: %w", name, named, err)
	}
	if f.common, err = commonOf(f.gitdir); err != nil {
		return found{}, err
	}
	if !isGitDir(f.common) {
		return found{}, odd("%s names %s, which is not a git directory", name, named)
	}
	if !namesBack(f, name) {
		remedy := "git -C " + shellQuoted(top) + " worktree repair" // a worktree that somebody moved
		if f.gitdir == f.common {
			// Its own git directory: "git init --separate-git-dir" writes no core.worktree.
			remedy = "git config --file " + shellQuoted(filepath.Join(f.gitdir, "config")) + " core.worktree " + shellQuoted(top)
		}
		return found{}, odd("%s names %s, but that does not point back to it. If these are its files, run `%s`", name, f.gitdir, remedy)
	}
	return f, errors.Join(plainGitDir(f.gitdir), plainGitDir(f.common), plainHead(f))
}

// commonOf returns the shared git directory of a working tree's git directory.
func commonOf(gitdir string) (string, error) {
	text, err := readPlain(filepath.Join(gitdir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return gitdir, nil
	}
	if err != nil {
		return "", odd("%w", err)
	}
	common := strings.TrimRight(string(text), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitdir, common)
	}
	return filepath.EvalSymlinks(common)
}

// namesBack reports whether the git directory of a .git file names this tree: a linked
// worktree in its file gitdir, a submodule in core.worktree.
func namesBack(f found, name string) bool {
	if f.gitdir != f.common {
		back, err := readPlain(filepath.Join(f.gitdir, "gitdir"))
		at := strings.TrimRight(string(back), "\r\n")
		if !filepath.IsAbs(at) {
			at = filepath.Join(f.gitdir, at)
		}
		return err == nil && filepath.Dir(f.gitdir) == filepath.Join(f.common, "worktrees") && same(at, name)
	}
	tree := worktreeIn(f.gitdir)
	return tree != "" && same(tree, f.top)
}

func same(a, b string) bool {
	one, err := os.Lstat(a)
	if err != nil {
		return false
	}
	two, err := os.Lstat(b)
	return err == nil && os.SameFile(one, two)
}

// worktreeIn returns the folder of the files according to a git directory's
// configuration; "" if it says nothing.
func worktreeIn(gitdir string) string {
	text, err := readPlain(filepath.Join(gitdir, "config"))
	if err != nil {
		return ""
	}
	core, at := false, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			core = strings.EqualFold(line, "[core]")
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok && core && strings.EqualFold(strings.TrimSpace(key), "worktree") {
			at = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	if at != "" && !filepath.IsAbs(at) {
		at = filepath.Join(gitdir, at)
	}
	return at
}

// Layout is the repository of a user's folder, with empty strings if there is none. All
// paths are without links. It obeys no configuration, so Top always contains the
// folder.
type Layout struct {
	Top    string // the root of the working tree
	GitDir string // the git directory of this working tree
	Common string // the git directory that all working trees of the repository share
}

// Layout finds the repository of a folder without asking git. The error may be ErrOdd.
func (g Git) Layout(dir string) (Layout, error) {
	f, err := find(dir)
	if errors.Is(err, ErrNotGit) || errors.Is(err, ErrBare) {
		return Layout{}, nil
	}
	return Layout{Top: f.top, GitDir: f.gitdir, Common: f.common}, err
}
