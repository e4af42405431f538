package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/storetest"
)

// TestChaosLosesNothingAndDoublesNothing plays quests with agents that crash,
// hang and repeat themselves, on a store whose commits fail in every way,
// through servers that are killed. In the end all is complete.
func TestChaosLosesNothingAndDoublesNothing(t *testing.T) {
	t.Parallel()
	seeds := uint64(12)
	if *overNetwork {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bubble(t, func(t *testing.T) { chaos(t, seed) })
		})
	}
}

func chaos(t *testing.T, seed uint64) {
	c := &chaosAgents{dice: rand.New(rand.NewPCG(seed, 1)), runs: map[string]int{}}
	r := newRig(t)
	c.rig = r
	r.runs.set(func() { r.runs.instant = c.play })
	quests := []string{r.quest(5).ID, r.quest(4, layered).ID}
	for range 25 {
		for range c.roll(4) {
			err := []error{nil, engine.ErrStale, engine.ErrFull}[c.roll(3)]
			r.store.FailAt(1+c.roll(30), storetest.Moment(c.roll(2)), err)
		}
		if r.net != nil && c.roll(2) == 0 {
			r.net.drop(time.Duration(c.roll(2)) * 2 * time.Second)
		}
		pass(time.Duration(c.roll(20)) * minute)
		c.check(t, quests)
		if c.roll(4) == 0 {
			c.restart()
		}
	}
	c.calm(t, quests)
	if r.net != nil && r.net.dials < 5 {
		t.Errorf("%d connections: that proves little", r.net.dials)
	}
	var used orchestration.Amount
	for _, id := range quests {
		stored, err := r.store.Quest(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if q := r.now(id); q.Phase != orchestration.PhaseComplete || storetest.Diff(q, stored) != "" {
			t.Errorf("quest %s: %s, %s; memory and store differ: %s", id, q.Phase, q.Why(time.Now(), r.Holds()), storetest.Diff(q, stored))
		}
		for _, run := range stored.Runs.All() {
			used = used.Plus(run.Used())
		}
	}
	if server, err := r.store.Server(t.Context()); err != nil || server.Ledger.All != used || r.Ledger().All != used {
		t.Errorf("the runs used %+v; stored are %+v, in memory %+v (%v)", used, server.Ledger.All, r.Ledger().All, err)
	}
	r.stop()
	for run, n := range c.runs {
		if n > 1 {
			t.Errorf("run %s was started %d times", run, n)
		}
	}
}

func layered(n *orchestration.NewQuest) {
	for i := range n.Plan.Steps[1:] {
		n.Plan.Steps[i+1].DependsOn = []string{n.Plan.Steps[i/2].ID}
	}
}

type chaosAgents struct {
	rig *rig

	mu   sync.Mutex
	dice *rand.Rand
	runs map[string]int
	good bool // from now on all goes well
}

func (c *chaosAgents) roll(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dice.IntN(n)
}

// play is one process.
func (c *chaosAgents) play(p *process) {
	c.mu.Lock()
	c.runs[p.spec.RunID]++
	e, good := c.rig.Engine, c.good
	c.mu.Unlock()
	p.observer.SessionOpened(p.spec.SessionID)
	time.Sleep(time.Duration(1+c.roll(300)) * time.Second)
	luck := c.roll(20)
	if good {
		luck = 19
	}
	switch {
	case p.spec.Role == orchestration.Ward && luck < 2:
		p.exit(orchestration.EndWardFailed)
	case p.spec.Role == orchestration.Ward:
		p.exit(orchestration.EndWardPassed)
	case luck < 2:
		p.exit(orchestration.EndCrashed)
	case luck < 3:
		p.exit(orchestration.EndOverloaded)
	case luck < 4: // hangs until somebody ends it
	case luck < 6:
		c.signal(e, p, orchestration.Signal{Kind: orchestration.PartiallyComplete, Progress: "p", ContinuationPoint: "c"})
	default:
		c.signal(e, p, orchestration.Signal{Kind: orchestration.Complete, Summary: "s"})
	}
}

// signal repeats itself as a client does that got no answer.
func (c *chaosAgents) signal(e *engine.Engine, p *process, s orchestration.Signal) {
	s.StepID = p.spec.Step
	for range 5 {
		if _, err := e.Submit(context.Background(), p.spec.QuestID, string(p.spec.Role), orchestration.SignalReceived{Run: p.spec.RunID, Signal: s}); err == nil {
			break
		}
		time.Sleep(time.Second)
	}
	p.exit(orchestration.EndClean)
}

// restart kills the server; what it left is swept by the next one.
func (c *chaosAgents) restart() {
	c.rig.runs.set(func() { c.rig.runs.stayOn = true })
	kill(c.rig)
	c.rig.runs.set(func() { c.rig.runs.stayOn = false })
	c.rig.config.Sweep = func(context.Context, []*orchestration.Run) error {
		for _, p := range c.rig.runs.living() {
			p.exit(orchestration.EndCrashed)
		}
		return nil
	}
	e := c.rig.create()
	c.mu.Lock()
	c.rig.Engine = e
	c.mu.Unlock()
	c.rig.begin(e)
}

// check looks at the promises that hold at any time, and presses what a user
// would press.
func (c *chaosAgents) check(t *testing.T, quests []string) {
	t.Helper()
	ids := map[string]bool{}
	living := c.rig.runs.living()
	if n := len(agentsOf(living)); n > 3 || len(living)-n > 3 {
		t.Errorf("%d agents live for 3 slots, and %d checks of 3 at once", n, len(living)-n)
	}
	for _, p := range living {
		if key := p.spec.QuestID + p.spec.Step; ids[key] {
			t.Errorf("two processes for %s", key)
		} else {
			ids[key] = true
		}
	}
	for _, id := range quests {
		q := c.rig.now(id)
		for _, s := range append(q.Whole[:], steps(q)...) {
			if s.Hold == orchestration.HoldBlocked {
				_ = c.rig.submit(id, orchestration.RetryPressed{Step: s.ID})
			}
		}
	}
}

func steps(q *orchestration.Quest) (list []*orchestration.Step) {
	for _, s := range q.Steps.All() {
		list = append(list, s)
	}
	return list
}

// calm lets everything go well and time pass until the quests are done.
func (c *chaosAgents) calm(t *testing.T, quests []string) {
	c.mu.Lock()
	c.good = true
	c.mu.Unlock()
	for range 60 {
		pass(10 * minute)
		c.check(t, quests)
	}
}
