package service_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// A check that a take-over stops ends later than that. What the person has written by
// then stays in the tree, and so it does when the server was killed in between.
func TestTheEndOfACheckLeavesATreeAloneThatAPersonHas(t *testing.T) {
	t.Parallel()
	n := sow(t)
	dir := n.dir("one")
	check := &orchestration.Run{ID: "quest1-r2", Launch: orchestration.Launch{Role: orchestration.Ward, Step: "one"}}
	one := &orchestration.Step{PlanStep: orchestration.PlanStep{ID: "one"}, Stage: orchestration.Ward.Stage(), Run: check.ID, HoldsFiles: true,
		Hold: orchestration.HoldYours, Block: &orchestration.Block{By: "user"}}
	q := *n.q
	q.Steps = orchestration.TableOf(one)
	n.q = orchestration.Restore(&q)
	write(t, filepath.Join(dir, "by-hand.go"), "package hello\n")
	saved, err := n.SaveWork(t.Context(), n.q, check)
	if status := git(t, dir, "status", "--porcelain"); err != nil || len(saved.Undone) > 0 || status != "?? by-hand.go" {
		t.Errorf("saved %+v (%v); in the tree is %q", saved, err, status)
	}
	if len(n.notes) != 1 || !strings.Contains(n.notes[0], "a person took the step over") {
		t.Errorf("the run says %q", n.notes)
	}
}

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
	if _, err := n.Prepare(t.Context(), n.q, check, record.RepoSettings{}); !errors.As(err, &kept) || !strings.Contains(err.Error(), "by-hand.go") {
		t.Errorf("with the markers of a conflict: %v", err)
	}
}

// A person who takes over a step that has no tree gets one with its links. The set-up
// command comes before the check, and undoes nothing that the person wrote.
func TestAPersonsTreeHasItsLinksAndTheSetupComesBeforeTheCheck(t *testing.T) {
	t.Parallel()
	n := sow(t)
	write(t, filepath.Join(n.repo, ".env"), "KEY=1\n")
	needs := record.RepoSettings{Path: n.repo, Setup: "npm install", Links: []string{".env"}}
	dir := n.dir("one")
	nobody := &orchestration.Run{Launch: orchestration.Launch{Step: "one"}}
	for range 2 { // and again after a restart
		if _, err := n.Prepare(t.Context(), n.q, nobody, needs); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(filepath.Join(dir, ".env")); err != nil || to != filepath.Join(n.repo, ".env") {
			t.Errorf(".env leads to %q: %v", to, err)
		}
		write(t, filepath.Join(dir, "by-hand.go"), "package hello\n")
	}
	check := &orchestration.Run{ID: "quest1-r2", Launch: orchestration.Launch{Role: orchestration.Ward, Step: "one", Brief: orchestration.Brief{ByHand: true}}}
	setup, err := n.Prepare(t.Context(), n.q, check, needs)
	if err != nil || setup.Command != "npm install" {
		t.Fatalf("before the check %q is to run (%v)", setup.Command, err)
	}
	write(t, filepath.Join(dir, "a.txt"), "changed by npm\n")
	n.done(setup)
	if got := git(t, dir, "show", "--name-only", "--format=", "HEAD"); got != "by-hand.go" {
		t.Errorf("committed: %q", got)
	}
}
