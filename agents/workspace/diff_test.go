package workspace_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// shows asserts that the change of a step, its files and the change of the quest can be
// shown.
func (g *treesTest) shows(when string) {
	g.Helper()
	for step, file := range map[string]string{"merged": "merged.txt", "second": "second.txt", "committed": "committed.txt", "over": "over.txt"} {
		diff, cut, err := g.trees.Diff(g.Context(), g.ref, step)
		if err != nil || cut || !strings.Contains(string(diff), "+++ b/"+file) || strings.Count(string(diff), "+++ ") != 1 {
			g.Errorf("%s: Diff(%s) = %v\n%s", when, step, err, diff)
		}
		if files, err := g.trees.Changed(g.Context(), g.ref, step); err != nil || !slices.Equal(files, []string{file}) {
			g.Errorf("%s: Changed(%s) = %q, %v", when, step, files, err)
		}
	}
	diff, _, err := g.trees.QuestDiff(g.Context(), g.ref)
	if err != nil || !strings.Contains(string(diff), "+++ b/merged.txt") || !strings.Contains(string(diff), "+++ b/second.txt") || strings.Contains(string(diff), "committed.txt") {
		g.Errorf("%s: QuestDiff = %v\n%s", when, err, diff)
	}
}

// A change can be shown at any time: while the step works, after it was merged and
// removed, after the quest was delivered, forgotten, or both.
func TestAChangeIsShownWhateverBecameOfItsStep(t *testing.T) {
	t.Parallel()
	for _, how := range []workspace.How{workspace.FastForward, workspace.MergeCommit, workspace.Squash} {
		g := busy(t)
		put(t, g.dir("second"), "second.txt", "second\n")
		g.commit("second")
		g.advance("second")
		g.shows("at work")
		for _, step := range []string{"merged", "second"} {
			if err := g.trees.Remove(t.Context(), g.ref, step); err != nil {
				t.Fatal(err)
			}
		}
		g.shows("removed")
		if _, err := g.deliver(how); err != nil {
			t.Fatal(err)
		}
		g.shows(string(how))
		g.forget(workspace.Forgetting{})
		g.shows(string(how) + " and forgotten")
	}
}

// If a step was removed twice, the later state is shown.
func TestTheLastThatWasGivenUpIsShown(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	for _, name := range []string{"first.txt", "later.txt"} {
		put(t, g.dir("one"), name, "x\n")
		g.commit("one")
		if err := g.trees.Remove(t.Context(), g.ref, "one"); err != nil {
			t.Fatal(err)
		}
	}
	if files, err := g.trees.Changed(t.Context(), g.ref, "one"); err != nil || !slices.Equal(files, []string{"later.txt"}) {
		t.Errorf("%q, %v", files, err)
	}
}

// Unchanged lines around a change are shown as far as they are asked for, of the named files
// alone. A name is a name, however odd, and never a pattern.
func TestUnchangedLinesOfAFileAreShown(t *testing.T) {
	t.Parallel()
	const odd = ":(exclude)*\n-- \"x\""
	lines := func(last string) string { return strings.Repeat("same\n", 40) + last + "\n" }
	g := newTreesTest(t, repo(t))
	put(t, g.dir("one"), odd, lines("before"))
	put(t, g.dir("one"), "other", lines("before"))
	g.commit("one")
	g.advance("one")
	put(t, g.dir("two"), odd, lines("after"))
	put(t, g.dir("two"), "other", lines("after"))
	g.commit("two")
	for around, want := range map[int]int{3: 3, 25: 25, 50_000: 40} {
		diff, cut, err := g.trees.DiffOf(t.Context(), g.ref, "two", around, []string{odd, odd})
		if err != nil || cut || strings.Count(string(diff), "diff --git ") != 1 || strings.Count(string(diff), "\n same") != want {
			t.Errorf("around %d: %v %v\n%s", around, cut, err, diff)
		}
	}
	g.advance("two")
	diff, _, err := g.trees.DiffOf(t.Context(), g.ref, "", 1, []string{"other"})
	if err != nil || !strings.Contains(string(diff), "+after") || strings.Contains(string(diff), "exclude") {
		t.Errorf("of the quest: %v\n%s", err, diff)
	}
}

// Each line of a file has the commit that wrote it: that of a step, or the quest's base. A
// name is a name, however odd.
func TestEachLineOfAFileHasItsCommit(t *testing.T) {
	t.Parallel()
	const odd = "-L1,1 :(top)*\n\"x\""
	g := newTreesTest(t, repo(t))
	put(t, g.dir("one"), odd, "a\nb\nc\n")
	g.commit("one")
	one := g.advance("one")
	put(t, g.dir("two"), odd, "a\nB\nc\nd\n")
	g.commit("two")
	two := g.advance("two")
	got, err := g.trees.Writers(t.Context(), g.ref, odd)
	if err != nil || !slices.Equal(got, []string{one, two, one, two}) {
		t.Errorf("%q (%v), want lines of %s and %s", got, err, one, two)
	}
	if got, err := g.trees.Writers(t.Context(), g.ref, "not there"); err == nil {
		t.Errorf("a file that is not there: %q", got)
	}
	of, err := g.trees.Writers(t.Context(), g.ref, "a.txt")
	if err != nil || slices.Contains(of, one) || slices.Contains(of, two) || len(of) == 0 {
		t.Errorf("what the quest did not change: %q (%v)", of, err)
	}
}
