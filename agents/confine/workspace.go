package confine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"questboard/agents"
)

// treesFolder has the worktrees, below the data directory.
const treesFolder = "worktrees"

// workspace shows the folder that the run works in, which it may change, and the folders
// of the quest's home on the way to it. It shows git's files for that folder read-only,
// because hooks and settings that an agent wrote there would run outside of the sandbox.
func (s *Sandbox) workspace(ctx context.Context, v *view, spec agents.Spec) error {
	// Compare names only, because an agent may have replaced anything in a tree with a
	// link.
	for _, trees := range spellings(filepath.Join(s.Data, treesFolder)) {
		if names := parts(trees, spec.Dir); within(trees, spec.Dir) && len(names) > 1 {
			s.ways(v, spec.QuestID) // what is linked to the user's checkout is not the same for all programs
			return s.worktree(ctx, v, spec, names)
		}
	}
	if err := s.shared(ctx, v, spec); err != nil {
		return err
	}
	s.ways(v, spec.QuestID) // the folder is the same for all programs of the quest
	return nil
}

// worktree shows a tree of our own, <quest>/<step>, or a folder in it.
func (s *Sandbox) worktree(ctx context.Context, v *view, spec agents.Spec, names []string) error {
	trees, err := filepath.EvalSymlinks(filepath.Join(s.Data, treesFolder))
	if err != nil {
		return fmt.Errorf("find the workspace: %w", err)
	}
	root := filepath.Join(trees, names[0], names[1])
	v.dir = filepath.Join(root, filepath.Join(names[2:]...))
	real, err := filepath.EvalSymlinks(v.dir)
	if err != nil {
		return fmt.Errorf("find the workspace: %w", err)
	}
	if real != v.dir {
		return &agents.NotStarted{Why: fmt.Sprintf("in the sandbox no agent works in %s, for it leads to %s: "+
			"an agent may have made a link of it. Put the folder back and retry", v.dir, real)}
	}
	v.put(root, entry{kind: write, from: root})
	if git := filepath.Join(root, gitName); plainFile(git) {
		v.put(git, entry{kind: read, from: git})
	}
	if spec.Repo == "" {
		return nil
	}
	if s.Git != nil {
		git, err := s.Git.TreesGit(spec.QuestID)
		if err != nil {
			return fmt.Errorf("find the git directory of the quest's worktrees: %w", err)
		}
		if git != "" {
			v.put(git, entry{kind: read, from: git})
		}
	}
	return s.seeLinks(ctx, v, spec.Repo)
}

// seeLinks shows what a worktree links to in the user's checkout. It is read-only,
// because the user runs those files outside. A commit can turn such a path into a link,
// so it is shown only if it stays in the checkout and outside of git's folder.
func (s *Sandbox) seeLinks(ctx context.Context, v *view, repo string) error {
	if s.Links == nil {
		return nil
	}
	names, err := s.Links(ctx, repo)
	if err != nil {
		return fmt.Errorf("look up the links of %s: %w", repo, err)
	}
	root, err := filepath.EvalSymlinks(repo)
	if err != nil {
		return fmt.Errorf("look up the links of %s: %w", repo, err)
	}
	for _, name := range names {
		path := filepath.Join(repo, name)
		real, err := filepath.EvalSymlinks(path)
		if err != nil || !filepath.IsLocal(name) || real == root || !within(root, real) || inGit(root, real) {
			continue
		}
		v.put(path, entry{kind: read, from: real})
	}
	return nil
}

// gitName is git's directory in a checkout.
const gitName = ".git"

// inGit reports whether a path below root is, or is in, a git directory there.
func inGit(root, path string) bool {
	return slices.ContainsFunc(parts(root, path), func(name string) bool { return strings.EqualFold(name, gitName) })
}

func plainFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}
