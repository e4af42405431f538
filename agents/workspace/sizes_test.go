package workspace_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration/record"
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

// The user reads how much of the whole changed as the diff shows it: without what the
// review's tree has, and a file that was only renamed has no new lines.
func TestTheExtentOfAQuestIsThatOfItsDiff(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	if _, err := g.trees.Extent(t.Context(), workspace.Ref{Quest: "never", Repo: g.ref.Repo, Base: g.ref.Base}); !errors.Is(err, workspace.ErrNotBegun) {
		t.Errorf("before it begins: %v", err)
	}
	put(t, g.dir("one"), "old.txt", strings.Repeat("a long enough line\n", 30))
	put(t, g.dir("one"), "a\tb \"c\".bin", "\x00\x01")
	g.commit("one")
	g.advance("one")
	put(t, g.dir("review"), "review.txt", "x\n")
	g.commit("review")
	if e, err := g.trees.Extent(t.Context(), g.ref); err != nil || e != (record.Extent{Files: 2, Added: 30, Uncounted: 1}) {
		t.Errorf("%+v, %v", e, err)
	}
}
