package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// plainConflicts are conflicts in which git writes no markers: the files as git leaves them are a
// right resolution. Each has the scripts of the two steps, that of the resolver, and the tree
// that the merge leads to.
var plainConflicts = []struct{ name, one, two, resolver, want string }{
	{"a new file in a folder that was renamed", "git mv src lib", "echo new >src/new.txt", ":", "a.txt lib/a.txt lib/b.txt lib/new.txt sub"},
	{"a file that both renamed", "git mv src/a.txt one.txt", "git mv src/a.txt two.txt", ":", "a.txt one.txt src/b.txt sub two.txt"},
	{"a file that both renamed, and the resolver chose", "git mv src/a.txt one.txt", "git mv src/a.txt two.txt", "rm two.txt", "a.txt one.txt src/b.txt sub"},
	{"a file that one renamed and one deleted", "git mv src/a.txt moved.txt", "git rm -q src/a.txt", ":", "a.txt moved.txt src/b.txt sub"},
	{"a file that one changed and one deleted", "echo e >>src/a.txt", "git rm -q src/a.txt", ":", "a.txt src/a.txt src/b.txt sub"},
	{"a file that becomes a folder", "echo one >src/a.txt", "echo two >src/a.txt", "rm src/a.txt; mkdir src/a.txt; echo f >src/a.txt/f", "a.txt src/a.txt/f src/b.txt sub"},
	{"a submodule that both moved", movedTo("HEAD"), movedTo("HEAD~1"), ":", "a.txt src/a.txt src/b.txt sub"},
}

// movedTo moves the submodule, whose commits are those of the repository itself.
func movedTo(commit string) string {
	return "git update-index --cacheinfo 160000,$(git rev-parse " + commit + "),sub"
}

func shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-ec", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// newPlainConflict returns a quest whose step two was resolved but not committed.
func newPlainConflict(t *testing.T, one, two, resolver string) *treesTest {
	t.Helper()
	dir := repo(t)
	put(t, dir, "src/a.txt", "a\nb\nc\nd\n")
	put(t, dir, "src/b.txt", "b\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "second")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "third")
	git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+gitOutput(t, dir, "rev-parse", "HEAD~2")+",sub")
	git(t, dir, "commit", "-q", "-m", "fourth")
	g := newTreesTest(t, dir)
	for step, script := range map[string]string{"one": one, "two": two} {
		shell(t, g.dir(step), script)
		g.commit(step)
	}
	g.bring("one", workspace.UpToDate)
	g.advance("one")
	g.bring("two", workspace.Conflict)
	shell(t, g.dir("two"), resolver)
	return g
}

func TestAConflictWithoutMarkersIsConcludedAsItIs(t *testing.T) {
	t.Parallel()
	for _, c := range plainConflicts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newPlainConflict(t, c.one, c.two, c.resolver)
			dir := g.dir("two")
			own := gitOutput(t, dir, "rev-parse", "HEAD:sub")
			if done := g.commit("two"); !done.Merge || done.Markers != nil {
				t.Errorf("%+v", done)
			}
			if got := strings.ReplaceAll(gitOutput(t, dir, "ls-tree", "-r", "--name-only", "HEAD"), "\n", " "); got != c.want {
				t.Errorf("the merge has %s; want %s", got, c.want)
			}
			if got := gitOutput(t, dir, "status", "--porcelain"); got != "" {
				t.Errorf("not in the merge: %s", got)
			}
			if got := gitOutput(t, dir, "rev-parse", "HEAD:sub"); got != own {
				t.Errorf("the submodule is at %s, not at the step's %s", got, own)
			}
			g.ward("two")
			g.bring("two", workspace.UpToDate)
			g.advance("two")
		})
	}
}

func TestAStepWithAConflictWithoutMarkersIsUndoneAndRemoved(t *testing.T) {
	t.Parallel()
	for _, c := range plainConflicts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := newPlainConflict(t, c.one, c.two, c.resolver)
			if _, err := g.trees.Discard(t.Context(), g.ref, "two", stamp("q1-r2")); err != nil {
				t.Error(err)
			}
			g.bring("two", workspace.Conflict)
			if err := g.trees.Remove(t.Context(), g.ref, "two"); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(filepath.Join(g.trees.Root, "q1", "two")); err == nil {
				t.Error("the worktree is there")
			}
		})
	}
}

// The server died after it wrote the conflict's index and before it noted the merge.
func TestAMergeThatWasCutShortInAConflictWithoutMarkersIsMadeAgain(t *testing.T) {
	t.Parallel()
	c := plainConflicts[0]
	g := newPlainConflict(t, c.one, c.two, c.resolver)
	admin := g.admin("two")
	quest := read(t, admin, "MERGE_HEAD")
	for _, name := range []string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE"} {
		if err := os.Remove(filepath.Join(admin, name)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, admin, "questboard-merging", quest)
	b := g.bring("two", workspace.Conflict)
	if !slices.Equal(b.Files, []string{"lib/new.txt"}) || strings.TrimSpace(read(t, admin, "MERGE_HEAD")) != b.Quest {
		t.Errorf("%+v", b)
	}
}

// Somebody deletes the files of a step with a conflict, which is that of a merge or, after a kill, of
// nothing. What was staged is kept, and the step can go on or be removed.
func TestAConflictOfADeletedWorktreeHoldsNothingUp(t *testing.T) {
	t.Parallel()
	for _, c := range plainConflicts {
		for _, merge := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, merge %t", c.name, merge), func(t *testing.T) {
				t.Parallel()
				g := newPlainConflict(t, c.one, c.two, c.resolver)
				dir := g.dir("two")
				put(t, dir, "staged.txt", "staged\n")
				git(t, dir, "add", "staged.txt")
				if !merge {
					if err := os.Remove(filepath.Join(g.admin("two"), "MERGE_HEAD")); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
				g.dir("two")
				kept, err := g.trees.Kept(t.Context(), g.ref.Repo, "q1")
				if err != nil || len(kept) != 1 || kept[0].Label != "staged" || gitOutput(t, g.ours(), "show", kept[0].Commit+":staged.txt") != "staged" {
					t.Errorf("kept %+v, %v", kept, err)
				}
				g.bring("two", workspace.Conflict)
				if err := g.trees.Remove(t.Context(), g.ref, "two"); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
