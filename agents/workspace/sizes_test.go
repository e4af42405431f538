package workspace_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// The review is told how much of each file has changed.
func TestTheSizesOfAQuestsChange(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	put(t, g.dir("one"), "new.txt", strings.Repeat("x\n", 30))
	put(t, g.dir("one"), "a\tb \"c\".bin", "\x00\x01")
	g.commit("one")
	g.advance("one")
	put(t, g.dir("review"), "review.txt", "x\n")
	g.commit("review")
	sizes, err := g.trees.Sizes(t.Context(), g.ref)
	want := []workspace.Size{{File: "a\tb \"c\".bin", Added: -1, Removed: -1}, {File: "new.txt", Added: 30}, {File: "review.txt", Added: 1}}
	if err != nil || !slices.Equal(sizes, want) {
		t.Errorf("%+v, %v", sizes, err)
	}
}
