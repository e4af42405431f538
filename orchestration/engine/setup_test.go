package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
)

// setupTrees is a workspace whose trees need a command, once each.
type setupTrees struct {
	tree
	mu      sync.Mutex
	ready   []string // steps
	refuse  error
	done    error
	command string
	undone  int
	asked   []record.RepoSettings
}

func (n *setupTrees) Prepare(_ context.Context, _ *orchestration.Quest, r *orchestration.Run, needs record.RepoSettings) (engine.Setup, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, needs)
	if n.refuse != nil || slices.Contains(n.ready, r.Step) {
		return engine.Setup{}, n.refuse
	}
	return engine.Setup{Command: n.command, Done: func(context.Context) error {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.done == nil {
			n.ready = append(n.ready, r.Step)
		}
		return n.done
	}, Undo: func(ctx context.Context) error {
		n.mu.Lock()
		defer n.mu.Unlock()
		if ctx.Err() == nil {
			n.undone++
		}
		return nil
	}}, nil
}

// nurse is a rig with such a workspace, and the processes that set trees up.
func nurse(t *testing.T) (*rig, *setupTrees, *stage) {
	n, setups := &setupTrees{command: "npm ci"}, newStage(t)
	r := newRig(t, func(c *engine.Config) {
		c.Workspace = n
		c.Runners[engine.SetupRunner] = setups
	})
	return r, n, setups
}

func (r *rig) endNurse(setups *stage) {
	setups.endAll()
	r.stop()
}

func TestSetupComesBeforeTheFirstRunInATreeAndOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, n, setups := nurse(t)
		defer r.endNurse(setups)
		if err := r.ChangeSettings(t.Context(), func(s *record.Settings) {
			s.Repos = []record.RepoSettings{{Path: "/repo", Setup: "npm ci", Links: []string{".env"}}}
		}); err != nil {
			t.Fatal(err)
		}
		q := r.quest(2, inWorktrees)
		if len(r.runs.living()) != 0 || len(setups.living()) != 2 {
			t.Fatalf("%d runs, %d set-ups", len(r.runs.living()), len(setups.living()))
		}
		first := setups.of("step-1")
		if first.spec.Command != "npm ci" || first.spec.Dir != "/repo" || first.spec.RunID != q.ID+"-r1" {
			t.Errorf("spec %+v", first.spec)
		}
		if needs := n.asked[0]; needs.Setup != "npm ci" || !slices.Equal(needs.Links, []string{".env"}) {
			t.Errorf("needs %+v", needs)
		}
		first.progress(1, "npm ci")
		if line, state := r.LastLine(q.ID+"-r1"), r.now(q.ID).Run(q.ID+"-r1").State; line != "setting up: npm ci" || state != orchestration.RunStarting {
			t.Errorf("card %q, state %s", line, state)
		}
		first.exit(orchestration.EndClean)
		if p := r.runs.only(); p.spec.Step != "step-1" || p.spec.Role != orchestration.Codeweaver {
			t.Errorf("spec %+v", p.spec)
		}
		r.complete(r.runs.only()) // ward comes next, in the same tree
		if p := r.runs.only(); p.spec.Role != orchestration.Ward || setups.started() != 2 {
			t.Errorf("%s runs; %d set-ups were started", p.spec.Role, setups.started())
		}
	})
}

// The repository's own file says how many ports the programs of its quests have.
func TestSetUpAgentAndCheckHaveThePortsOfTheQuest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, _, setups := nurse(t)
		defer r.endNurse(setups)
		for file, ports := range map[*orchestration.RepoFile]int{{Ports: 60}: 60, nil: 20} {
			step := fmt.Sprint("step-with-", ports)
			r.quest(0, inWorktrees, func(n *orchestration.NewQuest) {
				n.File, n.Plan.Steps = file, []orchestration.PlanStep{{ID: step, Title: "a step"}}
			})
			setup := setups.of(step)
			setup.exit(orchestration.EndClean)
			agent := r.runs.of(step)
			r.complete(agent)
			check := r.runs.of(step)
			if got := []int{setup.spec.Ports, agent.spec.Ports, check.spec.Ports}; !slices.Equal(got, []int{ports, ports, ports}) || check.spec.Role != orchestration.Ward {
				t.Errorf("set-up, agent and %s have %d ports, want %d", check.spec.Role, got, ports)
			}
		}
	})
}

func TestAFailingSetupBlocksTheStepAndRetryRunsItAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, n, setups := nurse(t)
		defer r.endNurse(setups)
		q := r.quest(1, inWorktrees)
		setups.only().leave(agents.Ended{End: orchestration.EndSetupFailed, Exit: orchestration.Exit{Why: "exit 1: no such package", Code: 1}})
		pass(minute)
		step := r.now(q.ID).Step("step-1")
		if step.Block == nil || step.Block.Kind != orchestration.BlockSetup || step.Block.Reason != "the set-up command failed: exit 1: no such package" {
			t.Fatalf("block %+v", step.Block)
		}
		if started := r.runs.started(); started != 0 || n.undone != 1 {
			t.Errorf("%d runs were started; the set-up was undone %d times", started, n.undone)
		}
		if err := r.submit(q.ID, orchestration.RetryPressed{Step: "step-1"}); err != nil {
			t.Fatal(err)
		}
		setups.only().exit(orchestration.EndClean)
		if r.runs.only().spec.Step != "step-1" {
			t.Error("the step did not go on")
		}
	})
}

// A set-up command writes lines and has a tool open, which says nothing of the agent
// that comes after it.
func TestTheTimeToBeginCountsFromTheAgentsOwnStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n, setups := &setupTrees{command: "npm ci"}, newStage(t)
		r := newRig(t, func(c *engine.Config) {
			c.StartTimeout = 30 * time.Second
			c.Workspace, c.Runners[engine.SetupRunner] = n, setups
		})
		defer r.endNurse(setups)
		q := r.quest(1, inWorktrees)
		setups.only().progress(1, "npm ci")
		pass(2 * minute)
		setups.only().exit(orchestration.EndClean)
		p := r.runs.only()
		if d := endedAfter(t, p, p.born); d != 30*time.Second {
			t.Errorf("ended after %s, want 30s", d)
		}
		synctest.Wait()
		if why := r.now(q.ID).Run(q.ID + "-r1").Why; !strings.Contains(why, "first line within 30s") {
			t.Errorf("told %q", why)
		}
	})
}

func TestATreeThatCannotBePreparedBlocks(t *testing.T) {
	for name, change := range map[string]func(*setupTrees){
		"what it needs cannot be given": func(n *setupTrees) { n.refuse = errors.New("git does not ignore .env") },
		"what was done cannot be noted": func(n *setupTrees) { n.done = errors.New("the disk is full") },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r, n, setups := nurse(t)
				defer r.endNurse(setups)
				change(n)
				q := r.quest(1, inWorktrees)
				setups.endClean()
				pass(minute)
				if block := r.now(q.ID).Step("step-1").Block; block == nil || block.Kind != orchestration.BlockSetup {
					t.Errorf("block %+v", block)
				}
			})
		})
	}
}

func (s *stage) endClean() {
	for _, p := range s.living() {
		p.exit(orchestration.EndClean)
	}
}

func TestWhoStopsTheRunEndsItsSetup(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, n, setups := nurse(t)
		defer r.endNurse(setups)
		q := r.quest(1, inWorktrees)
		p := setups.only()
		if err := r.submit(q.ID, orchestration.StopPressed{Run: p.spec.RunID}); err != nil {
			t.Fatal(err)
		}
		pass(minute)
		if len(p.graces()) == 0 || len(setups.living()) != 0 || r.runs.started() != 0 {
			t.Errorf("asked to go %d times; %d set-ups live; %d runs were started", len(p.graces()), len(setups.living()), r.runs.started())
		}
		if n.undone != 1 {
			t.Errorf("it was undone %d times", n.undone)
		}
		if block := r.now(q.ID).Step("step-1").Block; block == nil || block.Kind != orchestration.BlockStopped {
			t.Errorf("block %+v", block)
		}
	})
}

func TestASetupThatTheServersEndCutShortRunsAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, _, setups := nurse(t)
		defer r.endNurse(setups)
		q := r.quest(1, inWorktrees)
		setups.only()
		r.Engine.Stop(t.Context())
		if run := r.now(q.ID).Run(q.ID + "-r1"); run.Outcome != orchestration.OutcomeInterrupted {
			t.Fatalf("outcome %s: %s", run.Outcome, run.Why)
		}
		r.start()
		setups.only().exit(orchestration.EndClean)
		if r.runs.only().spec.Step != "step-1" {
			t.Error("the step did not go on")
		}
		if c := r.now(q.ID).Step("step-1").Counts; c.Crash != 0 {
			t.Errorf("counts %+v", c)
		}
	})
}

// What a set-up prints is no proof that the agent's account works.
func TestASetupReleasesNoHold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, _, setups := nurse(t)
		defer r.endNurse(setups)
		r.quest(2, inWorktrees)
		setups.of("step-1").exit(orchestration.EndClean)
		r.runs.only().leave(agents.Ended{End: orchestration.EndLogin, Exit: orchestration.Exit{Why: "401"}})
		setups.of("step-2").progress(1, "added 120 packages")
		pass(minute)
		if holds := r.Holds(); len(holds) != 1 {
			t.Errorf("holds %+v", holds)
		}
	})
}
