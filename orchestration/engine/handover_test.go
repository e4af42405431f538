package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// lookedAt is a tree whose fingerprint the test sets.
type lookedAt struct {
	tree
	mu    sync.Mutex
	print string
	err   error
	looks int
}

func (l *lookedAt) Look(context.Context, *orchestration.Quest, string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.looks++
	return l.print, l.err
}

func (l *lookedAt) set(print string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.print, l.err = print, err
}

func (l *lookedAt) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.looks
}

// The server compares the tree with the one that the step's first run found: the agent
// does not say itself whether it did its job.
func TestAHandOverIsTakenOnlyWhereTheTreeHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trees := &lookedAt{print: "before"}
		r := newRig(t, func(c *engine.Config) { c.Workspace = trees })
		defer r.stop()
		q := r.quest(1)
		p := r.runs.of("step-1")
		if got := r.now(q.ID).Step("step-1").StartTree; got != "before" {
			t.Fatalf("the step starts from %q", got)
		}
		no := false
		leaves := func(run string, to orchestration.Role) error {
			return r.submit(q.ID, orchestration.SignalReceived{Run: run, Signal: orchestration.Signal{Kind: orchestration.NeedsRoleFollowup,
				StepID: "step-1", TargetRole: to, Reason: "lint", Context: "here", Resume: &no}})
		}
		for _, fault := range []error{nil, errors.New("git is gone")} {
			trees.set("before", fault)
			if err := leaves(p.spec.RunID, orchestration.Spiritmender); orchestration.CodeOf(err) != orchestration.CodeInvalid {
				t.Errorf("nothing was changed (git: %v): %v", fault, err)
			}
		}
		trees.set("", nil)
		if err := leaves(p.spec.RunID, orchestration.Spiritmender); orchestration.CodeOf(err) != orchestration.CodeInvalid {
			t.Errorf("an unknown tree: %v", err)
		}
		trees.set("after", nil)
		if err := leaves(p.spec.RunID, orchestration.Spiritmender); err != nil {
			t.Fatalf("with work done: %v", err)
		}
		before := trees.count()
		if err := leaves(p.spec.RunID, orchestration.Spiritmender); err != nil {
			t.Errorf("a repeat gets the same answer: %v", err)
		}
		p.exit(orchestration.EndClean)
		synctest.Wait()
		next := r.runs.of("step-1")
		if next.spec.Role != orchestration.Spiritmender {
			t.Fatalf("%s is at work", next.spec.Role)
		}
		if err := leaves(next.spec.RunID, orchestration.Lawbringer); err != nil {
			t.Errorf("Spiritmender leaves: %v", err)
		}
		next.exit(orchestration.EndClean)
		synctest.Wait()
		if looks := trees.count() - before; looks > 0 {
			t.Errorf("%d looks that decide nothing", looks)
		}
	})
}

// The server looks at the review's tree before a look and when it ends. Nobody is asked
// whether he changed something.
func TestALookThatChangedTheTreeBringsAFreshOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trees := &lookedAt{print: "before"}
		r := newRig(t, func(c *engine.Config) { c.Workspace = trees })
		defer r.stop()
		q := r.quest(1)
		if err := r.submit(q.ID, orchestration.StopPressed{Run: r.now(q.ID).Step("step-1").Run}); err != nil {
			t.Fatal(err)
		}
		if err := r.submit(q.ID, orchestration.SkipPressed{Step: "step-1", Reason: "not now"}); err != nil {
			t.Fatal(err)
		}
		passes := func(tree string) {
			t.Helper()
			r.runs.of("review").leave(agents.Ended{End: orchestration.EndWardPassed, Exit: orchestration.Exit{Tree: tree}})
			synctest.Wait()
		}
		passes("before")
		first := r.runs.of("review")
		if s := r.now(q.ID).Step("review"); s.StartTree != "before" {
			t.Fatalf("the look starts from %q", s.StartTree)
		}
		trees.set("after", nil)
		r.complete(first)
		passes("after")
		second := r.runs.of("review")
		if s := r.now(q.ID).Step("review"); second.spec.RunID == first.spec.RunID || second.spec.Resume || s.Rounds != 1 || s.StartTree != "after" {
			t.Fatalf("after a change: %s, resumed %v, %d rounds, from %q", second.spec.RunID, second.spec.Resume, s.Rounds, s.StartTree)
		}
		r.complete(second)
		passes("after")
		if done := r.now(q.ID); done.Phase != orchestration.PhaseComplete || !done.Outcome().Reviewed {
			t.Errorf("phase %s, outcome %+v", done.Phase, done.Outcome())
		}
	})
}
