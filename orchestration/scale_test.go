package orchestration_test

import (
	"fmt"
	"runtime"
	"testing"

	"questboard/orchestration"
)

// shapes returns the dependencies of step i in plans of n steps: a chain, independent
// steps, ten layers.
var shapes = map[string]func(n, i int) []string{
	"chain": func(_, i int) []string {
		if i == 0 {
			return nil
		}
		return []string{fmt.Sprintf("s%d", i-1)}
	},
	"independent": func(int, int) []string { return nil },
	"layers": func(n, i int) []string {
		width := n / 10
		if i < width {
			return nil
		}
		return []string{fmt.Sprintf("s%d", i-width), fmt.Sprintf("s%d", i/width*width-width+(i+1)%width)}
	},
}

func planOf(n int, deps func(n, i int) []string) []orchestration.PlanStep {
	var steps []orchestration.PlanStep
	for i := range n {
		steps = append(steps, step(fmt.Sprintf("s%d", i), deps(n, i)...))
	}
	return steps
}

// carry plays a quest, only with Apply and Assign, until that many more steps are
// settled.
func carry(t testing.TB, q *orchestration.Quest, slots, steps int) *orchestration.Quest {
	t.Helper()
	do := func(f orchestration.InputKind) {
		tr, err := orchestration.Apply(q, orchestration.Input{At: epoch, Kind: f})
		if err != nil {
			t.Fatal(err)
		}
		q = tr.Quest
	}
	for done := 0; done < steps; {
		for _, g := range orchestration.Assign(orchestration.Pool{Now: epoch, Slots: slots, Quests: []*orchestration.Quest{q}}) {
			do(orchestration.SlotGranted{Run: g.Run, Step: g.Step, Agent: g.Agent, Slot: g.Slot, Free: g.Free, Share: g.Share, SessionID: "s"})
		}
		r := q.OpenRuns()[0]
		do(orchestration.ProcessStarted{Run: r.ID, PID: 1 + r.N})
		if r.Role == orchestration.Ward {
			do(orchestration.RunExited{Run: r.ID, End: orchestration.EndWardPassed})
			if q.Step(r.Step).Stage == orchestration.StageDone {
				done++
			}
			continue
		}
		do(orchestration.SessionOpened{Run: r.ID, SessionID: r.SessionID})
		do(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: r.Step, Summary: "s"}})
		do(orchestration.RunExited{Run: r.ID, End: orchestration.EndClean})
	}
	return q
}

func planned(t testing.TB, n int, shape string) *orchestration.Quest {
	t.Helper()
	quest := newQuest()
	quest.Limits.Runs = 1 << 30
	quest.Plan = &orchestration.OwnPlan{Steps: planOf(n, shapes[shape])}
	tr, err := orchestration.Create(quest)
	if err != nil {
		t.Fatal(err)
	}
	return tr.Quest
}

// BenchmarkSteps measures all inputs and assignments of one step from ready to done, in
// plans of 100 to 10,000 steps. The cost should not grow with the plan.
func BenchmarkSteps(b *testing.B) {
	for _, shape := range []string{"chain", "independent", "layers"} {
		for _, n := range []int{100, 1000, 10000} {
			b.Run(fmt.Sprintf("%s/%d", shape, n), func(b *testing.B) {
				b.ReportAllocs()
				q := planned(b, n, shape)
				left := n
				for b.Loop() {
					if left == 0 {
						b.StopTimer()
						q, left = planned(b, n, shape), n
						b.StartTimer()
					}
					q = carry(b, q, 3, 1)
					left--
				}
			})
		}
	}
}

// BenchmarkCreate measures how a quest with a plan begins.
func BenchmarkCreate(b *testing.B) {
	for _, n := range []int{100, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				planned(b, n, "independent")
			}
		})
	}
}

// TestScale_aStepOfALargePlanCostsLikeOneOfASmallPlan allows for one cost that grows with
// the plan: the copies of the tables' lists of chunks, which are small. It measures bytes
// and not time, because they are the same on a busy machine.
//
//nolint:paralleltest // it counts the bytes of the whole process
func TestScale_aStepOfALargePlanCostsLikeOneOfASmallPlan(t *testing.T) {
	for shape := range shapes {
		small, large := bytesPerStep(t, 1000, shape), bytesPerStep(t, 10000, shape)
		t.Logf("%s: %.0f bytes a step of 1,000, %.0f of 10,000", shape, small, large)
		if large > 2*small {
			t.Errorf("%s: a step allocates %.0f bytes in a plan of 1,000 and %.0f in one of 10,000", shape, small, large)
		}
	}
}

// bytesPerStep returns the bytes that a step in the middle of a plan allocates, as the average
// of twenty. No other test runs at the same time, because this one is not parallel.
func bytesPerStep(t *testing.T, n int, shape string) float64 {
	q := carry(t, planned(t, n, shape), 3, n/10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	carry(t, q, 3, 20)
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / 20
}
