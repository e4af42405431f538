package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

// keep says where the engines of the tests store.
var keep = flag.String("store", "memory", "where the engines of the tests store: memory, sqlite or postgres")

// newStore opens a store that is closed with the test.
func newStore(t testing.TB) engine.Store {
	t.Helper()
	options := store.Options{}
	switch *keep {
	case "memory":
		return &storetest.Memory{}
	case "postgres":
		options.Postgres = storetest.Postgres(t)
	case "sqlite":
	default:
		t.Fatalf("-store %s: no such store", *keep)
	}
	return opened(t, t.TempDir(), options)
}

// opened opens a store that is closed after what works with it.
func opened(t testing.TB, dir string, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// rig is an engine with a store of its own and runs that the test plays itself.
// It lives in a synctest bubble: time passes only while everybody waits.
type rig struct {
	t      *testing.T
	store  *storetest.Faulty
	runs   *stage
	bell   *bell
	config engine.Config
	net    *network // nil: the runs are in this process
	*engine.Engine
}

func newRig(t *testing.T, change ...func(*engine.Config)) *rig {
	t.Helper()
	r := &rig{t: t, store: storetest.NewFaulty(newStore(t)), runs: newStage(t), bell: &bell{}}
	r.config = engine.Config{
		StartTimeout: 48 * time.Hour,     // never,
		CrashBackoff: []time.Duration{0}, // and at once, where a test is about something else
		Store:        r.store, Notifier: r.bell, Slots: 3, Checks: 3, HostID: "host", BootID: "boot-1",
		HostConfig: engine.HostConfig{Runners: engine.Runners{"simulated": r.runs, "ward": r.runs}, Workspace: tree{},
			Prompt: func(q *orchestration.Quest, r *orchestration.Run, _ agents.PromptFacts) (string, error) {
				return "work on " + r.Step, nil
			},
			MCPURL: func() string { return "http://127.0.0.1:1/mcp" }},
	}
	for _, c := range change {
		c(&r.config)
	}
	if *overNetwork {
		r.net = &network{t: t, dir: t.TempDir(), full: r.store.Ready, settle: synctest.Wait, rest: 10 * time.Second} // a full disk is that of both
	}
	r.start()
	return r
}

// start begins an engine on the rig's store: the first one, or one after a restart.
func (r *rig) start() {
	r.t.Helper()
	e := r.create()
	r.Engine = e
	r.begin(e)
}

// create makes an engine that begin starts.
func (r *rig) create() *engine.Engine {
	r.t.Helper()
	config := r.config
	joins := func(*engine.Engine) {}
	if r.net != nil {
		joins = r.net.take(&config)
	}
	e, err := engine.New(config)
	if err != nil {
		r.t.Fatal(err)
	}
	joins(e)
	return e
}

func (r *rig) begin(e *engine.Engine) {
	r.t.Helper()
	if err := e.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
	if r.net != nil {
		r.net.join()
	}
}

// stop ends the engine; what still runs in the rig is ended first.
func (r *rig) stop() {
	r.store.FailAll(nil)
	r.runs.endAll()
	r.Engine.Stop(context.Background())
	synctest.Wait()
	if r.net != nil {
		r.net.cut()
	}
}

// quest begins a quest whose steps are independent, unless change says otherwise.
func (r *rig) quest(steps int, change ...func(*orchestration.NewQuest)) *orchestration.Quest {
	r.t.Helper()
	n := newQuest(steps)
	for _, c := range change {
		c(&n)
	}
	q, err := r.Create(r.t.Context(), n)
	if err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
	return r.now(q.ID)
}

func newQuest(steps int) orchestration.NewQuest {
	n := orchestration.NewQuest{Request: "work", Repo: "/repo", Agent: "simulated", Ward: "true",
		Workspace: orchestration.WorkspaceShared, Plan: &orchestration.OwnPlan{}}
	for i := range steps {
		n.Plan.Steps = append(n.Plan.Steps, orchestration.PlanStep{ID: fmt.Sprintf("step-%d", i+1), Title: "a step", Description: "do it"})
	}
	return n
}

// now returns the quest as readers see it.
func (r *rig) now(id string) *orchestration.Quest {
	r.t.Helper()
	q, err := r.Quest(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := errors.Join(orchestration.Check(q), orchestration.ValidateLoaded(q)); err != nil {
		r.t.Errorf("an invariant is broken: %v", err)
	}
	return q
}

func (r *rig) submit(quest string, input orchestration.InputKind) error {
	r.t.Helper()
	_, err := r.Submit(r.t.Context(), quest, "user", input)
	synctest.Wait()
	return err
}

// complete lets the run signal complete and its process leave.
func (r *rig) complete(p *process) {
	r.t.Helper()
	if err := r.submit(p.spec.QuestID, orchestration.SignalReceived{Run: p.spec.RunID,
		Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: p.spec.Step, Summary: "done"}}); err != nil {
		r.t.Fatal(err)
	}
	p.exit(orchestration.EndClean)
	synctest.Wait()
}

// tree is a workspace that is always there and merges nothing.
type tree struct{}

// Seek finds all that evidence names.
func (tree) Seek(_ context.Context, _ *orchestration.Quest, _ string, evidence []orchestration.Evidence) []orchestration.Sought {
	return slices.Repeat([]orchestration.Sought{{Is: true}}, len(evidence))
}

func (tree) SaveWork(context.Context, *orchestration.Quest, *orchestration.Run) (engine.SavedWork, error) {
	return engine.SavedWork{}, nil
}

func (tree) Tidy(context.Context, *orchestration.Quest) ([]string, error) { return nil, nil }

func (tree) Prepare(context.Context, *orchestration.Quest, *orchestration.Run, record.RepoSettings) (engine.Setup, error) {
	return engine.Setup{}, nil
}

func (tree) Place(q *orchestration.Quest, _ string) string { return q.Repo }

func (tree) Release(context.Context, *orchestration.Quest, string) error { return nil }

func (tree) Merge(_ context.Context, _ *orchestration.Quest, step string) orchestration.MergeEnded {
	return orchestration.MergeEnded{Step: step, Outcome: orchestration.MergeBroke}
}

func (tree) Dir(context.Context, *orchestration.Quest, string) (string, error)  { return "/repo", nil }
func (tree) Look(context.Context, *orchestration.Quest, string) (string, error) { return "t", nil }
func (tree) Changes(context.Context, string) (string, error)                    { return "", nil }

// bell counts rings.
type bell struct {
	mu       sync.Mutex
	rings    []string
	spending []string
	cards    atomic.Int64 // how many times the newest line of a run changed
}

func (b *bell) QuestChanged(quest string, steps []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rings = append(b.rings, fmt.Sprint(quest, steps))
}

func (b *bell) Progressed(quest, step string) { b.cards.Add(1) }

func (b *bell) Spending(steps map[string][]string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, list := range steps {
		slices.Sort(list)
	}
	b.spending = append(b.spending, fmt.Sprint(steps))
}

func (b *bell) ReadOnlyChanged() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rings = append(b.rings, "read-only")
}

func (b *bell) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.rings)
}

func (b *bell) all() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.rings)
}

// bubble runs a test with time of its own, beside the others.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Parallel()
	if *keep == "postgres" {
		storetest.Postgres(t) // its server starts outside of the bubble
	}
	synctest.Test(t, f)
}

const minute = time.Minute

// pass lets bubble time go by.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
