package service_test

import (
	"path/filepath"
	"slices"
	"testing"

	"questboard/orchestration"
)

// Evidence is of the commit of the run's work. An update of the step says which files
// came in, also when the server asks again after a kill.
func TestWorkAndUpdatesSayWhichCommitTheyMade(t *testing.T) {
	t.Parallel()
	n := sow(t)
	save := func(step, file, text string) string {
		t.Helper()
		if file != "" {
			write(t, filepath.Join(n.dir(step), file), text)
		}
		saved, err := n.SaveWork(t.Context(), n.q, runFor(step))
		if err != nil {
			t.Fatal(err)
		}
		if tip := git(t, n.dir(step), "rev-parse", "HEAD"); saved.Commit != tip[:len(saved.Commit)] || len(saved.Commit) < 40 {
			t.Errorf("%s: the work is at %q, HEAD is %q", step, saved.Commit, tip)
		}
		return saved.Commit
	}
	n.dir("one")
	n.dir("two")
	first := save("one", "one.go", "package one\n")
	if again := save("one", "", ""); again != first {
		t.Errorf("a run that changed nothing is at %s, want %s", again, first)
	}
	save("two", "two.go", "package two\n")
	if m := n.Merge(t.Context(), n.q, "one"); m.Outcome != orchestration.MergeMerged || m.Commit != first {
		t.Errorf("merged: %+v, want %s", m, first)
	}
	for range 2 {
		m := n.Merge(t.Context(), n.q, "two")
		if m.Outcome != orchestration.MergeUpdated || !slices.Equal(m.Files, []string{"one.go"}) || len(m.Commit) < 40 {
			t.Errorf("updated: %+v", m)
		}
	}
	found := n.Seek(t.Context(), n.q, "two", []orchestration.Evidence{
		{Kind: orchestration.ByPlace, How: "two.go:1"}, {Kind: orchestration.ByPlace, How: "two.go:2"}, {Kind: orchestration.ByPlace, How: "one.go:1"}})
	if !found[0].Is || found[1].Is || !found[2].Is {
		t.Errorf("in the tree of two: %+v", found)
	}
	if gone := n.Seek(t.Context(), n.q, "three", []orchestration.Evidence{{Kind: orchestration.ByPlace, How: "a.txt:1"}}); gone[0].Is {
		t.Error("a tree that is not there has a file")
	}
}
