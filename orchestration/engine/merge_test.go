package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// forest is a workspace whose merges take a minute and succeed.
type forest struct {
	tree
	mu      sync.Mutex
	settled []string // runs
	merges  []string // steps, in the order of their begin
	going   int
	most    int
	full    bool // the disk
}

func (f *forest) SaveWork(_ context.Context, _ *orchestration.Quest, r *orchestration.Run) (engine.SavedWork, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.full {
		return engine.SavedWork{}, errors.New("the disk is full")
	}
	f.settled = append(f.settled, r.ID)
	if r.Role == orchestration.Codeweaver {
		return engine.SavedWork{Changed: []string{r.Step + ".go"}}, nil
	}
	return engine.SavedWork{}, nil
}

func (f *forest) Merge(ctx context.Context, _ *orchestration.Quest, step string) orchestration.MergeEnded {
	f.mu.Lock()
	f.merges = append(f.merges, step)
	f.going++
	f.most = max(f.most, f.going)
	f.mu.Unlock()
	select {
	case <-time.After(time.Minute):
	case <-ctx.Done():
	}
	f.mu.Lock()
	f.going--
	f.mu.Unlock()
	return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeMerged, Commit: "c0ffee"}
}

// inWorktrees: without a command of its own ward passes everything, and nobody
// asks it about the base.
func inWorktrees(n *orchestration.NewQuest) {
	n.Workspace, n.Ward = orchestration.WorkspaceWorktree, ""
}

// good takes every step to the merge queue: codeweaver, ward, siegemaster, ward.
func (r *rig) good() {
	for range 4 {
		for _, p := range r.runs.living() {
			if p.spec.Role == orchestration.Ward {
				p.exit(orchestration.EndWardPassed)
				synctest.Wait()
			} else {
				r.complete(p)
			}
		}
	}
}

func TestMerge_oneAtATime_andEveryRunIsSettledFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trees := &forest{}
		r := newRig(t, func(c *engine.Config) { c.Workspace = trees })
		defer r.stop()
		q := r.quest(3, inWorktrees)
		r.good()
		if q = r.now(q.ID); len(q.Merging) != 3 {
			t.Fatalf("queue %v", q.Merging)
		}
		if got := q.Steps.At(0).Changed; !slices.Equal(got, []string{"step-1.go"}) {
			t.Errorf("changed %v", got)
		}
		time.Sleep(3*time.Minute + time.Second)
		synctest.Wait()
		if q = r.now(q.ID); q.Phase != orchestration.PhaseReview {
			t.Fatalf("phase %s, queue %v", q.Phase, q.Merging)
		}
		if len(trees.merges) != 3 || trees.most != 1 {
			t.Errorf("merges %v, %d at once", trees.merges, trees.most)
		}
	})
}

func TestMerge_workThatCannotBeCommittedBlocksWithItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trees := &forest{full: true}
		r := newRig(t, func(c *engine.Config) { c.Workspace = trees })
		defer r.stop()
		q := r.quest(1, inWorktrees)
		r.complete(r.runs.only())
		if s := r.now(q.ID).Step("step-1"); s.Block == nil || !strings.Contains(s.Block.Reason, "the disk is full") {
			t.Errorf("step-1 is held by %+v", s.Block)
		}
	})
}

func TestMerge_interruptedByTheEnd_isDoneAgainAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trees := &forest{}
		r := newRig(t, func(c *engine.Config) { c.Workspace = trees })
		q := r.quest(1, inWorktrees)
		r.good()
		r.stop() // in the middle of the merge
		if q = r.now(q.ID); q.MergeTurn() != "step-1" {
			t.Fatalf("queue %v", q.Merging)
		}
		r.start()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if q = r.now(q.ID); q.Steps.At(0).Stage != orchestration.StageDone {
			t.Errorf("step-1 is at %s", q.Steps.At(0).Stage)
		}
		r.stop()
	})
}

// unreachable is an engine that stores what it is told, and says of no quest how it is now: it was
// deleted, or is damaged, or the server is away.
type unreachable struct{ engine.Center }

func (unreachable) Post(string, orchestration.InputKind) <-chan bool {
	done := make(chan bool, 1)
	done <- true
	close(done)
	return done
}

func (unreachable) Newest(string) *orchestration.Quest { return nil }
func (unreachable) WaitStorable(context.Context) bool  { return false }

func TestAMergeWhoseQuestIsGoneAtItsEndEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := engine.NewHost(engine.HostConfig{Workspace: tree{}}, unreachable{})
		h.Merge(&orchestration.Quest{ID: "q"}, "step-1")
		h.Wait("q")
		if !h.Idle("q") {
			t.Error("it goes on")
		}
	})
}
