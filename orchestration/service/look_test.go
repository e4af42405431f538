package service_test

import (
	"os"
	"path/filepath"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration"
)

// What an agent writes, or commits by itself, makes another tree; what is ignored does
// not. A look is possible while agents work, and a tree that is not there is unknown.
func TestALookTellsWhetherAStepsTreeHasChanged(t *testing.T) {
	t.Parallel()
	for _, mode := range []orchestration.WorkspaceMode{orchestration.WorkspaceShared, orchestration.WorkspaceWorktree} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			n := sow(t)
			n.q.Workspace, n.Shared = mode, workspace.Shared{Git: n.Trees.Git}
			look := func() string {
				t.Helper()
				tree, err := n.Look(t.Context(), n.q, "one")
				if err != nil {
					t.Fatal(err)
				}
				return tree
			}
			if missing := look(); mode == orchestration.WorkspaceWorktree && missing != "" {
				t.Errorf("a tree that is not there is %q", missing)
			}
			dir := n.dir("one")
			start := look()
			write(t, filepath.Join(dir, ".env"), "ignored\n")
			if start == "" || look() != start {
				t.Errorf("nothing was changed: %q after %q", look(), start)
			}
			write(t, filepath.Join(dir, "new.txt"), "new\n")
			if look() == start {
				t.Error("a new file is not seen")
			}
			if err := os.Remove(filepath.Join(dir, "new.txt")); err != nil {
				t.Fatal(err)
			}
			if look() != start {
				t.Error("what was taken back counts as a change")
			}
			write(t, filepath.Join(dir, "a.txt"), "b\n")
			git(t, dir, "commit", "-q", "-a", "-m", "by the agent")
			if look() == start {
				t.Error("what the agent committed is not seen")
			}
		})
	}
}
