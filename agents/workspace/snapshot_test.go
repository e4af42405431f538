package workspace_test

import (
	"path/filepath"
	"testing"
)

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
