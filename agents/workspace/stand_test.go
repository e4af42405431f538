package workspace_test

import (
	"maps"
	"strings"
	"testing"
)

// A step is compared with a commit that stays, and not with a branch that moves on; what
// it lacks is named by commits that stay when a branch is gone.
func TestAStepStandsOnACommit(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	for _, step := range []string{"one", "two", "three"} {
		put(t, g.dir(step), step+".txt", "x\n")
		g.commit(step)
	}
	began := gitOutput(t, g.dir("one"), "rev-parse", "HEAD~1")
	stands := func(step, base string, missing ...string) map[string]string {
		t.Helper()
		got, lacks, err := g.trees.Stand(t.Context(), g.ref, step, []string{"one", "two", "none"})
		if err != nil || got != base || len(lacks) != len(missing) {
			t.Fatalf("%s stands on %s and lacks %v: %v; want %s", step, got, lacks, err, base)
		}
		for _, other := range missing {
			if shown := gitOutput(t, g.dir(step), "show", lacks[other]+":"+other+".txt"); shown != "x" {
				t.Errorf("%s does not show the work of %s: %q", lacks[other], other, shown)
			}
		}
		return lacks
	}
	stands("three", began, "one", "two") // finished, and not merged
	g.advance("two")
	before := stands("three", began, "one", "two") // the quest's branch has moved on
	if err := g.trees.Remove(t.Context(), g.ref, "two"); err != nil {
		t.Fatal(err)
	}
	if after := stands("three", began, "one", "two"); !maps.Equal(before, after) {
		t.Errorf("without its branch it is %v, it was %v", after, before)
	}
	g.bring("three", "updated")
	if base, lacks, err := g.trees.Stand(t.Context(), g.ref, "three", []string{"one", "two"}); err != nil || base == began || lacks["two"] != "" || lacks["one"] == "" {
		t.Errorf("brought up to date it stands on %s and lacks %v: %v", base, lacks, err)
	}
	if _, _, err := g.trees.Stand(t.Context(), g.ref, "never", nil); err == nil || !strings.Contains(err.Error(), "never") {
		t.Errorf("a step without a branch: %v", err)
	}
}
