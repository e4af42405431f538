package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"questboard/agents/workspace"
)

// home returns our folder for the quest.
func (g *treesTest) home() string { return filepath.Join(g.trees.Git.Dir, g.ref.Quest) }

// A kill while a quest begins or is deleted leaves an incomplete git directory. The
// next call of any kind continues from there.
func TestAHalfRemovedGitDirectoryIsRemovedToTheEnd(t *testing.T) {
	t.Parallel()
	for _, gone := range [][]string{{"refs"}, {"objects"}, {"config"}, {"HEAD"}, {"refs", "objects", "info", "worktrees"}} {
		g := newTreesTest(t, repo(t))
		g.forget(workspace.Forgetting{})
		// As if a deletion was cut short: it removes the branch and the records first.
		for ref := range strings.Lines(gitOutput(t, g.ours(), "for-each-ref", "--format=%(refname)", "refs/questboard", "refs/heads/quest")) {
			git(t, g.ours(), "update-ref", "--no-deref", "-d", strings.TrimSpace(ref))
		}
		git(t, g.ref.Repo, "branch", "-D", "quest/q1")
		for _, name := range append(gone, "../copied") {
			if err := os.RemoveAll(filepath.Join(g.home(), "trees", name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.trees.Forget(t.Context(), g.ref, workspace.Forgetting{Branch: true, Unmoved: true}); err != nil {
			t.Errorf("without %q: %v", gone, err)
		}
		if _, err := os.Lstat(g.home()); err == nil {
			t.Errorf("without %q: the folder is left", gone)
		}
		if _, err := g.trees.Begin(t.Context(), g.ref); err != nil {
			t.Errorf("without %q: begun again: %v", gone, err)
		}
	}
}

// A removal renames the folder first, so that a kill leaves nothing that looks like a
// quest's folder. The next start removes the rest.
func TestWhatAKillLeftOfADeletionGoesAtTheStart(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	left := filepath.Join(g.trees.Git.Dir, "_gone-1/q0/trees/objects")
	put(t, left, "pack/x", "x\n")
	if err := os.Chmod(left, 0o500); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := g.trees.SweepGone(); err != nil {
			t.Fatal(err)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(g.trees.Git.Dir, "_gone-*")); len(found) > 0 {
		t.Errorf("%q", found)
	}
	g.dir("one")
}

// If the user's repository is gone, work is kept in the quest's git directory.
func TestWorkOfAVanishedRepositoryIsKept(t *testing.T) {
	t.Parallel()
	g := busy(t)
	git(t, g.dir("loose"), "branch", "same-as-the-quest")
	git(t, g.dir("plan"), "checkout", "-q", "--detach")
	gone := g.ref.Repo + "-moved"
	if err := os.Rename(g.ref.Repo, gone); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := g.trees.RemoveFolder(t.Context(), "q1"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Lstat(filepath.Join(g.trees.Root, "q1")); err == nil {
		t.Error("the working trees are left")
	}
	git(t, gone, "fetch", "-q", g.ours(), "refs/questboard/kept/*:refs/kept/*") // as docs/repositories.md says
	var all []string
	for ref := range strings.Lines(gitOutput(t, gone, "for-each-ref", "--format=%(refname)", "refs/kept")) {
		all = append(all, strings.Fields(gitOutput(t, gone, "ls-tree", "-r", "--name-only", strings.TrimSpace(ref)))...)
	}
	for _, want := range []string{"committed.txt", "loose.txt", "over.txt", "scribble.txt", "merged.txt"} {
		if !slices.Contains(all, want) {
			t.Errorf("%s is not kept: %q", want, all)
		}
	}
	// A quest without any work.
	g = newTreesTest(t, repo(t))
	g.dir("one")
	if err := os.RemoveAll(g.ref.Repo); err != nil {
		t.Fatal(err)
	}
	if err := g.trees.RemoveFolder(t.Context(), "q1"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{g.home(), filepath.Join(g.trees.Root, "q1")} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}

// Kept work of a deleted quest needs no object of the user's repository and contains
// none of its history.
func TestKeptWorkTakesTheRoomOfWhatIsKept(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	for n := range 5 {
		put(t, dir, "large.txt", strings.Repeat(fmt.Sprint(n, " is replaced\n"), 1000))
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "-m", fmt.Sprint("old ", n))
	}
	git(t, dir, "tag", "-a", "-m", "one", "v1")
	git(t, dir, "gc", "-q")
	g := &treesTest{T: t, trees: newTrees(filepath.Join(t.TempDir(), "worktrees")), ref: workspace.Ref{Quest: "q1", Repo: dir}}
	if _, err := g.trees.Begin(t.Context(), g.ref); err != nil {
		t.Fatal(err)
	}
	put(t, g.dir("one"), "one.txt", "1\n")
	g.commit("one")
	put(t, g.dir("one"), "more.txt", "2\n")
	for range 2 {
		g.forget(workspace.Forgetting{Branch: true})
	}
	git(t, dir, "clone", "-q", "--no-local", ".", dir+"-clone")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, g.ours(), "fsck", "--full"); got != "notice: HEAD points to an unborn branch (quest/q1)" {
		t.Errorf("fsck: %s", got)
	}
	if got := gitOutput(t, g.ours(), "log", "--format=%s", "refs/questboard/kept/q1/one/uncommitted"); got != "Uncommitted changes of one\nWork of q1-r1\nold 4" {
		t.Errorf("commits: %s", got)
	}
	if got := gitOutput(t, g.ours(), "show", "refs/questboard/kept/q1/one/uncommitted:large.txt"); !strings.HasPrefix(got, "4 is") {
		t.Errorf("a file: %.20s", got)
	}
	err := filepath.Walk(filepath.Join(g.ours(), "objects"), func(name string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && (info.Sys().(*syscall.Stat_t).Nlink > 1 || filepath.Base(filepath.Dir(name)) != "pack") {
			t.Errorf("%s is left", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir+"-clone", "fetch", "-q", g.ours(), "refs/questboard/kept/*:refs/kept/*")
	if got := gitOutput(t, dir+"-clone", "log", "--format=%s", "refs/kept/q1/one/uncommitted"); !strings.Contains(got, "old 0") {
		t.Errorf("in a clone: %s", got)
	}
	// If the repository comes back, or another quest gets the name, everything works
	// again.
	g.ref.Repo = dir + "-clone"
	if _, err := g.trees.Begin(t.Context(), g.ref); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, g.dir("two"), "log", "--format=%s"); !strings.Contains(got, "old 0") {
		t.Errorf("begun again: %s", got)
	}
}
