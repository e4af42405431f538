package workspace_test

import (
	"errors"
	"testing"
)

func TestAMarkGoesWithTheTree(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	see := func(step, word string, untouched bool) {
		t.Helper()
		label, err := g.trees.Label(t.Context(), g.ref, step)
		is, err2 := g.trees.Untouched(t.Context(), g.ref, step)
		if err := errors.Join(err, err2); err != nil || label != word || is != untouched {
			t.Errorf("%s: marked %q, untouched %v, %v", step, label, is, err)
		}
	}
	if _, err := g.trees.Label(t.Context(), g.ref, "one"); err == nil {
		t.Error("the mark of a tree that is not there was read")
	}
	if _, err := g.trees.Untouched(t.Context(), g.ref, "one"); err == nil {
		t.Error("a tree that is not there was looked at")
	}
	one := g.dir("one")
	see("one", "", true)
	put(t, one, "new.txt", "work\n")
	see("one", "", false)
	if err := g.trees.SetLabel(t.Context(), g.ref, "one", "w"); err != nil {
		t.Fatal(err)
	}
	see("one", "w", false)
	g.commit("one")
	see("one", "w", true)
	git(t, one, "commit", "-q", "--allow-empty", "-m", "an agent's own")
	see("one", "w", false)
	see("plan", "", true)
	if err := g.trees.Remove(t.Context(), g.ref, "one"); err != nil {
		t.Fatal(err)
	}
	g.dir("one")
	see("one", "", true)
}
