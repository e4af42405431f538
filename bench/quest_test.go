package bench_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
	"questboard/orchestration/store"
)

// shape is a plan: how many steps, and the places of those that step i waits for.
type shape struct {
	steps int
	after func(i int) []int
}

func independent(n int) shape { return shape{n, func(int) []int { return nil }} }

func chain(n int) shape { return shape{n, func(i int) []int { return []int{i - 1} }} }

// layers is a layered DAG: each step waits for two of the layer before.
func layers(depth, width int) shape {
	return shape{depth * width, func(i int) []int { return []int{i - width, i/width*width - width + (i+1)%width} }}
}

func (s shape) before(i int) (list []int) {
	for _, d := range s.after(i) {
		if d >= 0 {
			list = append(list, d)
		}
	}
	return list
}

func (s shape) quest() orchestration.NewQuest {
	n := orchestration.NewQuest{Request: "work", Repo: "/repo", Agent: "simulated", Ward: "true",
		Workspace: orchestration.WorkspaceShared, Plan: &orchestration.OwnPlan{}}
	n.Limits.Runs = 100 * s.steps
	for i := range s.steps {
		step := orchestration.PlanStep{ID: fmt.Sprint("s", i), Title: "a step", Description: "do it"}
		for _, d := range s.before(i) {
			step.DependsOn = append(step.DependsOn, fmt.Sprint("s", d))
		}
		n.Plan.Steps = append(n.Plan.Steps, step)
	}
	return n
}

// site is an engine on a real store (synchronous FULL).
type site struct {
	*engine.Engine
	party *party
	over  *over
}

func openSite(tb testing.TB, slots int, start spawn) *site {
	s, err := store.Open(tb.Context(), tb.TempDir(), store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	p := &party{tb: tb, start: start}
	bell := &over{done: make(chan *orchestration.Quest, 1)}
	e, err := engine.New(engine.Config{Store: s, Notifier: bell, Slots: slots, HostID: "host", BootID: "boot",
		HostConfig: engine.HostConfig{Runners: engine.Runners{"simulated": p, "ward": p}, Workspace: tree{},
			Prompt: func(*orchestration.Quest, *orchestration.Run, agents.PromptFacts) (string, error) { return "work", nil }}})
	if err != nil {
		tb.Fatal(err)
	}
	p.engine, bell.engine = e, e
	if err := e.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		e.Stop(context.Background())
		s.Close()
	})
	return &site{Engine: e, party: p, over: bell}
}

// carry takes a quest from its creation to complete.
func (s *site) carry(tb testing.TB, n orchestration.NewQuest) (*orchestration.Quest, time.Duration) {
	began := time.Now()
	if _, err := s.Create(tb.Context(), n); err != nil {
		tb.Fatal(err)
	}
	q := <-s.over.done
	return q, time.Since(began)
}

// over tells when a quest is complete and no run of it is left.
type over struct {
	engine *engine.Engine
	done   chan *orchestration.Quest
	told   sync.Map
}

// QuestChanged implements engine.Notifier.
func (o *over) QuestChanged(id string, _ []string) {
	q, err := o.engine.Quest(context.Background(), id)
	if err != nil || q.Phase != orchestration.PhaseComplete || len(q.OpenRuns()) > 0 {
		return
	}
	if _, before := o.told.LoadOrStore(id, true); !before {
		o.done <- q
	}
}

func (o *over) Progressed(string, string)    {}
func (o *over) Spending(map[string][]string) {}

// ReadOnlyChanged implements engine.Notifier.
func (o *over) ReadOnlyChanged() {}

// tree is a workspace that is always there.
type tree struct{}

// Seek finds all that evidence names.
func (tree) Seek(_ context.Context, _ *orchestration.Quest, _ string, evidence []orchestration.Evidence) []orchestration.Sought {
	return slices.Repeat([]orchestration.Sought{{Is: true}}, len(evidence))
}

func (tree) Dir(context.Context, *orchestration.Quest, string) (string, error) { return "/", nil }
func (tree) Changes(context.Context, string) (string, error)                   { return "", nil }
func (tree) SaveWork(context.Context, *orchestration.Quest, *orchestration.Run) (engine.SavedWork, error) {
	return engine.SavedWork{}, nil
}
func (tree) Tidy(context.Context, *orchestration.Quest) ([]string, error) { return nil, nil }
func (tree) Prepare(context.Context, *orchestration.Quest, *orchestration.Run, record.RepoSettings) (engine.Setup, error) {
	return engine.Setup{}, nil
}
func (tree) Look(context.Context, *orchestration.Quest, string) (string, error) { return "t", nil }
func (tree) Place(q *orchestration.Quest, _ string) string                      { return q.Repo }
func (tree) Release(context.Context, *orchestration.Quest, string) error        { return nil }
func (tree) Merge(_ context.Context, _ *orchestration.Quest, line string) orchestration.MergeEnded {
	return orchestration.MergeEnded{Step: line, Outcome: orchestration.MergeBroke}
}
