package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"questboard/agents/workspace"
)

func TestABaseIsABranchByNameOrACommit(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	first := says(t, dir, "rev-parse", "HEAD")
	git(t, dir, "branch", "feature/x")
	git(t, dir, "tag", "v1")
	put(t, dir, "b.txt", "two\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "second")
	base := func(revision string) string {
		got, err := gitOf(t).Base(t.Context(), dir, revision)
		if err != nil {
			t.Errorf("%q: %v", revision, err)
		}
		return got
	}
	for revision, want := range map[string]string{"": "main", "main": "main", "refs/heads/main": "main", "feature/x": "feature/x",
		"v1": first, "HEAD~1": first, first[:10]: first} {
		if got := base(revision); got != want {
			t.Errorf("%q: %q, want %q", revision, got, want)
		}
	}
	for _, revision := range []string{"nowhere", "-x", "--help", "main^{tree}", "a b", "\x00", "main\nmain", "HEAD~9", ":/x"} {
		if got, err := gitOf(t).Base(t.Context(), dir, revision); !errors.Is(err, workspace.ErrNoRevision) {
			t.Errorf("%q: %q, %v; want ErrNoRevision", revision, got, err)
		}
	}
	git(t, dir, "checkout", "-q", "--detach", "HEAD~1")
	if got := base(""); got != first {
		t.Errorf("a detached head: %q, want the commit", got)
	}
}

func TestAPlaceIsWhereTheLineWorks(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	put(t, dir, "web/app/x.txt", "x\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "a folder")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(dir, "web", "app"), link); err != nil {
		t.Fatal(err)
	}
	for i, at := range []string{dir, filepath.Join(dir, "web", "app"), link} {
		trees := newTrees(filepath.Join(t.TempDir(), "worktrees"))
		ref := workspace.Ref{Quest: "q" + string(rune('a'+i)), Repo: at}
		if _, exists := trees.Place(ref, "one"); exists {
			t.Error("it is there before it was made")
		}
		if _, err := trees.Begin(t.Context(), ref); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"plan", "one"} {
			want, err := trees.Dir(t.Context(), ref, line)
			if err != nil {
				t.Fatal(err)
			}
			if got, exists := trees.Place(ref, line); got != want || !exists {
				t.Errorf("%s of %s: %s (%t), want %s", line, at, got, exists, want)
			}
		}
	}
	if got, exists := newTrees("/").Place(workspace.Ref{Quest: "../etc", Repo: dir}, "one"); got != "" || exists {
		t.Errorf("a name that leaves the folder: %s", got)
	}
}
