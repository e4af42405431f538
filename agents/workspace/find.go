package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// found is where the repository of a user's folder is. It is looked up without
// git, which would heed what the repository says of itself. All paths are
// without links.
type found struct {
	top    string // the root of the working tree
	gitdir string // of this working tree
	common string // the git directory that all working trees of the repository share
	prefix string // where the folder is within top; "" or it ends with a slash
}

// ErrOdd: a repository is laid out in a way that cannot be trusted by looking
// at it. The error that wraps it names the file and the remedy.
var ErrOdd = errors.New("this repository cannot be used as it is")

func odd(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrOdd, fmt.Errorf(format, args...))
}

// find looks for the repository that a folder belongs to. ErrNotGit, ErrBare, ErrOdd.
func find(dir string) (found, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return found{}, err
	}
	for top := real; ; top = filepath.Dir(top) {
		f, err := openedAt(top)
		if err == nil {
			if top != real {
				rest, _ := filepath.Rel(top, real) // top is above it
				f.prefix = filepath.ToSlash(rest) + "/"
			}
			return f, nil
		}
		if !errors.Is(err, ErrNotGit) {
			return found{}, err
		}
		if isGitDir(top) {
			return found{}, fmt.Errorf("%w; clone it and use the clone", ErrBare)
		}
		if top == filepath.Dir(top) {
			return found{}, ErrNotGit
		}
	}
}

// openedAt is the repository whose working tree has this root. What stands in a
// .git file may be a lie: a git directory elsewhere must name the tree, too.
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
		return found{}, odd("%s is %s; git's folder must be there itself", name, kindOf(info))
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
		return found{}, odd("%s names %s, which is no git directory", name, named)
	}
	if !namesBack(f, name) {
		return found{}, odd("%s names %s, which does not name it back; `git worktree repair` in the main checkout mends a worktree that was moved, "+
			"`git config --file %s core.worktree %s` a git directory of its own", name, f.gitdir, filepath.Join(f.gitdir, "config"), top)
	}
	return f, errors.Join(plainGitDir(f.gitdir), plainGitDir(f.common), plainHead(f))
}

// commonOf is the git directory that a working tree's belongs to.
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

// namesBack reports whether the git directory of a .git file says that it is
// this one's: a linked worktree by its file gitdir, a submodule by core.worktree.
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

// isGitDir tells a git directory by what git tells it by.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// plainGitDir refuses a git directory in which something stands that git would
// wait for, or that leads elsewhere.
func plainGitDir(dir string) error {
	for _, name := range []string{"HEAD", "config", "config.worktree", "packed-refs", "index", "shallow", "info/exclude", "info/attributes",
		"info/sparse-checkout", "objects/info/alternates", "commondir", "gitdir"} {
		if err := plainAt(dir, name, false); err != nil {
			return err
		}
	}
	for _, name := range []string{"objects", "objects/pack", "objects/info", "refs", "refs/heads", "logs", "worktrees", "info"} {
		if err := plainAt(dir, name, true); err != nil {
			return err
		}
	}
	kept, err := os.ReadDir(filepath.Join(dir, "objects"))
	if err != nil {
		return ignoreGone(err) // a linked worktree's has none
	}
	for _, folder := range kept {
		if !folder.IsDir() && !folder.Type().IsRegular() {
			return odd("%s is no folder: git would write where it leads; remove it", filepath.Join(dir, "objects", folder.Name()))
		}
	}
	return nil
}

// plainHead refuses a repository whose current branch, or the index's larger
// part, stands in what git would wait for. One branch may name another, as far as
// git follows.
func plainHead(f found) error {
	dir, name := f.gitdir, "HEAD"
	for range 6 {
		text, err := plainText(dir, name, refMax)
		if err != nil {
			return odd("%s: %w", dir, err)
		}
		ref, is := strings.CutPrefix(text, "ref:")
		if ref = strings.TrimSpace(ref); !is {
			break
		}
		if !plainRef(ref) {
			return odd("%s names %q, which is no branch", filepath.Join(dir, name), ref)
		}
		dir, name = f.common, ref
	}
	shared, err := filepath.Glob(filepath.Join(globbed(f.gitdir), "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, name := range shared {
		if err := plainAt(f.gitdir, filepath.Base(name), false); err != nil {
			return err
		}
	}
	return nil
}

// waitsIn names what stands in the git directories of a repository that git
// would wait for: the cause where it took too long. "" if it finds nothing.
func waitsIn(ctx context.Context, f found) (name string) {
	for _, dir := range []string{f.gitdir, f.common} {
		_ = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be listed is passed by
			}
			kind := d.Type()
			if kind&fs.ModeSymlink != 0 {
				if info, err := os.Stat(at); err == nil {
					kind = info.Mode()
				}
			}
			if kind&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 {
				name = at
			}
			if name != "" || ctx.Err() != nil {
				return fs.SkipAll
			}
			return nil
		})
	}
	return name
}

// plainAt refuses what is neither a plain file nor missing; or, for a folder,
// neither a folder nor missing.
func plainAt(dir, name string, folder bool) error {
	at := filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil
	case err != nil:
		return err
	case folder && !info.IsDir(), !folder && !info.Mode().IsRegular():
		return odd("%s is %s", at, kindOf(info))
	}
	return nil
}

// kindOf says in words what a name stands for.
func kindOf(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode.IsDir():
		return "a folder"
	default:
		return "a file"
	}
}

// Layout is where the repository of a user's folder is; empty strings where it
// is in none. All paths are without links; nothing that a repository's
// configuration says is heeded, so Top always holds the folder.
type Layout struct {
	Top    string // the root of the working tree
	GitDir string // of this working tree
	Common string // what all working trees of the repository share
}

// Layout finds the repository of a folder without asking git. ErrOdd.
func (g Git) Layout(dir string) (Layout, error) {
	f, err := find(dir)
	if errors.Is(err, ErrNotGit) || errors.Is(err, ErrBare) {
		return Layout{}, nil
	}
	return Layout{Top: f.top, GitDir: f.gitdir, Common: f.common}, err
}

// worktreeIn is what the configuration of a git directory says of where its
// files are; "" where it says nothing.
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
