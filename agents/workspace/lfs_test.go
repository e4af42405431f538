package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// withLFS returns a repository that stores *.bin elsewhere, as git-lfs does, and a home
// folder in which the filter for that is configured. The stored files are in upper
// case, and their pointers in lower case.
func withLFS(t *testing.T) (dir, home string) {
	t.Helper()
	dir, home = repo(t), t.TempDir()
	clean := script(t, filepath.Join(home, "clean"), "tr A-Z a-z\n")
	smudge := script(t, filepath.Join(home, "smudge"), "tr a-z A-Z\n")
	put(t, home, ".gitconfig", "[filter \"lfs\"]\n\tclean = "+clean+"\n\tsmudge = "+smudge+"\n\trequired = true\n")
	put(t, dir, ".gitattributes", "*.bin filter=lfs -text\n")
	put(t, dir, "large.bin", "pointer\n")
	// Do not use a git-lfs that is installed on this machine.
	git(t, dir, "-c", "filter.lfs.process=", "-c", "filter.lfs.clean=", "-c", "filter.lfs.required=false", "add", "-A")
	git(t, dir, "commit", "-q", "-m", "large")
	return dir, home
}

// If the user has git-lfs, worktrees contain files and commits contain pointers, even
// if the repository's own configuration repeats the filter.
func TestFilesInLFSAreFilesInAWorktree(t *testing.T) {
	t.Parallel()
	for _, repeated := range []bool{false, true} {
		dir, home := withLFS(t)
		if repeated { // as "git lfs install --local" does
			for _, key := range []string{"clean", "smudge"} {
				git(t, dir, "config", "filter.lfs."+key, filepath.Join(home, key))
			}
			git(t, dir, "config", "filter.lfs.required", "true")
		}
		g := &treesTest{T: t, trees: newTrees(filepath.Join(t.TempDir(), "w")), ref: workspace.Ref{Quest: "q1", Repo: dir}}
		g.trees.LFS = func(repo string) bool { return repo == dir }
		g.trees.Git.Environ = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
		if _, err := g.trees.Begin(t.Context(), g.ref); err != nil {
			t.Fatal(err)
		}
		one := g.dir("one")
		if got := read(t, one, "large.bin"); got != "POINTER\n" {
			t.Errorf("repeated %v: the worktree holds %q", repeated, got)
		}
		put(t, one, "new.bin", "CONTENT\n")
		c := g.commit("one")
		if got := gitOutput(t, g.ours(), "cat-file", "blob", c.Commit+":new.bin"); got != "content" || len(c.Files) != 1 {
			t.Errorf("repeated %v: the commit holds %q, and %q", repeated, got, c.Files)
		}
	}
}

// Without git-lfs, worktrees contain pointers, which do not count as changes.
func TestWithoutLFSAWorktreeHoldsPointers(t *testing.T) {
	t.Parallel()
	dir, _ := withLFS(t)
	g := &treesTest{T: t, trees: newTrees(filepath.Join(t.TempDir(), "w")), ref: workspace.Ref{Quest: "q1", Repo: dir}}
	g.trees.Git.Environ = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	if _, err := g.trees.Begin(t.Context(), g.ref); err != nil {
		t.Fatal(err)
	}
	one := g.dir("one")
	if got := read(t, one, "large.bin"); got != "pointer\n" {
		t.Errorf("the worktree holds %q", got)
	}
	put(t, one, "a.txt", "the quest's\n")
	if c := g.commit("one"); strings.Join(c.Files, " ") != "a.txt" {
		t.Errorf("committed %q", c.Files)
	}
	g.advance("one")
	if _, err := g.deliver(workspace.FastForward); err != nil || read(t, dir, "large.bin") != "pointer\n" {
		t.Errorf("delivered: %v", err)
	}
}
