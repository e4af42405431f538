package signalback_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/signalback"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

// world is the real endpoint with the real engine and a real database. The agents do
// nothing; the test sends their signals.
type world struct {
	*engine.Engine
	t     testing.TB
	store *store.Store
	url   string

	mu  sync.Mutex
	all map[string]*agent // by run
}

// newWorld serves the endpoint. If around is not nil, it stands between the endpoint
// and the test.
func newWorld(t testing.TB, around func(http.Handler) http.Handler) *world {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w := &world{t: t, store: s, all: map[string]*agent{}}
	w.Engine, err = engine.New(engine.Config{Store: s, Slots: 8, HostID: "host", BootID: "boot", StartTimeout: 24 * time.Hour, StuckAfter: 24 * time.Hour, RunTimeout: 24 * time.Hour,
		HostConfig: engine.HostConfig{Runners: engine.Runners{"simulated": w}, Workspace: noTrees{},
			Prompt: func(*orchestration.Quest, *orchestration.Run, agents.PromptFacts) (string, error) { return "work", nil }}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Stop(context.Background()) })
	handler := signalback.New(w.Engine, "test")
	if around != nil {
		handler = around(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

// agent is the process of a run. It ends when it is told to.
type agent struct {
	spec agents.Spec
	gone chan struct{}
	end  func()
}

// Start implements agents.Runner.
func (w *world) Start(_ context.Context, spec agents.Spec, _ agents.Observer) (agents.Process, error) {
	a := &agent{spec: spec, gone: make(chan struct{})}
	a.end = sync.OnceFunc(func() { close(a.gone) })
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all[spec.RunID] = a
	return a, nil
}

func (a *agent) PID() int          { return 1 }
func (a *agent) End(time.Duration) { a.end() }
func (a *agent) Wait() agents.Ended {
	<-a.gone
	return agents.Ended{End: orchestration.EndInterrupted}
}

// begin makes a quest of two steps or, without a plan, one that begins with the
// requirements. It waits until the agents of the quest work.
func (w *world) begin(planned bool) *orchestration.Quest {
	w.t.Helper()
	n := orchestration.NewQuest{Request: "work", Repo: "/repo", Agent: "simulated", Workspace: orchestration.WorkspaceShared}
	if planned {
		n.Plan = &orchestration.OwnPlan{Steps: []orchestration.PlanStep{{ID: "one", Title: "One", Files: []string{"1"}}, {ID: "two", Title: "Two", Files: []string{"2"}}}}
	}
	q, err := w.Create(w.t.Context(), n)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.settled(q.ID)
}

// settled waits until nothing happens in a quest except that agents work.
func (w *world) settled(id string) *orchestration.Quest {
	w.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Microsecond) {
		q, err := w.Quest(w.t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		if atRest(q) {
			return q
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the quest does not come to rest: %s", q.Why(time.Now(), nil))
		}
	}
}

func atRest(q *orchestration.Quest) bool {
	for _, r := range q.Runs.All() {
		works := r.State == orchestration.RunRunning && r.Stopping == "" && !q.Over()
		if !works && r.State != orchestration.RunEnded {
			return false
		}
	}
	for _, s := range q.Steps.All() {
		if s.Stage == orchestration.StageReady && !q.Over() {
			return false
		}
	}
	return true
}

// at returns the agent that works for a step, or nil.
func (w *world) at(q *orchestration.Quest, step string) *agent {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range q.Runs.All() {
		if r.Step == step && r.State == orchestration.RunRunning {
			return w.all[r.ID]
		}
	}
	return nil
}

// bring makes a quest in which an agent of this role works, and returns the agent.
func (w *world) bring(role orchestration.Role) *agent {
	w.t.Helper()
	if role == orchestration.ChaosWhisperer {
		return w.at(w.begin(false), orchestration.StepRequirements)
	}
	q := w.begin(true)
	if role == orchestration.Codeweaver {
		return w.at(q, "one")
	}
	yes := true
	w.submit(w.at(q, "one"), orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: role, Reason: "r", Context: "c", Resume: &yes})
	return w.at(w.settled(q.ID), "one")
}

// submit sends a signal that the rules accept.
func (w *world) submit(a *agent, s orchestration.Signal) {
	w.t.Helper()
	s.StepID = a.spec.Step
	if _, err := w.Submit(w.t.Context(), a.spec.QuestID, string(a.spec.Role), orchestration.SignalReceived{Run: a.spec.RunID, Signal: s}); err != nil {
		w.t.Fatal(err)
	}
}

// retire ends the quest of an agent. Afterwards no signal of its runs changes anything,
// because the first late signal is already recorded.
func (w *world) retire(a *agent) *orchestration.Quest {
	w.t.Helper()
	id := a.spec.QuestID
	if _, err := w.Submit(w.t.Context(), id, "user", orchestration.AbandonPressed{}); err != nil {
		w.t.Fatal(err)
	}
	q := w.settled(id)
	for _, r := range q.Runs.All() {
		w.mu.Lock()
		delete(w.all, r.ID) // the memory that the test measures must not include its own
		w.mu.Unlock()
		if r.Signal != nil {
			continue
		}
		var refusal *orchestration.Error
		late := orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "late"}}
		if _, err := w.Submit(w.t.Context(), id, string(r.Role), late); !errors.As(err, &refusal) {
			w.t.Fatalf("a late signal came to %v", err)
		}
	}
	return w.settled(id)
}

// stored checks that the database and memory have the same quest, and returns the
// history.
func (w *world) stored(q *orchestration.Quest) []orchestration.Event {
	w.t.Helper()
	kept, err := w.store.Quest(w.t.Context(), q.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	if diff := storetest.Diff(q, kept); diff != "" {
		w.t.Errorf("memory and database differ: %s", diff)
	}
	if err := orchestration.Check(kept); err != nil {
		w.t.Errorf("an invariant is broken: %v", err)
	}
	events, err := w.Events(w.t.Context(), q.ID, orchestration.EventFilter{N: 1 << 20})
	if err != nil {
		w.t.Fatal(err)
	}
	return events
}

// noTrees is a workspace in which nothing ever changes.
type noTrees struct{}

// Seek finds all that evidence names.
func (noTrees) Seek(_ context.Context, _ *orchestration.Quest, _ string, evidence []orchestration.Evidence) []orchestration.Sought {
	return slices.Repeat([]orchestration.Sought{{Is: true}}, len(evidence))
}

func (noTrees) Tidy(context.Context, *orchestration.Quest) ([]string, error) { return nil, nil }
func (noTrees) Dir(context.Context, *orchestration.Quest, string) (string, error) {
	return "/repo", nil
}
func (noTrees) Look(context.Context, *orchestration.Quest, string) (string, error) { return "t", nil }
func (noTrees) Changes(context.Context, string) (string, error)                    { return "", nil }
func (noTrees) Place(q *orchestration.Quest, _ string) string                      { return q.Repo }
func (noTrees) Release(context.Context, *orchestration.Quest, string) error        { return nil }
func (noTrees) Merge(context.Context, *orchestration.Quest, string) (m orchestration.MergeEnded) {
	return m
}
func (noTrees) SaveWork(context.Context, *orchestration.Quest, *orchestration.Run) (engine.SavedWork, error) {
	return engine.SavedWork{}, nil
}
func (noTrees) Prepare(context.Context, *orchestration.Quest, *orchestration.Run, record.RepoSettings) (engine.Setup, error) {
	return engine.Setup{}, nil
}
