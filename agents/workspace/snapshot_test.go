package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Without an index, which an agent removed, what it changed is still seen.
func TestATreeWithoutAnIndexIsUndone(t *testing.T) {
	t.Parallel()
	g := plant(t, repo(t))
	one := g.dir("one")
	put(t, one, "a.txt", "changed\n")
	if err := os.Remove(filepath.Join(g.ref.Repo, ".git/worktrees/one/index")); err != nil {
		t.Fatal(err)
	}
	files, err := g.trees.Discard(t.Context(), g.ref, "one", stamp("q1-r2"))
	if err != nil || !slices.Equal(files, []string{"a.txt"}) || read(t, one, "a.txt") != "one\n" || says(t, one, "status", "--porcelain") != "" {
		t.Errorf("%q, %v", files, err)
	}
}

// A server that dies while it looks at a tree leaves the index it made for that.
func TestTheIndexOfACutShortSnapshotGoes(t *testing.T) {
	t.Parallel()
	g := plant(t, repo(t))
	g.dir("one")
	left := filepath.Join(g.ref.Repo, ".git/worktrees/one/questboard-index-123")
	put(t, filepath.Dir(left), filepath.Base(left), "half an index")
	if err := g.trees.Sweep(t.Context(), g.ref); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Dir(left), filepath.Base(left)); got != "" {
		t.Error("it is left behind")
	}
}
