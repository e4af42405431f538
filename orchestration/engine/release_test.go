package engine_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// slowTrees is a workspace whose merges succeed at once and whose releases take a
// minute. It knows which trees there are.
type slowTrees struct {
	tree
	mu       sync.Mutex
	trees    []string // steps that have one
	released []string // in the order of their begin
	tidied   int
	at       string // the step that is being released
	going    int
	most     int
	clash    bool // a tree was asked for while it was being released
	refuse   error
	slow     time.Duration // of Tidy
	takes    time.Duration // of Release; 0: a minute
	late     time.Duration // after which a Release that is told to end does
	onDir    func(step string)
}

func (g *slowTrees) Tidy(context.Context, *orchestration.Quest) ([]string, error) {
	time.Sleep(g.slow)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tidied++
	return slices.Clone(g.trees), nil
}

func (g *slowTrees) Dir(_ context.Context, _ *orchestration.Quest, step string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.onDir != nil {
		g.onDir(step)
	}
	if g.at == step {
		g.clash = true
	}
	if !slices.Contains(g.trees, step) {
		g.trees = append(g.trees, step)
	}
	return "/trees/" + step, nil
}

func (g *slowTrees) Merge(_ context.Context, _ *orchestration.Quest, step string) orchestration.MergeEnded {
	return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeMerged, Commit: "c0ffee"}
}

func (g *slowTrees) Release(ctx context.Context, _ *orchestration.Quest, step string) error {
	g.mu.Lock()
	g.released = append(g.released, step)
	g.at = step
	g.going++
	g.most = max(g.most, g.going)
	g.mu.Unlock()
	select {
	case <-time.After(cmp.Or(g.takes, time.Minute)):
	case <-ctx.Done():
		time.Sleep(g.late)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at = ""
	g.going--
	if g.refuse != nil || ctx.Err() != nil {
		return errors.Join(g.refuse, ctx.Err())
	}
	g.trees = slices.DeleteFunc(g.trees, func(l string) bool { return l == step })
	return nil
}

func (g *slowTrees) now() (trees, released []string) {
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Sorted(slices.Values(g.trees)), slices.Clone(g.released)
}

func inGrove(g *slowTrees) func(*engine.Config) { return func(c *engine.Config) { c.Workspace = g } }

func TestReleaseIsDoneAfterTheMergeOneTreeAtATime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := &slowTrees{}
		r := newRig(t, inGrove(g))
		defer r.stop()
		q := r.quest(3, inWorktrees)
		if trees, released := g.now(); len(trees) != 3 || len(released) != 0 {
			t.Fatalf("trees %v, released %v", trees, released)
		}
		r.good()
		if q = r.now(q.ID); q.Phase != orchestration.PhaseReview {
			t.Fatalf("phase %s: a release must not keep the quest", q.Phase)
		}
		pass(3*minute + time.Second)
		trees, released := g.now()
		if !slices.Equal(trees, []string{"review"}) || len(released) != 3 || g.most != 1 {
			t.Errorf("trees %v, released %v, %d at once", trees, released, g.most)
		}
	})
}

func TestReleaseWaitsForTheLastRunOfTheStep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := &slowTrees{}
		r := newRig(t, inGrove(g))
		defer r.stop()
		q := r.quest(2, inWorktrees)
		r.runs.set(func() { r.runs.stayOn = true })
		if err := r.submit(q.ID, orchestration.AbandonPressed{}); err != nil {
			t.Fatal(err)
		}
		pass(5 * minute)
		if _, released := g.now(); slices.Contains(released, "step-1") || slices.Contains(released, "step-2") {
			t.Fatalf("released %v while their processes live", released)
		}
		r.runs.of("step-2").exit(orchestration.EndCrashed)
		pass(2 * minute)
		if trees, _ := g.now(); !slices.Equal(trees, []string{"step-1"}) {
			t.Errorf("trees %v, want that of the run that lives on", trees)
		}
		r.runs.of("step-1").exit(orchestration.EndCrashed)
		pass(2 * minute)
		if trees, _ := g.now(); len(trees) != 0 {
			t.Errorf("trees %v", trees)
		}
	})
}

func TestAReleaseThatFailsIsMadeUpForByTheNextStart(t *testing.T) {
	hereOnly(t)
	bubble(t, func(t *testing.T) {
		g := &slowTrees{refuse: errors.New("the disk is gone")}
		r := newRig(t, inGrove(g))
		q := r.quest(1, inWorktrees)
		r.good()
		pass(2 * minute)
		if trees, _ := g.now(); !slices.Contains(trees, "step-1") {
			t.Fatalf("trees %v", trees)
		}
		r.stop()
		g.refuse = nil
		r.start()
		defer r.stop()
		if err := r.Tidy(t.Context(), q.ID); err != nil {
			t.Fatal(err)
		}
		pass(2 * minute)
		if trees, _ := g.now(); slices.Contains(trees, "step-1") || !slices.Contains(trees, "review") {
			t.Errorf("trees %v, want that of the review alone", trees)
		}
	})
}

// The trees of a quest are made good once, and before a run gets its own.
func TestTidyComesBeforeEverythingElse(t *testing.T) {
	hereOnly(t)
	bubble(t, func(t *testing.T) {
		g := &slowTrees{}
		r := newRig(t, inGrove(g))
		q := r.quest(2, inWorktrees)
		r.stop()
		g.tidied, g.slow = 0, minute
		g.onDir = func(step string) {
			if g.tidied != 1 {
				t.Errorf("%s got its tree when trees had been tidied %d times", step, g.tidied)
			}
		}
		begun := time.Now()
		r.start()
		defer r.stop()
		if took := time.Since(begun); took != 0 {
			t.Errorf("the start took %v: it must not wait for trees", took)
		}
		if err := r.Tidy(t.Context(), q.ID); err != nil || time.Since(begun) != minute {
			t.Errorf("tidied after %v: %v", time.Since(begun), err)
		}
		if n := len(r.runs.living()); n != 2 {
			t.Errorf("%d runs go on", n)
		}
	})
}

func TestTidyOfAQuestThatIsOverGivesItsTreesUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := &slowTrees{}
		r := newRig(t, inGrove(g))
		q := r.quest(1, inWorktrees)
		if err := r.submit(q.ID, orchestration.AbandonPressed{}); err != nil {
			t.Fatal(err)
		}
		r.stop() // in the middle of a release
		r.start()
		defer r.stop()
		if trees, _ := g.now(); len(trees) == 0 {
			t.Fatal("nothing is left to be given up: the test proves nothing")
		}
		if err := r.Tidy(t.Context(), q.ID); err != nil {
			t.Fatal(err)
		}
		pass(3 * minute)
		if trees, _ := g.now(); len(trees) != 0 {
			t.Errorf("trees %v", trees)
		}
		if err := r.Tidy(t.Context(), "nobody"); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			t.Errorf("an unknown quest: %v", err)
		}
	})
}

// The next server must find the trees at rest.
func TestStopWaitsForTreesThatAreBeingReleased(t *testing.T) {
	hereOnly(t)
	bubble(t, func(t *testing.T) {
		g := &slowTrees{late: minute}
		r := newRig(t, inGrove(g))
		q := r.quest(1, inWorktrees)
		r.good()
		r.runs.endAll()
		begun := time.Now()
		r.Engine.Stop(context.Background())
		if took := time.Since(begun); g.going != 0 || took != minute {
			t.Errorf("stopped after %v, %d releases go on", took, g.going)
		}
		r.start()
		r.play(func(*process) bool { return r.now(q.ID).Phase == orchestration.PhaseComplete })
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		begun = time.Now()
		if r.Engine.Stop(ctx); time.Since(begun) != 0 {
			t.Errorf("told to hurry, it took %v", time.Since(begun))
		}
		pass(2 * minute)
	})
}

// The folders of a quest are removed after its deletion. A release that came later would create
// some of them again.
func TestADeletedQuestHasNoTreeThatIsBeingReleased(t *testing.T) {
	hereOnly(t)
	bubble(t, func(t *testing.T) {
		g := &slowTrees{}
		r := newRig(t, inGrove(g))
		defer r.stop()
		q := r.quest(3, inWorktrees)
		r.play(func(*process) bool { return r.now(q.ID).Phase == orchestration.PhaseComplete })
		if trees, _ := g.now(); len(trees) == 0 {
			t.Fatal("nothing is left to be released: the test proves nothing")
		}
		if err := r.Delete(t.Context(), q.ID); err != nil {
			t.Fatal(err)
		}
		if trees, _ := g.now(); len(trees) != 0 {
			t.Errorf("deleted with the trees %v", trees)
		}
		_, before := g.now()
		pass(10 * minute)
		if _, after := g.now(); len(after) != len(before) {
			t.Errorf("released once it was deleted: %v", after[len(before):])
		}
	})
}

// A complete quest that is opened again works in its review's tree again: it waits
// until the old tree is gone, and nobody removes the new one.
func TestATreeIsNotReleasedFromUnderARun(t *testing.T) {
	for name, c := range map[string]struct {
		before time.Duration // the comment comes
		gone   bool          // the old tree goes
	}{
		"the release goes on": {31 * minute, true},
		"the release was due": {0, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				g := &slowTrees{takes: 30 * minute}
				r := newRig(t, inGrove(g))
				defer r.stop()
				q := r.quest(1, inWorktrees)
				r.play(func(*process) bool { return r.now(q.ID).Phase == orchestration.PhaseComplete })
				pass(c.before)
				if err := r.submit(q.ID, orchestration.CommentsSent{Step: "review",
					Comments: []orchestration.Comment{{File: "a.go", Line: 1, Text: "why?"}}}); err != nil {
					t.Fatal(err)
				}
				r.play(func(p *process) bool { return p.spec.Role == orchestration.Lawbringer })
				pass(200 * minute)
				trees, released := g.now()
				if g.clash || !slices.Contains(trees, "review") || slices.Contains(released, "review") != c.gone {
					t.Errorf("trees %v, released %v, clash %v", trees, released, g.clash)
				}
			})
		})
	}
}

// play lets every run succeed until enough says so.
func (r *rig) play(enough func(*process) bool) {
	r.t.Helper()
	for range 200 {
		for _, p := range r.runs.living() {
			switch {
			case enough(p):
				return
			case p.spec.Role == orchestration.Ward:
				p.exit(orchestration.EndWardPassed)
			default:
				r.complete(p)
			}
		}
		if enough(&process{}) {
			return
		}
		pass(10 * time.Second)
	}
	r.t.Fatal("it never came to that")
}
