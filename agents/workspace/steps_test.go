package workspace_test

import (
	"testing"
)

func TestAMarkGoesWithTheTree(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	see := func(step, word string, wantIs, wantUntouched bool) {
		t.Helper()
		is, untouched, err := g.trees.HasLabel(t.Context(), g.ref, step, word)
		if err != nil || is != wantIs || untouched != wantUntouched {
			t.Errorf("%s: marked %q is %v, untouched %v, %v", step, word, is, untouched, err)
		}
	}
	if _, _, err := g.trees.HasLabel(t.Context(), g.ref, "one", "w"); err == nil {
		t.Error("a tree that is not there was looked at")
	}
	one := g.dir("one")
	see("one", "w", false, true)
	put(t, one, "new.txt", "work\n")
	see("one", "w", false, false)
	if err := g.trees.SetLabel(t.Context(), g.ref, "one", "w"); err != nil {
		t.Fatal(err)
	}
	see("one", "w", true, false)
	see("one", "another", false, false)
	g.commit("one")
	see("one", "another", false, true)
	git(t, one, "commit", "-q", "--allow-empty", "-m", "an agent's own")
	see("one", "another", false, false)
	see("plan", "w", false, true)
	if err := g.trees.Remove(t.Context(), g.ref, "one"); err != nil {
		t.Fatal(err)
	}
	g.dir("one")
	see("one", "w", false, true)
}
