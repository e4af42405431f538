package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// keepSubmodules moves those submodules aside in which an agent has left work:
// what is in them belongs to other repositories, whose git folders go with the
// worktree, and no commit of ours can hold it.
func (tr *tree) keepSubmodules(ctx context.Context) error {
	if _, err := os.Lstat(filepath.Join(tr.path, ".gitmodules")); err != nil {
		return ignoreGone(err)
	}
	names, err := tr.submodules(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		gitdir, holds := tr.r.t.Git.holdsWork(ctx, filepath.Join(tr.path, filepath.FromSlash(name)))
		if !holds {
			continue
		}
		if err := tr.asideSubmodule(ctx, name, gitdir); err != nil {
			return err
		}
	}
	return nil
}

// asideBroken moves those submodules aside whose git folder is not there: git
// refuses a tree that has one. A check-out of submodules that was killed leaves
// such. An empty folder is what a submodule looks like that is not checked out.
func (tr *tree) asideBroken(ctx context.Context) error {
	names, err := tr.submodules(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		home := filepath.Join(tr.path, filepath.FromSlash(name))
		if _, err := os.Lstat(filepath.Join(home, ".git")); err != nil {
			continue
		}
		if _, err := tr.r.t.Git.ask1(ctx, home, "rev-parse", "--git-dir"); !errors.Is(err, ErrNotGit) {
			continue
		}
		if err := tr.aside(name); err != nil {
			return err
		}
		if err := os.Mkdir(home, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// submodules names those that the tree's index has.
func (tr *tree) submodules(ctx context.Context) ([]string, error) {
	tracked, err := tr.git(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	var names []string
	for entry := range strings.SplitSeq(tracked, "\x00") {
		if facts, name, _ := strings.Cut(entry, "\t"); strings.HasPrefix(facts, "160000 ") {
			names = append(names, name)
		}
	}
	return names, nil
}

// homecoming is the name of a submodule's git folder while it moves to its files.
const homecoming = ".git-questboard"

// holdsWork reports whether a submodule has anything that its remotes do not,
// and where its git folder is. If git cannot tell, it has.
func (g Git) holdsWork(ctx context.Context, dir string) (gitdir string, holds bool) {
	if info, err := os.Lstat(filepath.Join(dir, ".git")); err != nil || info.Mode()&os.ModeSymlink != 0 {
		_, err := os.Lstat(filepath.Join(dir, homecoming))
		return "", err == nil // else it is not checked out
	}
	s, err := g.status(ctx, dir)
	if err != nil || s.top != dir {
		return "", true
	}
	gitdir, err = g.ask1(ctx, dir, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return "", true
	}
	if len(s.entries) > 0 {
		return gitdir, true
	}
	own, err := g.ask1(ctx, dir, "rev-list", "--max-count=1", "--all", "HEAD", "--not", "--remotes")
	return gitdir, err != nil || own != ""
}

// asideSubmodule moves a submodule out of the tree, as a repository that stands
// by itself.
func (tr *tree) asideSubmodule(ctx context.Context, name, gitdir string) error {
	if strings.HasPrefix(gitdir, tr.admin+string(filepath.Separator)) { // else it is within the submodule
		home := filepath.Join(tr.path, filepath.FromSlash(name))
		if err := removeAll(filepath.Join(home, homecoming)); err != nil { // half a copy that a kill left
			return err
		}
		if err := moveTree(gitdir, filepath.Join(home, homecoming)); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(home, ".git")); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(home, homecoming), filepath.Join(home, ".git")); err != nil {
			return err
		}
		// It says where the files were. 5: it does not.
		_, err := tr.r.t.Git.ask1(ctx, home, "config", "--file", filepath.Join(home, ".git", "config"), "--unset", "core.worktree")
		if err != nil && !exitedWith(err, 5) {
			return err
		}
	}
	return tr.aside(name)
}

// moveTree moves a folder, also to another disk.
func moveTree(from, to string) error {
	err := os.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return removeAll(from)
}
