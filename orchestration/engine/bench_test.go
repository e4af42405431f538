package engine_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/store"
	"questboard/orchestration/storetest"
)

// BenchmarkSteps carries quests through the real engine and the real store
// (synchronous FULL). A step is four runs: codeweaver, ward, siegemaster,
// ward. "exits" end at once and show the engine alone; "true" are processes.
func BenchmarkSteps(b *testing.B) {
	for _, kind := range []string{"exits", "true"} {
		for _, shape := range []struct {
			name         string
			steps, slots int
			after        func(i int) []int // what step i depends on
		}{
			{"chain200", 200, 3, func(i int) []int { return []int{i - 1} }},
			{"independent250", 250, 16, func(int) []int { return nil }},
			{"layers10x25", 250, 16, func(i int) []int { return []int{i - 25, i - 24} }},
			{"independent2500", 2500, 16, func(int) []int { return nil }},
		} {
			b.Run(kind+"/"+shape.name, func(b *testing.B) {
				for b.Loop() {
					measureSteps(b, kind, shape.steps, shape.slots, shape.after)
				}
			})
		}
	}
}

func measureSteps(b *testing.B, kind string, steps, slots int, after func(int) []int) {
	n := newQuest(steps)
	for i := range n.Plan.Steps {
		for _, d := range after(i) {
			if d >= 0 && d < i {
				n.Plan.Steps[i].DependsOn = append(n.Plan.Steps[i].DependsOn, n.Plan.Steps[d].ID)
			}
		}
	}
	n.Limits.Runs = 100 * steps
	f := &fleet{spawn: kind == "true"}
	e := benchEngine(b, f, slots)
	began := time.Now()
	q, err := e.Create(b.Context(), n)
	if err != nil {
		b.Fatal(err)
	}
	for q.Phase != orchestration.PhaseComplete {
		time.Sleep(time.Millisecond)
		if q, err = e.Quest(b.Context(), q.ID); err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(began).Seconds()
	b.ReportMetric(float64(steps)/took, "steps/s")
	b.ReportMetric(float64(q.Runs.Len())/took, "runs/s")
	b.ReportMetric(float64(q.Version)/took, "transitions/s")
	e.Stop(context.Background())
}

// BenchmarkSignal measures from an agent's signal to its committed answer, and
// to the start of the run that follows once the process has left.
func BenchmarkSignal(b *testing.B) {
	f := &fleet{manual: make(chan *soldier, 64)}
	e := benchEngine(b, f, 1)
	n := newQuest(1)
	n.Limits.Runs, n.Limits.Followups, n.Limits.Partial = 1<<30, 1<<30, 1<<30
	if _, err := e.Create(b.Context(), n); err != nil {
		b.Fatal(err)
	}
	var answered, next []time.Duration
	p := <-f.manual
	for b.Loop() {
		began := time.Now()
		s := orchestration.Signal{Kind: orchestration.PartiallyComplete, StepID: p.spec.Step, Progress: "p", ContinuationPoint: "c"}
		submit(b, e, p, orchestration.SignalReceived{Run: p.spec.RunID, Signal: s})
		answered = append(answered, time.Since(began))
		p.leave()
		p = <-f.manual
		next = append(next, p.born.Sub(began))
	}
	report(b, "answered", answered)
	report(b, "next", next)
	p.leave()
	f.interrupt.Store(true)
	e.Stop(context.Background())
}

func report(b *testing.B, name string, all []time.Duration) {
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds()), name+"-p50-us")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), name+"-p99-us")
}

// BenchmarkDurableLimit is what the above is measured by: one committed
// transition after the other, and a process each.
func BenchmarkDurableLimit(b *testing.B) {
	b.Run("transaction", func(b *testing.B) {
		s := benchStore(b)
		q := bornQuest(b, s)
		for b.Loop() {
			q = retitle(b, s, q)
		}
	})
	b.Run("process", func(b *testing.B) {
		for b.Loop() {
			spawn(b)
		}
	})
}

func benchStore(b *testing.B) *store.Store {
	var options store.Options
	if *keep == "postgres" {
		options.Postgres = storetest.SyncedPostgres(b)
	}
	return opened(b, b.TempDir(), options)
}

func bornQuest(b *testing.B, s *store.Store) *orchestration.Quest {
	n := newQuest(10)
	n.ID, n.At = "bench", time.Now()
	t, err := orchestration.Create(n)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Commit(b.Context(), []orchestration.Transition{t}, nil); err != nil {
		b.Fatal(err)
	}
	return t.Quest
}

func retitle(b *testing.B, s *store.Store, q *orchestration.Quest) *orchestration.Quest {
	title := fmt.Sprint(q.Version)
	t, err := orchestration.Apply(q, orchestration.Input{At: time.Now(), Actor: "user", Kind: orchestration.QuestEdited{Title: &title}})
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Commit(b.Context(), []orchestration.Transition{t}, nil); err != nil {
		b.Fatal(err)
	}
	return t.Quest
}

func spawn(tb testing.TB) {
	p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		tb.Fatal(err)
	}
}
