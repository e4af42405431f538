package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// A quest that has read the repository's own file starts from the commit that it was read
// from, even if the base has moved before the first slot was free. It is still delivered
// to the branch.
func TestAQuestStartsFromTheCommitThatWasRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q", "-b", "main")
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "read")
	read := gitIn(t, dir, "rev-parse", "HEAD")
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "moved")
	trees := newTrees(filepath.Join(t.TempDir(), "worktrees"))
	base, err := trees.Begin(t.Context(), workspace.Ref{Quest: "q1", Repo: dir, Base: "main", Start: read})
	if err != nil || base != read {
		t.Errorf("it starts from %s (%v), want %s", base, err, read)
	}
	if base, err = trees.Begin(t.Context(), workspace.Ref{Quest: "q2", Repo: dir, Base: "main"}); err != nil || base == read {
		t.Errorf("without it, it starts from %s (%v)", base, err)
	}
}

// A branch may have the name of a tag. The quest is delivered to the branch, so it starts there.
func TestABranchGoesBeforeATagOfItsName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q", "-b", "v2")
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "tagged")
	gitIn(t, dir, "tag", "v2")
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", "on the branch")
	branch := gitIn(t, dir, "rev-parse", "HEAD")
	trees := newTrees(filepath.Join(t.TempDir(), "worktrees"))
	if base, err := trees.Begin(t.Context(), workspace.Ref{Quest: "q1", Repo: dir, Base: "v2"}); err != nil || base != branch {
		t.Errorf("the quest starts from %s (%v), want %s", base, err, branch)
	}
	if files, err := trees.Git.ContentsOf(t.Context(), dir, "v2"); err != nil || files.Commit != branch {
		t.Errorf("the files are those of %s (%v), want %s", files.Commit, err, branch)
	}
	for revision, want := range map[string]string{"": "v2", "v2": "v2", "v2^0": branch, "refs/tags/v2": gitIn(t, dir, "rev-parse", "HEAD~1")} {
		if got, err := trees.Git.Base(t.Context(), dir, revision); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", revision, got, err, want)
		}
	}
}

// Tracked chooses the files that git has from those that a command left behind.
func TestTrackedKnowsTheFilesThatGitHas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q", "-b", "main")
	for _, name := range []string{"a.txt", "b.txt", ":odd*.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "-m", "first")
	g := newTreesTest(t, dir)
	tree := g.dir("one")
	for _, name := range []string{"a.txt", "report.txt"} {
		if err := os.WriteFile(filepath.Join(tree, name), []byte("2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	undone, err := g.trees.Discard(t.Context(), g.ref, "one", workspace.Stamp{Run: "r1", Role: "ward"})
	if err != nil || !slices.Equal(undone, []string{"a.txt", "report.txt"}) {
		t.Fatalf("undone %q (%v)", undone, err)
	}
	tracked, err := g.trees.Tracked(t.Context(), g.ref, "one", append(undone, "gone.txt", ":odd*.txt"))
	if err != nil || !slices.Equal(tracked, []string{":odd*.txt", "a.txt"}) {
		t.Errorf("tracked %q (%v)", tracked, err)
	}
}
