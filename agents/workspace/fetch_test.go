package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration/record"
)

// keptLabels returns the labels of the work that is kept for the quest itself.
func (g *treesTest) keptLabels() []string {
	g.Helper()
	all, err := g.trees.Kept(g.Context(), g.ref.Repo, g.ref.Quest)
	if err != nil {
		g.Fatal(err)
	}
	labels := []string{}
	for _, k := range all {
		if k.Step == "_quest" {
			labels = append(labels, k.Label)
		}
	}
	slices.Sort(labels)
	return labels
}

// beside commits a file to a branch, tag or stash that belongs to no step.
func beside(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	git(t, dir, "checkout", "-q", "--detach")
	put(t, dir, name, name+"\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", name)
	git(t, dir, append(args, "HEAD")...)
	git(t, dir, "checkout", "-q", "quest-steps/q1/one")
}

// Agents may make their own branches, tags and stashes. If their commits are in no
// branch of the user or the quest, they are kept before the user's refs replace them.
func TestWhatAgentsCommitBesideTheirStepsIsKept(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	git(t, dir, "branch", "old")
	git(t, dir, "branch", "moved")
	g := newTreesTest(t, dir)
	one := g.dir("one")
	put(t, one, "one.txt", "1\n")
	beside(t, one, "wip.txt", "branch", "feature/wip")
	beside(t, one, "v1.txt", "tag", "-a", "-m", "one", "v1")
	beside(t, one, "main.txt", "branch", "-f", "main")
	git(t, one, "branch", "same", "old")
	for _, name := range []string{"first.txt", "second.txt"} {
		put(t, one, name, name+"\n")
		git(t, one, "add", name)
		git(t, one, "stash", "-q")
	}
	put(t, one, "one.txt", "1\n")
	g.commit("one")
	git(t, one, "branch", "of-the-line")
	g.advance("one")
	// Changes that the user made to branches do not count as an agent's work.
	git(t, dir, "checkout", "-q", "moved")
	git(t, dir, "commit", "-q", "--amend", "--allow-empty", "-m", "again")
	git(t, dir, "checkout", "-q", "main")
	git(t, dir, "branch", "-D", "old")
	for range 2 {
		if _, err := g.deliver(workspace.Squash); err != nil {
			t.Fatal(err)
		}
	}
	if got := g.keptLabels(); !slices.Equal(got, []string{"feature-wip", "main", "tags-v1"}) {
		t.Errorf("kept at the delivery: %q", got)
	}
	beside(t, one, "late.txt", "branch", "quest/late")
	g.forget(workspace.Forgetting{Branch: true})
	if got := g.keptLabels(); !slices.Equal(got, []string{"branch", "feature-wip", "main", "quest-late", "stash", "stash-2", "tags-v1"}) {
		t.Errorf("kept at the end: %q", got)
	}
	// What we published does not count as the user's work, so it is kept completely.
	if got := gitOutput(t, g.ours(), "rev-list", "--count", "refs/questboard/kept/q1/_quest/branch"); got != "2" {
		t.Errorf("%s commits of the quest's branch and its base are kept", got)
	}
	kept, err := g.trees.Kept(t.Context(), dir, "q1")
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(kept, func(k record.Kept) bool { return k.Label == "stash-2" })
	if at < 0 {
		t.Fatalf("%+v", kept)
	}
	if err := g.trees.Restore(t.Context(), dir, kept[at].Ref, "back"); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, dir, "show", "back:first.txt"); got != "first.txt" {
		t.Errorf("the older stash: %q", got)
	}
}

// If agents left nothing, nothing is kept and no folder remains.
func TestAQuestThatKeepsNothingLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	git(t, dir, "tag", "v0")
	g := newTreesTest(t, dir)
	put(t, g.dir("one"), "one.txt", "1\n")
	g.commit("one")
	git(t, g.dir("one"), "branch", "delivered")
	g.advance("one")
	if _, err := g.deliver(workspace.FastForward); err != nil {
		t.Fatal(err)
	}
	g.forget(workspace.Forgetting{Branch: true})
	if left, err := os.ReadDir(g.trees.Git.Dir); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return e.Name() != "_users" && e.Name() != "_none" }) {
		t.Errorf("%v, %v", left, err)
	}
	if left, _ := filepath.Glob(filepath.Join(g.trees.Git.Dir, "_gone-*")); len(left) > 0 {
		t.Errorf("%q", left)
	}
}
