package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"questboard/agents/git"
)

// keepSubmodules moves submodules aside in which an agent has left work. That work
// belongs to other repositories, whose git folders are removed with the worktree, and
// no commit of ours can hold it.
func (tr *tree) keepSubmodules(ctx context.Context) error {
	if _, err := os.Lstat(filepath.Join(tr.path, ".gitmodules")); err != nil {
		return ignoreGone(err)
	}
	names, err := tr.submodules(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		gitdir, holds := tr.holdsWork(ctx, filepath.Join(tr.path, filepath.FromSlash(name)))
		if !holds {
			continue
		}
		if err := tr.asideSubmodule(ctx, name, gitdir); err != nil {
			return err
		}
	}
	return nil
}

// submodules lists the submodules in the tree's index.
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

// movingGitDir is the name of a submodule's git folder while it moves to its files.
const movingGitDir = ".git-questboard"

// holdsWork reports whether a submodule has anything that its remotes lack, and returns
// its git folder. git is given a view of that folder, so that it obeys nothing in it.
// If git cannot tell, the answer is yes.
func (tr *tree) holdsWork(ctx context.Context, dir string) (gitdir string, holds bool) {
	info, err := os.Lstat(filepath.Join(dir, ".git"))
	if err != nil || info.Mode()&os.ModeSymlink != 0 {
		_, err := os.Lstat(filepath.Join(dir, movingGitDir))
		return "", err == nil // otherwise it is not checked out
	}
	gitdir = filepath.Join(dir, ".git")
	if !info.IsDir() {
		text, _ := readPlain(gitdir)
		named, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
		if !ok {
			return "", true
		}
		if gitdir = named; !filepath.IsAbs(gitdir) {
			gitdir = filepath.Join(dir, named)
		}
		if gitdir, err = filepath.EvalSymlinks(gitdir); err != nil {
			return "", true
		}
	}
	if !isGitDir(gitdir) || plainGitDir(gitdir) != nil {
		return "", true
	}
	return gitdir, tr.differsFromRemotes(ctx, dir, gitdir)
}

func (tr *tree) differsFromRemotes(ctx context.Context, dir, gitdir string) bool {
	g := tr.r.t.Git
	view, err := os.MkdirTemp(tr.r.home, "within-")
	if err != nil {
		return true
	}
	defer os.RemoveAll(view)
	if err := g.makeView(view, gitdir, settings{carried: tr.r.users.carried, format: tr.r.users.format}, found{common: gitdir}); err != nil {
		return true
	}
	ask := func(args ...string) (string, error) {
		out, _, err := g.Run(ctx, git.Command{Dir: dir, Limit: 64 << 10, Args: args, Reads: []string{view, gitdir}, Writes: []string{dir},
			GitDir: gitdir, Common: view, WorkTree: dir})
		return string(out), err
	}
	changed, err := ask("status", "--porcelain", "--untracked-files=all", "--ignore-submodules=all")
	if err != nil || changed != "" {
		return true
	}
	own, err := ask("rev-list", "--max-count=1", "--all", "HEAD", "--not", "--remotes")
	return err != nil || own != ""
}

// asideSubmodule moves a submodule out of the tree, as a complete repository.
func (tr *tree) asideSubmodule(ctx context.Context, name, gitdir string) error {
	if strings.HasPrefix(gitdir, tr.admin+string(filepath.Separator)) { // otherwise it is within the submodule
		home := filepath.Join(tr.path, filepath.FromSlash(name))
		if err := removeAll(filepath.Join(home, movingGitDir)); err != nil { // an incomplete copy that a kill left
			return err
		}
		if err := moveTree(gitdir, filepath.Join(home, movingGitDir)); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(home, ".git")); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(home, movingGitDir), filepath.Join(home, ".git")); err != nil {
			return err
		}
		if err := tr.dropWorktreeSetting(ctx, filepath.Join(home, ".git", "config")); err != nil {
			return err
		}
	}
	return tr.aside(name)
}

// dropWorktreeSetting removes the path of the former files from a submodule's configuration.
func (tr *tree) dropWorktreeSetting(ctx context.Context, config string) error {
	none, err := tr.r.t.Git.plainView()
	if err != nil || plainAt(filepath.Dir(config), "config", false) != nil {
		return err
	}
	home := filepath.Dir(config) // git makes a lock file next to it
	_, _, err = tr.r.t.Git.Run(ctx, git.Command{Dir: home, Limit: 64 << 10, GitDir: none, Reads: []string{none}, Writes: []string{home},
		Args: []string{"config", "--file", config, "--unset", "core.worktree"}})
	if git.Exited(err, 5) { // the key is missing
		return nil
	}
	return err
}

// moveTree moves a folder, even to another disk.
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

// withoutSubmodules removes existing submodules from a list.
func (x index) withoutSubmodules(ctx context.Context, names []string) ([]string, error) {
	folders := []string{}
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(x.tr.path, filepath.FromSlash(name))); err == nil && info.IsDir() {
			folders = append(folders, name)
		}
	}
	if len(folders) == 0 {
		return names, nil
	}
	known, err := x.tr.submodules(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(folders, name) && slices.Contains(known, name) }), nil
}

// declaredSubmodules returns the nested repositories that .gitmodules names. They become submodules
// at their current commits.
func (tr *tree) declaredSubmodules(ctx context.Context, within []string) map[string]bool {
	meant := map[string]bool{}
	if len(within) == 0 {
		return meant
	}
	declared, err := tr.r.t.Git.parsed(ctx, filepath.Join(tr.path, ".gitmodules"))
	if err != nil {
		return meant // git can read no declaration in it
	}
	for _, c := range declared {
		if strings.HasPrefix(c.key, "submodule.") && strings.HasSuffix(c.key, ".path") && slices.Contains(within, c.value) {
			meant[c.value] = headOf(filepath.Join(tr.path, filepath.FromSlash(c.value)), tr.common) != ""
		}
	}
	return meant
}
