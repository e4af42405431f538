package engine_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// cleared is a tree that undoes what a run of a role that only reads has left, unless a
// person has the step.
type cleared struct {
	tree
	mu     sync.Mutex
	undone []string // runs
}

func (c *cleared) SaveWork(_ context.Context, q *orchestration.Quest, r *orchestration.Run) (engine.SavedWork, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !r.Role.Writes() && !q.InHand(r.Step) {
		c.undone = append(c.undone, r.ID)
	}
	return engine.SavedWork{}, nil
}

// The check that a take-over stops needs some seconds to end. Meanwhile the person
// already works in the tree, and may even have given the step back.
func TestTheEndOfACheckUndoesNothingInAStepThatAPersonHasTakenOver(t *testing.T) {
	for name, more := range map[string][]orchestration.InputKind{"taken over": nil, "given back": {orchestration.RetryPressed{Step: "step-1"}}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				trees := &cleared{}
				r := newRig(t, func(c *engine.Config) { c.Workspace = trees })
				defer r.stop()
				q := r.quest(1)
				r.complete(r.runs.of("step-1"))
				check := r.runs.of("step-1")
				if check.spec.Role != orchestration.Ward {
					t.Fatalf("%s is at work", check.spec.Role)
				}
				r.runs.set(func() { r.runs.stayOn = true })
				for _, f := range append([]orchestration.InputKind{orchestration.TakeOverPressed{Step: "step-1"}}, more...) {
					if err := r.submit(q.ID, f); err != nil {
						t.Fatal(err)
					}
				}
				r.runs.set(func() { r.runs.stayOn = false })
				check.exit(orchestration.EndWardBroke)
				synctest.Wait()
				trees.mu.Lock()
				defer trees.mu.Unlock()
				if len(trees.undone) > 0 {
					t.Errorf("undone after %v, and the step is %s", trees.undone, r.now(q.ID).Step("step-1").Hold)
				}
			})
		})
	}
}
