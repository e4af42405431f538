package service_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// What a person left in a step's tree is committed before the check, which would undo
// it, and belongs to the step's files even if the server ends in between.
func TestWhatAPersonChangedIsCommittedBeforeTheCheck(t *testing.T) {
	t.Parallel()
	n := sow(t)
	dir := n.dir("one")
	write(t, filepath.Join(dir, "by-hand.go"), "package hello\n")
	check := &orchestration.Run{ID: "quest1-r2", Launch: orchestration.Launch{Role: orchestration.Ward, Step: "one", Brief: orchestration.Brief{ByHand: true}}}
	for range 2 { // a restart prepares and saves once more
		if _, err := n.Prepare(t.Context(), n.q, check, record.RepoSettings{}); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "report.txt"), "what the check wrote")
		saved, err := n.SaveWork(t.Context(), n.q, check)
		if err != nil || !slices.Equal(saved.Changed, []string{"by-hand.go"}) {
			t.Errorf("saved %+v (%v)", saved, err)
		}
	}
	if status := git(t, dir, "status", "--porcelain"); status != "" {
		t.Errorf("left in the tree: %q", status)
	}
	if log := git(t, dir, "log", "-1", "--format=%B"); !strings.Contains(log, "Role: person") {
		t.Errorf("the commit says %q", log)
	}
	write(t, filepath.Join(dir, "by-hand.go"), "<<<<<<< a\none\n=======\ntwo\n>>>>>>> b\n")
	var kept *engine.NotCommittedError
	for range 2 { // pressing Done again mends nothing
		if _, err := n.Prepare(t.Context(), n.q, check, record.RepoSettings{}); !errors.As(err, &kept) || !strings.Contains(err.Error(), "by-hand.go") {
			t.Errorf("with the markers of a conflict: %v", err)
		}
	}
}
