package workspace_test

import (
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// docs/repositories.md, "worktrees of your own": a quest begins in a linked worktree and is merged
// into main, which is checked out beside it, wherever the git directory of both is.
func TestAQuestInALinkedWorktreeIsDelivered(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(t *testing.T) (dir, main string){
		"of a bare repository":             func(t *testing.T) (string, string) { return withBare(t, ".bare") },
		"of a bare repository called .git": func(t *testing.T) (string, string) { return withBare(t, ".git") },
		"of a bare repository that is bare for itself alone": func(t *testing.T) (string, string) {
			other, main := withBare(t, ".bare")
			git(t, main, "sparse-checkout", "set", "--no-cone", "/*") // moves core.bare to the settings of the bare one
			return other, main
		},
		"of a submodule": func(t *testing.T) (string, string) {
			main := filepath.Join(withSubmodule(t), "sub")
			return withOther(t, main), main
		},
		"of a git directory elsewhere": func(t *testing.T) (string, string) {
			main := repo(t)
			git(t, main, "init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "away"))
			git(t, main, "config", "core.worktree", main)
			return withOther(t, main), main
		},
		"of a checkout": func(t *testing.T) (string, string) {
			main := repo(t)
			return withOther(t, main), main
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other, main := lay(t)
			for quest, dir := range map[string]string{"q1": other, "q2": main} {
				g := &treesTest{T: t, trees: newTrees(filepath.Join(t.TempDir(), "worktrees")), ref: workspace.Ref{Quest: quest, Repo: dir, Base: "main"}}
				if _, err := g.trees.Begin(t.Context(), g.ref); err != nil {
					t.Fatal(err)
				}
				file := filepath.Base(dir) + ".txt"
				put(t, g.dir("one"), file, "new\n")
				g.commit("one")
				g.advance("one")
				if _, err := g.deliver(workspace.Squash); err != nil {
					t.Errorf("from %s: %v", dir, err)
				}
				if read(t, main, file) != "new\n" || gitOutput(t, main, "status", "--porcelain") != "" {
					t.Errorf("from %s: the checkout did not follow: %q", dir, gitOutput(t, main, "status", "--porcelain"))
				}
			}
		})
	}
}

// withBare returns two linked worktrees of a bare repository.
func withBare(t *testing.T, name string) (other, main string) {
	t.Helper()
	from, dir := repo(t), t.TempDir()
	bare := filepath.Join(dir, name)
	git(t, from, "clone", "-q", "--bare", from, bare)
	git(t, bare, "worktree", "add", "-q", filepath.Join(dir, "main"), "main")
	git(t, bare, "worktree", "add", "-q", "-b", "other", filepath.Join(dir, "other"))
	if head := read(t, bare, "HEAD"); strings.TrimSpace(head) != "ref: refs/heads/main" {
		t.Fatal(head)
	}
	return filepath.Join(dir, "other"), filepath.Join(dir, "main")
}

// withOther adds a linked worktree to a checkout.
func withOther(t *testing.T, main string) string {
	t.Helper()
	other := filepath.Join(t.TempDir(), "other")
	git(t, main, "worktree", "add", "-q", "-b", "other", other)
	return other
}
