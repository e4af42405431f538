package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// old makes an unfinished quest as the first version stored it: refs and the folders of
// worktrees are in the user's repository. Step one has uncommitted work, step two waits
// with a conflict, and step three was merged and removed.
func old(t *testing.T) *treesTest {
	t.Helper()
	dir := repo(t)
	g := &treesTest{T: t, trees: newTrees(filepath.Join(t.TempDir(), "worktrees")), ref: workspace.Ref{Quest: "q1", Repo: dir}}
	base := gitOutput(t, dir, "rev-parse", "HEAD")
	ref := func(name, id string) { git(t, dir, "update-ref", name, id) }
	ref("refs/questboard/base/q1", base)
	git(t, dir, "symbolic-ref", "refs/questboard/into/q1", "refs/heads/main")
	three := committed(t, dir, base, "three.txt", "three\n")
	for _, name := range []string{"refs/questboard/tip/q1/_quest", "refs/questboard/merged/q1/three", "refs/heads/quest/q1"} {
		ref(name, three)
	}
	ref("refs/questboard/before/q1/three", base)
	ref("refs/questboard/kept/q1/three/q1-r3", committed(t, dir, base, "kept.txt", "kept\n"))
	tree := func(step, branch, tip string) string {
		ref("refs/questboard/tip/q1/"+step, tip)
		if step != "_quest" {
			ref("refs/heads/"+branch, tip)
		}
		home := filepath.Join(g.trees.Root, "q1", step)
		git(t, dir, "worktree", "add", "-q", home, branch)
		admin := strings.TrimSpace(strings.TrimPrefix(read(t, home, ".git"), "gitdir: "))
		put(t, admin, "questboard-ready", tip+"\n")
		put(t, admin, "locked", "a quest of Questboard works here")
		return home
	}
	tree("_quest", "quest/q1", three)
	put(t, tree("one", "quest-steps/q1/one", base), "one.txt", "one\n")
	two := tree("two", "quest-steps/q1/two", committed(t, dir, base, "three.txt", "two's\n"))
	if merged(two, "quest/q1") == nil {
		t.Fatal("there is no conflict")
	}
	return g
}

// committed makes a commit that adds one file.
func committed(t *testing.T, dir, on, name, content string) string {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, dir, "clone", "-q", "--shared", dir, clone)
	git(t, clone, "checkout", "-q", "--detach", on)
	put(t, clone, name, content)
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "-q", "-m", "add "+name)
	git(t, clone, "push", "-q", dir, "HEAD:refs/heads/for-a-moment")
	git(t, dir, "update-ref", "-d", "refs/heads/for-a-moment")
	return gitOutput(t, clone, "rev-parse", "HEAD")
}

// A quest of the first version continues where it was. In the user's repository only the
// quest's branch is left.
func TestAQuestOfTheFirstVersionIsCarriedOver(t *testing.T) {
	t.Parallel()
	g := old(t)
	dir := g.ref.Repo
	if err := g.trees.Sweep(t.Context(), g.ref); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, dir, "for-each-ref", "--format=%(refname)"); got != "refs/heads/main\nrefs/heads/quest/q1" {
		t.Errorf("refs in the user's repository: %q", got)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, ".git/worktrees")); err == nil {
		t.Errorf("worktrees in the user's repository: %v", entries)
	}
	if steps, err := g.trees.Steps(t.Context(), g.ref); err != nil || !slices.Equal(steps, []string{"one", "two"}) {
		t.Errorf("lines: %q, %v", steps, err)
	}
	if kept, err := g.trees.Kept(t.Context(), dir, "q1"); err != nil || len(kept) != 1 || kept[0].Label != "q1-r3" {
		t.Errorf("kept: %+v, %v", kept, err)
	}
	if c := g.commit("one"); !slices.Equal(c.Files, []string{"one.txt"}) {
		t.Errorf("one: %+v", c)
	}
	if b := g.bring("two", workspace.Conflict); !slices.Equal(b.Files, []string{"three.txt"}) {
		t.Errorf("two: %+v", b)
	}
	put(t, g.dir("two"), "three.txt", "both\n")
	if c := g.commit("two"); !c.Merge {
		t.Errorf("two: %+v", c)
	}
	for _, step := range []string{"two", "one"} {
		if b, err := g.trees.Bring(t.Context(), g.ref, step); err != nil || b.Outcome == workspace.Conflict {
			t.Errorf("%s: %+v, %v", step, b, err)
		}
		g.ward(step)
		g.advance(step)
	}
	if diff, _, err := g.trees.Diff(t.Context(), g.ref, "three"); err != nil || !strings.Contains(string(diff), "+three") {
		t.Errorf("what three changed: %v\n%s", err, diff)
	}
	if commit, err := g.deliver(workspace.FastForward); err != nil || gitOutput(t, dir, "rev-parse", "main") != commit {
		t.Errorf("%s, %v", commit, err)
	}
	if read(t, dir, "one.txt") != "one\n" || read(t, dir, "three.txt") != "both\n" || gitOutput(t, dir, "status", "--porcelain") != "" {
		t.Errorf("not delivered: %s", gitOutput(t, dir, "status", "--porcelain"))
	}
}

// If a server dies while it carries a quest over, the next one finishes that.
func TestACarryingOverThatIsCutShortGoesOn(t *testing.T) {
	t.Parallel()
	g := old(t)
	// The refs and one worktree are carried over, the rest is not.
	first := newTrees(g.trees.Root)
	if _, err := first.Steps(t.Context(), g.ref); err != nil {
		t.Fatal(err)
	}
	again := old(t)
	git(t, again.ref.Repo, "fetch", "-q", g.ours(), "refs/heads/quest/q1:refs/heads/elsewhere")
	put(t, again.trees.Git.Dir, "q1/trees/HEAD", "ref: refs/heads/quest/q1\n")
	for _, name := range []string{"objects/info", "objects/pack", "refs/heads", "worktrees/q1+one.new"} {
		if err := os.MkdirAll(filepath.Join(again.trees.Git.Dir, "q1/trees", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(t, again.trees.Git.Dir, "q1/trees/config", "[core]\n\tbare = true\n")
	if c := again.commit("one"); !slices.Equal(c.Files, []string{"one.txt"}) {
		t.Errorf("one: %+v", c)
	}
	again.noDebrisButTheConflict()
}

func (g *treesTest) noDebrisButTheConflict() {
	g.Helper()
	if got := gitOutput(g.T, g.ref.Repo, "for-each-ref", "--format=%(refname)"); strings.Contains(got, "questboard") {
		g.Errorf("left in the user's repository: %s", got)
	}
	if half, _ := filepath.Glob(filepath.Join(g.ours(), "worktrees", "*.new")); len(half) > 0 {
		g.Errorf("half made: %q", half)
	}
}
