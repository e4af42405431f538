package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// The bad input of worktree mode, and what follows from each. Other files have the rest:
// trees_odd_test.go a taken name of a quest, an empty and a bare repository; it and
// forget_test.go a deleted worktree; disk_full_test.go and large_test.go the rest.

// The user's uncommitted changes are in no tree of the quest, and nothing touches them.
func TestADirtyCheckoutStaysAsItIs(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	put(t, dir, "a.txt", "staged\n")
	git(t, dir, "add", "a.txt")
	put(t, dir, "a.txt", "changed since\n")
	put(t, dir, "mine.txt", "untracked\n")
	user := usersOwn(t, dir)
	g := newTreesTest(t, dir)
	one := g.dir("one")
	if read(t, one, "a.txt") != "one\n" || read(t, one, "mine.txt") != "" || gitOutput(t, one, "status", "--porcelain") != "" {
		t.Error("the worktree has the user's changes")
	}
	put(t, one, "a.txt", "the quest's\n")
	g.commit("one")
	g.advance("one")
	g.forget(workspace.Forgetting{Branch: true})
	if !slices.Equal(user, usersOwn(t, dir)) {
		t.Error("the user's checkout, index, stash or settings changed")
	}
}

// If the user has a branch with the name of a step's branch, it is neither used nor
// deleted.
func TestABranchNamedLikeAStepsIsLeftAlone(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	git(t, g.ref.Repo, "branch", "quest-steps/q1/one")
	git(t, g.ref.Repo, "branch", "quest-steps/q1/two/deep")
	for _, step := range []string{"one", "two"} {
		put(t, g.dir(step), step, "work\n")
		g.commit(step)
		if err := g.trees.Remove(t.Context(), g.ref, step); err != nil {
			t.Errorf("%s: %v", step, err)
		}
	}
	g.forget(workspace.Forgetting{Branch: true})
	if got := gitOutput(t, g.ref.Repo, "branch", "--format=%(refname:short)"); got != "main\nquest-steps/q1/one\nquest-steps/q1/two/deep" {
		t.Errorf("branches: %q", got)
	}
}

// A quest can start from a detached head. There is only no branch to deliver to.
func TestADetachedHeadHasNothingToDeliverTo(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	git(t, dir, "checkout", "-q", "--detach")
	g := newTreesTest(t, dir)
	put(t, g.dir("one"), "a.txt", "the quest's\n")
	g.commit("one")
	g.advance("one")
	user, main := usersOwn(t, dir), gitOutput(t, dir, "rev-parse", "main")
	if _, err := g.deliver(workspace.MergeCommit); !errors.Is(err, workspace.ErrNoBranch) || !strings.Contains(err.Error(), "detached") {
		t.Errorf("%v", err)
	}
	if !slices.Equal(user, usersOwn(t, dir)) || gitOutput(t, dir, "rev-parse", "main") != main {
		t.Error("something moved")
	}
	if patch, err := g.trees.Patch(t.Context(), g.ref); err != nil || !strings.Contains(string(patch), "+the quest's") {
		t.Errorf("the patch: %v\n%s", err, patch)
	}
}

// If the base has moved on, a delivery merges with it and keeps the new commits.
func TestABaseThatMovedOnIsMergedWith(t *testing.T) {
	t.Parallel()
	for _, how := range []workspace.How{workspace.MergeCommit, workspace.Squash} {
		g := finished(t)
		put(t, g.ref.Repo, "meanwhile.txt", "the user's\n")
		git(t, g.ref.Repo, "add", "-A")
		git(t, g.ref.Repo, "commit", "-q", "-m", "meanwhile")
		commit, err := g.deliver(how)
		if err != nil || gitOutput(t, g.ref.Repo, "rev-parse", "main") != commit || gitOutput(t, g.ref.Repo, "status", "--porcelain") != "" {
			t.Errorf("%s: %s, %v", how, commit, err)
		}
		if read(t, g.ref.Repo, "meanwhile.txt") != "the user's\n" || read(t, g.ref.Repo, "a.txt") != "quest\n" {
			t.Errorf("%s: something is missing", how)
		}
		// The quest's own change is the same as before.
		if diff, _, err := g.trees.QuestDiff(t.Context(), g.ref); err != nil || strings.Contains(string(diff), "meanwhile") {
			t.Errorf("%s: %v\n%s", how, err, diff)
		}
	}
}

// A file name may contain a newline, so lists of files must not be separated by lines.
func TestAFileNameWithANewlineIsOneFile(t *testing.T) {
	t.Parallel()
	const name = "a\nM\tb.txt"
	dir := repo(t)
	put(t, dir, name, "base\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "odd")
	g := newTreesTest(t, dir)
	one, two := g.dir("one"), g.dir("two")
	put(t, one, name, "one's\n")
	put(t, two, name, "two's\n")
	if c := g.commit("one"); !slices.Equal(c.Files, []string{name}) {
		t.Errorf("committed %q", c.Files)
	}
	g.commit("two")
	g.advance("one")
	if b := g.bring("two", workspace.Conflict); !slices.Equal(b.Files, []string{name}) {
		t.Errorf("in conflict %q", b.Files)
	}
	if c := g.commit("two"); !slices.Equal(c.Markers, []string{name}) {
		t.Errorf("with markers %q", c.Markers)
	}
	put(t, two, name, "both\n")
	g.commit("two")
	g.bring("two", workspace.UpToDate)
	g.advance("two")
	if files, err := g.trees.Changed(t.Context(), g.ref, "two"); err != nil || !slices.Equal(files, []string{name}) {
		t.Errorf("changed %q, %v", files, err)
	}
	diff, _, err := g.trees.QuestDiff(t.Context(), g.ref)
	if want := "\n+++ \"b/a\\nM\\tb.txt\"\n"; err != nil || !strings.Contains(string(diff), want) {
		t.Errorf("the diff does not hold %q: %v\n%s", want, err, diff)
	}
	put(t, dir, name, "dirty\n")
	if _, err := g.deliver(workspace.FastForward); !errors.Is(err, workspace.ErrDirty) || !strings.Contains(err.Error(), `"a\nM\tb.txt"`) {
		t.Errorf("%v", err)
	}
	git(t, dir, "checkout", "--", name)
	if _, err := g.deliver(workspace.FastForward); err != nil || read(t, dir, name) != "both\n" {
		t.Errorf("delivered: %v", err)
	}
}

// A link that leads out of the tree is committed as a link. Its target is neither read
// nor written.
func TestALinkOutOfTheTreeIsNeverFollowed(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	put(t, outside, "secret", "<<<<<<< a\n=======\n>>>>>>> b\n")
	put(t, outside, "sub/f", "theirs\n")
	dir := repo(t)
	put(t, dir, "sub/f", "ours\n")
	put(t, dir, "sub/g", "ours\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "sub")
	before := contents(t, outside)
	g := newTreesTest(t, dir)
	for _, step := range []string{"one", "plan"} {
		home := g.dir(step)
		if err := os.RemoveAll(filepath.Join(home, "sub")); err != nil {
			t.Fatal(err)
		}
		for name, to := range map[string]string{"sub": filepath.Join(outside, "sub"), "secret": filepath.Join(outside, "secret"), "up": "../../../..", "self": "self"} {
			if err := os.Symlink(to, filepath.Join(home, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := g.commit("one")
	if c.Markers != nil || !slices.Contains(c.Files, "secret") {
		t.Errorf("%+v", c)
	}
	for _, name := range []string{"sub", "secret", "up", "self"} {
		if got := gitOutput(t, g.ours(), "ls-tree", c.Commit, name); !strings.HasPrefix(got, "120000 blob") {
			t.Errorf("%s is committed as %q", name, got)
		}
	}
	if got := gitOutput(t, g.ours(), "cat-file", "blob", c.Commit+":secret"); got != filepath.Join(outside, "secret") {
		t.Errorf("the link holds %q", got)
	}
	if _, err := g.trees.Discard(t.Context(), g.ref, "plan", stamp("q1-r2")); err != nil {
		t.Error(err)
	}
	g.bring("one", workspace.UpToDate)
	g.advance("one")
	if _, err := g.deliver(workspace.FastForward); err != nil {
		t.Error(err)
	}
	if diff, _, err := g.trees.QuestDiff(t.Context(), g.ref); err != nil || strings.Contains(string(diff), "theirs") {
		t.Errorf("%v\n%s", err, diff)
	}
	g.forget(workspace.Forgetting{Branch: true})
	if !slices.Equal(before, contents(t, outside)) {
		t.Error("something outside was touched")
	}
}

// An agent replaces the quest's folder with a link. The next agent still works in the
// tree.
func TestTheQuestsFolderCannotLeadOutOfTheTree(t *testing.T) {
	t.Parallel()
	dir, outside := repo(t), t.TempDir()
	put(t, dir, "sub/f", "ours\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "sub")
	g := newTreesTest(t, filepath.Join(dir, "sub"))
	home := g.dir("one")
	if err := os.RemoveAll(home); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, home); err != nil {
		t.Fatal(err)
	}
	if got, err := g.trees.Dir(t.Context(), g.ref, "one"); err == nil || !strings.Contains(err.Error(), "one") {
		t.Errorf("it works in %s", got)
	}
}
