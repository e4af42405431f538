package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

func oneSlot(c *engine.Config) { c.Slots = 1 }

func hold(q *orchestration.Quest, step string) orchestration.Hold { return q.Step(step).Hold }

func TestAPersonGetsTheTreeOfAReadyStepWithoutASlot(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := &slowTrees{}
		r := newRig(t, inGrove(g), oneSlot)
		defer r.stop()
		q := r.quest(2, inWorktrees)
		if trees, _ := g.now(); !slices.Equal(trees, []string{"step-1"}) {
			t.Fatalf("trees %v: the second step must wait for the slot", trees)
		}
		rings := r.bell.count()
		if err := r.submit(q.ID, orchestration.TakeOverPressed{Step: "step-2"}); err != nil {
			t.Fatal(err)
		}
		if trees, _ := g.now(); !slices.Equal(trees, []string{"step-1", "step-2"}) {
			t.Errorf("trees %v", trees)
		}
		if got := r.bell.all()[rings:]; !slices.Equal(got, []string{q.ID + "[step-2]", q.ID + "[step-2]"}) {
			t.Errorf("rings %v: the page must hear of the tree, too", got)
		}
		if r.runs.started() != 1 || hold(r.now(q.ID), "step-2") != orchestration.HoldYours {
			t.Errorf("%d processes, hold %q", r.runs.started(), hold(r.now(q.ID), "step-2"))
		}
	})
}

// The process that was at work in the tree is gone before the person gets it.
func TestAPersonGetsATreeWhenItsProcessIsGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		asked := 0
		g := &slowTrees{onDir: func(string) { asked++ }}
		r := newRig(t, inGrove(g), oneSlot)
		defer r.stop()
		q := r.quest(1, inWorktrees)
		r.runs.set(func() { r.runs.stayOn = true })
		if err := r.submit(q.ID, orchestration.TakeOverPressed{Step: "step-1"}); err != nil {
			t.Fatal(err)
		}
		if g.now(); asked != 1 {
			t.Errorf("the tree was prepared %d times while a process is in it", asked-1)
		}
		r.runs.of("step-1").exit(orchestration.EndCrashed)
		if g.now(); asked != 2 {
			t.Errorf("the tree was prepared %d times, want once", asked-1)
		}
	})
}

func TestATreeThatCannotBeMadeForAPersonBlocksTheStep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := &brokenTrees{}
		r := newRig(t, func(c *engine.Config) { c.Workspace, c.Slots = g, 1 })
		defer r.stop()
		q := r.quest(2, inWorktrees)
		g.set(errors.New("git failed"))
		if err := r.submit(q.ID, orchestration.TakeOverPressed{Step: "step-2"}); err != nil {
			t.Fatal(err)
		}
		s := r.now(q.ID).Step("step-2")
		if s.Hold != orchestration.HoldBlocked || !strings.Contains(s.Block.Reason, "git failed") {
			t.Fatalf("hold %q, %+v", s.Hold, s.Block)
		}
		g.set(nil)
		if err := r.submit(q.ID, orchestration.TakeOverPressed{Step: "step-2"}); err != nil {
			t.Fatal(err)
		}
		if hold(r.now(q.ID), "step-2") != orchestration.HoldYours {
			t.Error("it cannot be taken over once git works again")
		}
	})
}

// A server that ends between the press and the tree makes the tree at its next start.
func TestAPersonsTreeIsMadeAfterARestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := &slowTrees{}
		r := newRig(t, inGrove(g), oneSlot)
		q := r.quest(2, inWorktrees)
		if err := r.submit(q.ID, orchestration.TakeOverPressed{Step: "step-2"}); err != nil {
			t.Fatal(err)
		}
		r.stop()
		g.mu.Lock()
		g.trees = []string{"step-1"} // as if it had ended before
		g.mu.Unlock()
		r.start()
		defer r.stop()
		if trees, _ := g.now(); !slices.Equal(trees, []string{"step-1", "step-2"}) {
			t.Errorf("trees %v", trees)
		}
		if hold(r.now(q.ID), "step-2") != orchestration.HoldYours {
			t.Error("the step is not the person's any more")
		}
	})
}

// Two people press at the same moment: one has the step, the other reads who has it.
func TestTwoPeopleTakeOverOneStepAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, inGrove(&slowTrees{}), oneSlot)
		defer r.stop()
		q := r.quest(2, inWorktrees)
		var wait sync.WaitGroup
		errs := map[string]error{}
		var mu sync.Mutex
		for _, who := range []string{"ana", "ben"} {
			wait.Go(func() {
				_, err := r.Submit(context.Background(), q.ID, who, orchestration.TakeOverPressed{Step: "step-2"})
				mu.Lock()
				defer mu.Unlock()
				errs[who] = err
			})
		}
		wait.Wait()
		synctest.Wait()
		has := r.now(q.ID).Step("step-2").Block.By
		late := map[string]string{"ana": "ben", "ben": "ana"}[has]
		if late == "" || errs[has] != nil {
			t.Fatalf("%q has it: %v", has, errs)
		}
		if err := errs[late]; orchestration.CodeOf(err) != orchestration.CodeConflict || !strings.Contains(err.Error(), has+" took step-2 over already") {
			t.Errorf("%s reads %v", late, err)
		}
	})
}

// brokenTrees is a workspace whose trees cannot be made while there is an error.
type brokenTrees struct {
	tree
	mu  sync.Mutex
	err error
}

func (b *brokenTrees) set(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
}

func (b *brokenTrees) Dir(context.Context, *orchestration.Quest, string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return "/trees", b.err
}
