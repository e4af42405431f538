package service_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/e2e/e2etest"
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
	for range 2 { // pressing Done again mends nothing
		if _, err := n.Prepare(t.Context(), n.q, check, record.RepoSettings{}); !errors.As(err, &kept) || !slices.Equal(kept.Markers, []string{"by-hand.go"}) {
			t.Errorf("with the markers of a conflict: %v", err)
		}
	}
	mends := &orchestration.Run{ID: "quest1-r3", Launch: orchestration.Launch{Role: orchestration.Spiritmender, Step: "one",
		Brief: orchestration.Brief{Kind: orchestration.BriefMarkers, ByHand: true}}}
	if _, err := n.Prepare(t.Context(), n.q, mends, record.RepoSettings{}); err != nil {
		t.Errorf("who takes the markers out does not start: %v", err)
	}
}

// Who resolves a conflict finds the merge as git left it, also if a person had the step
// in between.
func TestAConflictThatIsGivenBackIsStillBeingMerged(t *testing.T) {
	t.Parallel()
	n := sow(t)
	for _, step := range []string{"one", "two"} {
		write(t, filepath.Join(n.dir(step), "a.txt"), step+"'s\n")
		if _, err := n.SaveWork(t.Context(), n.q, runFor(step)); err != nil {
			t.Fatal(err)
		}
		if _, err := n.SaveWork(t.Context(), n.q, &orchestration.Run{ID: "quest1-r2", Launch: orchestration.Launch{Role: orchestration.Ward, Step: step}}); err != nil {
			t.Fatal(err)
		}
	}
	if m := n.Merge(t.Context(), n.q, "one"); m.Outcome != orchestration.MergeMerged {
		t.Fatalf("one: %+v", m)
	}
	if m := n.Merge(t.Context(), n.q, "two"); m.Outcome != orchestration.MergeConflict {
		t.Fatalf("two: %+v", m)
	}
	write(t, filepath.Join(n.dir("two"), "by-hand.go"), "package hello\n")
	mends := &orchestration.Run{ID: "quest1-r3", Launch: orchestration.Launch{Role: orchestration.Spiritmender, Step: "two",
		Brief: orchestration.Brief{Kind: orchestration.BriefConflict, ByHand: true}}}
	if _, err := n.Prepare(t.Context(), n.q, mends, record.RepoSettings{}); err != nil {
		t.Fatalf("who resolves the conflict does not start: %v", err)
	}
	if _, err := os.Stat(git(t, n.dir("two"), "rev-parse", "--path-format=absolute", "--git-path", "MERGE_HEAD")); err != nil {
		t.Errorf("the merge is not in progress any more: %v", err)
	}
	write(t, filepath.Join(n.dir("two"), "a.txt"), "one's\ntwo's\n")
	if saved, err := n.SaveWork(t.Context(), n.q, mends); err != nil || len(saved.Markers) > 0 || !slices.Contains(saved.Changed, "by-hand.go") {
		t.Errorf("saved %+v (%v)", saved, err)
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

// A copy can take long. What a person writes meanwhile in their tree is not undone as if
// the set-up had changed it.
func TestWhatAPersonWritesWhileTheirTreeIsPreparedStays(t *testing.T) {
	t.Parallel()
	n := sow(t)
	dir := n.dir("one")
	write(t, filepath.Join(n.repo, ".env"), "KEY=1\n")
	needs := record.RepoSettings{Path: n.repo, Copies: []string{".env"}}
	byHand, exe := filepath.Join(dir, "by-hand.go"), filepath.Join(t.TempDir(), "git")
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	program := "#!/bin/sh\ncase \"$*\" in *check-ignore*) echo 'package hello' >" + byHand + ";; esac\nexec " + real + " \"$@\"\n"
	if err := e2etest.WriteProgram(exe, []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	n.Trees.Git.Exe = exe
	if _, err := n.Prepare(t.Context(), n.q, &orchestration.Run{Launch: orchestration.Launch{Step: "one"}}, needs); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(byHand); err != nil || len(n.notes) > 0 {
		t.Errorf("what came while it was prepared was undone: %v, %q", err, n.notes)
	}
}

// While a repository is away, the end of a check waits. Who takes the step over meanwhile
// keeps what they write.
func TestTheEndOfACheckThatWaitedLooksAtTheQuestAgain(t *testing.T) {
	t.Parallel()
	n := sow(t)
	byHand := filepath.Join(n.dir("one"), "by-hand.go")
	check := &orchestration.Run{ID: "quest1-r2", Launch: orchestration.Launch{Role: orchestration.Ward, Step: "one"}}
	taken := *n.q
	taken.Steps = orchestration.TableOf(&orchestration.Step{PlanStep: orchestration.PlanStep{ID: "one"}, Run: check.ID,
		Hold: orchestration.HoldYours, Block: &orchestration.Block{By: "user"}})
	if err := os.Rename(n.repo, n.repo+".away"); err != nil {
		t.Fatal(err)
	}
	looks := 0
	n.Newest = func(context.Context, string) (*orchestration.Quest, error) {
		if looks++; looks == 1 {
			return n.q, nil
		}
		if looks == 2 {
			write(t, byHand, "package hello\n")
			if err := os.Rename(n.repo+".away", n.repo); err != nil {
				t.Error(err)
			}
		}
		return orchestration.Restore(&taken), nil
	}
	saved, err := n.SaveWork(t.Context(), n.q, check)
	if _, gone := os.Stat(byHand); err != nil || gone != nil || len(saved.Undone) > 0 || looks != 2 {
		t.Errorf("saved %+v (%v) after %d looks; the file: %v", saved, err, looks, gone)
	}
}

// docs/repositories.md#how-a-runs-work-is-committed
func TestTheSubjectsOfCommitsSayStepAndRole(t *testing.T) {
	t.Parallel()
	n := sow(t)
	save := func(id string, l orchestration.Launch, visit int) {
		write(t, filepath.Join(n.dir("one"), id+".txt"), id)
		run := &orchestration.Run{ID: id, Visit: visit, Launch: l}
		_, err := n.Prepare(t.Context(), n.q, run, record.RepoSettings{})
		if err == nil {
			_, err = n.SaveWork(t.Context(), n.q, run)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	save("quest1-r1", orchestration.Launch{Role: orchestration.Codeweaver, Step: "one"}, 1)
	save("quest1-r2", orchestration.Launch{Role: orchestration.Ward, Step: "one", Brief: orchestration.Brief{ByHand: true}}, 1)
	save("quest1-r3", orchestration.Launch{Role: orchestration.Codeweaver, Step: "one"}, 2)
	if log := git(t, n.dir("one"), "log", "-3", "--format=%s"); log != "one, codeweaver 2: Say hello\none, by hand: Say hello\none, codeweaver: Say hello" {
		t.Errorf("the commits are called\n%s", log)
	}
}
