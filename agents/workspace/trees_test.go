package workspace_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// treesTest is a repository with a quest that has begun.
type treesTest struct {
	*testing.T
	trees *workspace.Trees
	ref   workspace.Ref
}

// newTrees returns a Trees that has its git directories beside the worktrees.
func newTrees(root string) *workspace.Trees {
	return &workspace.Trees{Root: root, Git: workspace.Git{Dir: root + "-git"}}
}

// admin returns git's folder for the worktree of a step.
func (g *treesTest) admin(step string) string {
	g.Helper()
	return filepath.Join(g.ours(), "worktrees", g.ref.Quest+"+"+step)
}

// ours returns the git directory that the worktrees belong to.
func (g *treesTest) ours() string {
	g.Helper()
	dir, err := g.trees.TreesGit(g.ref.Quest)
	if err != nil || dir == "" {
		g.Fatal(dir, err)
	}
	return dir
}

func newTreesTest(t *testing.T, dir string) *treesTest {
	t.Helper()
	g := &treesTest{T: t, trees: newTrees(filepath.Join(t.TempDir(), "worktrees")), ref: workspace.Ref{Quest: "q1", Repo: dir}}
	if _, err := g.trees.Begin(t.Context(), g.ref); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *treesTest) dir(step string) string {
	g.Helper()
	dir, err := g.trees.Dir(g.Context(), g.ref, step)
	if err != nil {
		g.Fatal(err)
	}
	return dir
}

func stamp(run string) workspace.Stamp {
	return workspace.Stamp{Run: run, Role: "codeweaver", Summary: "Work of " + run}
}

func (g *treesTest) commit(step string) workspace.Committed {
	g.Helper()
	c, err := g.trees.Commit(g.Context(), g.ref, step, stamp("q1-r1"))
	if err != nil {
		g.Fatal(err)
	}
	return c
}

// ward records that the check ran and passed.
func (g *treesTest) ward(step string) {
	g.Helper()
	if _, err := g.trees.Discard(g.Context(), g.ref, step, workspace.Stamp{Run: "q1-r9", Role: "ward"}); err != nil {
		g.Fatal(err)
	}
}

func (g *treesTest) bring(step string, want workspace.Outcome) workspace.BringResult {
	g.Helper()
	b, err := g.trees.Bring(g.Context(), g.ref, step)
	if err != nil || b.Outcome != want {
		g.Fatalf("bring %s: %+v, %v; want %s", step, b, err, want)
	}
	return b
}

func (g *treesTest) advance(step string) string {
	g.Helper()
	done, err := g.trees.Advance(g.Context(), g.ref, step, "")
	if err != nil || done.Unpublished != "" {
		g.Fatal(done, err)
	}
	return done.Commit
}

// gitOutput runs git and returns its output.
func gitOutput(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func read(t testing.TB, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

func TestTwoStepsReachTheQuestsBranch(t *testing.T) {
	t.Parallel()
	repo := repo(t)
	g := newTreesTest(t, repo)
	one, two, plan := g.dir("one"), g.dir("two"), g.dir("plan")
	put(t, one, "one.txt", "1\n")
	put(t, two, "two.txt", "2\n")
	put(t, two, "a.txt", "two\n")
	if c := g.commit("one"); !slices.Equal(c.Files, []string{"one.txt"}) || c.Commit == "" {
		t.Errorf("one: %+v", c)
	}
	if c := g.commit("two"); !slices.Equal(c.Files, []string{"a.txt", "two.txt"}) {
		t.Errorf("two: %+v", c)
	}
	if c, err := g.trees.Commit(t.Context(), g.ref, "two", stamp("q1-r2")); err != nil || c.Commit != "" || c.Files != nil {
		t.Errorf("nothing changed: %+v, %v", c, err)
	}
	g.bring("one", workspace.UpToDate)
	first := g.advance("one")
	if got := read(t, plan, "one.txt"); got != "1\n" {
		t.Errorf("the quest's worktree did not follow: %q", got)
	}
	if _, err := g.trees.Advance(t.Context(), g.ref, "two", ""); !errors.Is(err, workspace.ErrDiverged) {
		t.Errorf("advance without bring: %v", err)
	}
	b := g.bring("two", workspace.Updated)
	if b.Quest != first {
		t.Errorf("%+v, want the quest at %s", b, first)
	}
	// The server may have died before it stored the result.
	g.bring("two", workspace.Updated)
	if _, err := g.trees.Advance(t.Context(), g.ref, "two", ""); !errors.Is(err, workspace.ErrUnseen) {
		t.Errorf("advance before ward: %v", err)
	}
	g.ward("two")
	g.bring("two", workspace.UpToDate)
	tip := g.advance("two")
	if again := g.advance("two"); again != tip || gitOutput(t, two, "rev-parse", tip+"^{tree}", tip+"^@") != gitOutput(t, two, "rev-parse", b.Tip+"^{tree}", first) {
		t.Errorf("advanced to %s, then %s, want the files of %s after %s", tip, again, b.Tip, first)
	}
	if again := g.advance("one"); again != tip {
		t.Errorf("one, long merged: %s", again)
	}
	if got := gitOutput(t, plan, "status", "--porcelain"); got != "" || gitOutput(t, plan, "rev-parse", "HEAD") != tip {
		t.Errorf("the quest's worktree: %q", got)
	}
	diff, cut, err := g.trees.Diff(t.Context(), g.ref, "two")
	if err != nil || cut || !strings.Contains(string(diff), "+two\n") || strings.Contains(string(diff), "one.txt") {
		t.Errorf("diff: %v\n%s", err, diff)
	}
	files, err := g.trees.Changed(t.Context(), g.ref, "one")
	if err != nil || !slices.Equal(files, []string{"one.txt"}) {
		t.Errorf("changed: %q, %v", files, err)
	}
	trailers := gitOutput(t, one, "log", "-1", "--format=%(trailers)%an")
	for _, want := range []string{"Quest: q1", "Step: one", "Run: q1-r1", "Role: codeweaver"} {
		if !strings.Contains(trailers, want) {
			t.Errorf("%q is not in %q", want, trailers)
		}
	}
}

func TestAConflictWaitsForTheResolver(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one, two := g.dir("one"), g.dir("two")
	put(t, one, "a.txt", "one's\n")
	put(t, two, "a.txt", "two's\n")
	put(t, two, "b.txt", "b\n")
	g.commit("one")
	g.commit("two")
	g.bring("one", workspace.UpToDate)
	g.advance("one")
	for range 2 { // after a restart the call is repeated
		b := g.bring("two", workspace.Conflict)
		if !slices.Equal(b.Files, []string{"a.txt"}) {
			t.Errorf("%+v", b)
		}
	}
	if got := read(t, two, "a.txt"); !strings.Contains(got, "<<<<<<<") || !strings.Contains(got, "one's") {
		t.Errorf("no markers: %q", got)
	}
	// An agent gives up and leaves the markers. The next one is told of them.
	if c := g.commit("two"); !c.Merge || !slices.Equal(c.Markers, []string{"a.txt"}) {
		t.Errorf("%+v", c)
	}
	put(t, two, "a.txt", "one's\ntwo's\n")
	if c := g.commit("two"); c.Merge || c.Markers != nil || !slices.Equal(c.Files, []string{"a.txt"}) {
		t.Errorf("%+v", c)
	}
	g.bring("two", workspace.UpToDate)
	g.advance("two")
	if got := read(t, g.dir("plan"), "a.txt"); got != "one's\ntwo's\n" {
		t.Errorf("a.txt = %q", got)
	}
}

func TestWhatAReaderChangesIsKeptAndUndone(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	for _, step := range []string{"plan", "one"} {
		dir := g.dir(step)
		put(t, dir, "a.txt", "scribble\n")
		put(t, dir, "new/deep.txt", "new\n")
		files, err := g.trees.Discard(t.Context(), g.ref, step, workspace.Stamp{Run: "q1-r7", Role: "pathseeker"})
		if err != nil || !slices.Equal(files, []string{"a.txt", "new/deep.txt"}) {
			t.Errorf("%s: %q, %v", step, files, err)
		}
		if read(t, dir, "a.txt") != "one\n" || read(t, dir, "new/deep.txt") != "" || gitOutput(t, dir, "status", "--porcelain") != "" {
			t.Errorf("%s: not undone", step)
		}
		if files, err := g.trees.Discard(t.Context(), g.ref, step, workspace.Stamp{Run: "q1-r8"}); err != nil || files != nil {
			t.Errorf("%s, again: %q, %v", step, files, err)
		}
	}
	kept, err := g.trees.Kept(t.Context(), g.ref.Repo, "q1")
	if err != nil || len(kept) != 2 || kept[0].Label != "q1-r7" {
		t.Fatalf("%+v, %v", kept, err)
	}
	if err := g.trees.Restore(t.Context(), g.ref.Repo, kept[0].Ref, "rescued"); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, g.ref.Repo, "show", "rescued:new/deep.txt"); got != "new" {
		t.Errorf("restored: %q", got)
	}
	if err := g.trees.Restore(t.Context(), g.ref.Repo, kept[1].Ref, "rescued"); !errors.Is(err, workspace.ErrBranchTaken) {
		t.Errorf("twice: %v", err)
	}
	for _, name := range []string{"-x", "a b", "a..b", "", "x.lock"} {
		if err := g.trees.Restore(t.Context(), g.ref.Repo, kept[1].Ref, name); !errors.Is(err, workspace.ErrName) {
			t.Errorf("branch %q: %v", name, err)
		}
	}
}

func TestRemoveKeepsWhatIsNowhereElse(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	put(t, one, "committed.txt", "c\n")
	g.commit("one")
	put(t, one, "loose.txt", "l\n")
	git(t, one, "init", "-q", "within")
	put(t, one, "within/f", "f")
	for range 2 {
		if err := g.trees.Remove(t.Context(), g.ref, "one"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(one); err == nil {
		t.Error("the worktree is there")
	}
	if got := gitOutput(t, g.ours(), "branch", "--list", "quest-steps/*"); got != "" {
		t.Errorf("branches: %s", got)
	}
	kept, err := g.trees.Kept(t.Context(), g.ref.Repo, "q1")
	if err != nil || len(kept) != 2 {
		t.Fatalf("%+v, %v", kept, err)
	}
	found := ""
	for _, k := range kept {
		found += k.Label + ":" + gitOutput(t, g.ours(), "ls-tree", "--name-only", k.Commit)
	}
	if !strings.Contains(found, "loose.txt") || !strings.Contains(found, "committed.txt") {
		t.Errorf("kept: %s", found)
	}
	if got := read(t, g.trees.Root, "q1/_kept/one/1/within/f"); got != "f" {
		t.Errorf("the repository within: %q", got)
	}
}

// merged merges by hand.
func merged(dir, commit string) error {
	cmd := exec.Command("git", "-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "merge.conflictStyle=diff3", "merge", "-q", "--no-edit", commit)
	cmd.Dir = dir
	return cmd.Run()
}
