package confine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"questboard/agents"
)

// treesFolder is where worktrees are, below the data directory.
const treesFolder = "worktrees"

// workspace shows the folder that the run works in, which it may change, and
// read-only what git keeps of it: hooks and settings that an agent could write
// there would run outside.
func (s *Sandbox) workspace(ctx context.Context, v *view, spec agents.Spec) error {
	real, err := filepath.EvalSymlinks(spec.Dir)
	if err != nil {
		return fmt.Errorf("find the workspace: %w", err)
	}
	v.dir = real
	trees, err := filepath.EvalSymlinks(filepath.Join(s.Data, treesFolder))
	if err == nil && within(trees, real) && len(parts(trees, real)) > 1 {
		return s.worktree(ctx, v, spec, trees, real)
	}
	return s.shared(ctx, v, spec, real)
}

// worktree is a tree of our own, below trees/<quest>/<line>.
func (s *Sandbox) worktree(ctx context.Context, v *view, spec agents.Spec, trees, real string) error {
	names := parts(trees, real)
	root := filepath.Join(trees, names[0], names[1])
	v.shield(filepath.Dir(root))
	v.put(root, entry{kind: write, from: root})
	gitFile := filepath.Join(root, ".git")
	if info, err := os.Lstat(gitFile); err == nil && info.Mode().IsRegular() {
		v.put(gitFile, entry{kind: read, from: gitFile})
	}
	if spec.Repo == "" {
		return nil
	}
	_, common, err := s.layout(ctx, spec.Repo)
	if err != nil {
		return err
	}
	v.shield(spec.Repo)
	if seeGit(v, common, gitFile) {
		seeBorrowed(v, common)
	}
	return s.seeLinks(ctx, v, spec.Repo)
}

// shared is the user's own folder.
func (s *Sandbox) shared(ctx context.Context, v *view, spec agents.Spec, real string) error {
	if s.tooWide(real) {
		return &agents.NotStarted{Why: fmt.Sprintf("in the sandbox no agent works in %s, for it holds your home or the data directory: "+
			"choose a repository below it, or worktrees", real)}
	}
	top, common, err := s.layout(ctx, real)
	if err != nil {
		return err
	}
	if top != "" && top != real && !s.tooWide(top) {
		v.put(top, entry{kind: read, from: top})
	}
	for _, at := range spellings(spec.Dir) {
		v.put(at, entry{kind: write, from: real})
		if git := filepath.Join(real, ".git"); exists(git) {
			from, err := filepath.EvalSymlinks(git)
			if err != nil {
				return err
			}
			v.put(filepath.Join(at, ".git"), entry{kind: read, from: from})
		}
	}
	if top != "" {
		seeGit(v, common, filepath.Join(top, ".git"))
	}
	return nil
}

func (s *Sandbox) layout(ctx context.Context, dir string) (top, common string, err error) {
	if s.Git == nil {
		return "", "", nil
	}
	if top, common, err = s.Git.Layout(ctx, dir); err != nil {
		return "", "", fmt.Errorf("find the repository: %w", err)
	}
	return top, common, nil
}

// seeGit shows a git directory, if it is that of the working tree: what stands
// in a .git file may be a lie.
func seeGit(v *view, common, gitFile string) bool {
	if common == "" || !within(filepath.Dir(gitFile), common) && !links(common, gitFile) {
		return false
	}
	v.put(common, entry{kind: read, from: common})
	return true
}

// seeBorrowed shows the repositories from which another borrows objects. Not in
// shared mode: an agent may have made a repository of a folder below, and that
// would borrow what it likes.
func seeBorrowed(v *view, common string) {
	borrowed := plain(filepath.Join(common, "objects", "info", "alternates"))
	for path := range strings.Lines(borrowed) {
		path = strings.TrimSuffix(path, "\n")
		if !filepath.IsAbs(path) {
			path = filepath.Join(common, "objects", path)
		}
		if filepath.Base(path) == "objects" {
			v.see(path, read)
		}
	}
}

// links reports whether the git directory knows the worktree of this .git file.
func links(common, gitFile string) bool {
	all, _ := os.ReadDir(filepath.Join(common, "worktrees"))
	for _, e := range all {
		if strings.TrimSuffix(plain(filepath.Join(common, "worktrees", e.Name(), "gitdir")), "\n") == gitFile {
			return true
		}
	}
	return false
}

// plain is the text of a small plain file; "": there is none. A pipe in its
// place would hold us.
func plain(name string) string {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > 64<<10 {
		return ""
	}
	text, _ := os.ReadFile(name)
	return string(text)
}

// seeLinks shows what a worktree links to in the user's checkout. There it is
// the user's, who runs it outside: read-only.
func (s *Sandbox) seeLinks(ctx context.Context, v *view, repo string) error {
	if s.Links == nil {
		return nil
	}
	names, err := s.Links(ctx, repo)
	if err != nil {
		return fmt.Errorf("look up the links of %s: %w", repo, err)
	}
	for _, name := range names {
		path := filepath.Join(repo, name)
		root, err := filepath.EvalSymlinks(repo)
		if err != nil || !filepath.IsLocal(name) {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && within(root, real) && real != root {
			v.put(path, entry{kind: read, from: real})
		}
	}
	return nil
}
