package workspace_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"questboard/agents/workspace"
)

// touch changes a file's time alone, as an editor does that saves what was there.
func touch(t *testing.T, dir, name string) {
	t.Helper()
	long := time.Now().Add(-72 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, name), long, long); err != nil {
		t.Fatal(err)
	}
}

// A file that was only touched has no change that a merge could lose.
func TestAFileThatWasOnlyTouchedHoldsUpNoMerge(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one, two, quest := g.dir("one"), g.dir("two"), g.dir("plan")
	put(t, one, "a.txt", "changed\n")
	g.commit("one")
	g.bring("one", workspace.UpToDate)
	put(t, two, "two.txt", "2\n")
	g.commit("two")
	touch(t, two, "a.txt")
	touch(t, quest, "a.txt")
	g.advance("one")
	if got := read(t, quest, "a.txt"); got != "changed\n" {
		t.Errorf("the quest's own tree has %q", got)
	}
	g.bring("two", workspace.Updated)
	if got := read(t, two, "a.txt"); got != "changed\n" {
		t.Errorf("the step's tree has %q", got)
	}
}

func TestAFileThatWasOnlyTouchedHoldsUpNoDelivery(t *testing.T) {
	t.Parallel()
	for _, how := range []workspace.How{workspace.FastForward, workspace.MergeCommit, workspace.Squash} {
		g := finished(t)
		touch(t, g.ref.Repo, "a.txt")
		if _, err := g.deliver(how); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		if got := read(t, g.ref.Repo, "a.txt"); got != "quest\n" {
			t.Errorf("%s: the checkout has %q", how, got)
		}
		if got := gitOutput(t, g.ref.Repo, "status", "--porcelain"); got != "" {
			t.Errorf("%s: %q", how, got)
		}
	}
}
