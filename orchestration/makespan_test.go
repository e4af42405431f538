package orchestration_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"questboard/orchestration"
)

// health loads the plan of a real feature with 35 steps and 218 minutes of work. Its
// critical path takes 110 minutes.
func health(t testing.TB) []orchestration.PlanStep {
	t.Helper()
	raw, err := os.ReadFile("testdata/health-quest.json")
	if err != nil {
		t.Fatal(err)
	}
	var plan struct{ Steps []orchestration.PlanStep }
	if err := json.Unmarshal(raw, &plan); err != nil {
		t.Fatal(err)
	}
	for i := range plan.Steps {
		plan.Steps[i].Title = plan.Steps[i].ID
	}
	return plan.Steps
}

func TestMakespan_ofTheHealthQuest(t *testing.T) {
	t.Parallel()
	for slots, limit := range map[int]float64{2: 120.5, 3: 110.4} {
		if got := simulate(t, slots, health(t)); got > limit {
			t.Errorf("%d slots: %.1f minutes, want at most %.1f", slots, got, limit)
		} else {
			t.Logf("%d slots: %.1f minutes", slots, got)
		}
	}
}

// randomPlan returns a plan of n steps in layers, with 1 to 20 minutes each.
func randomPlan(r *rand.Rand, n int) []orchestration.PlanStep {
	var steps []orchestration.PlanStep
	for i := range n {
		s := orchestration.PlanStep{ID: fmt.Sprintf("s%d", i), Title: "t", Minutes: 1 + float64(r.IntN(190))/10}
		for range r.IntN(3) {
			if i > 0 {
				d := fmt.Sprintf("s%d", max(0, i-1-r.IntN(15)))
				if len(s.DependsOn) == 0 || s.DependsOn[0] != d {
					s.DependsOn = append(s.DependsOn, d)
				}
			}
		}
		steps = append(steps, s)
	}
	return steps
}

// bound returns the least time that any schedule needs: that of the critical path, or all
// work divided by the slots, whichever is longer.
func bound(steps []orchestration.PlanStep, slots int) float64 {
	longest, work := map[string]float64{}, 0.0
	critical := 0.0
	for _, s := range steps { // dependencies come first in randomPlan
		before := 0.0
		for _, d := range s.DependsOn {
			before = max(before, longest[d])
		}
		longest[s.ID] = before + s.Minutes
		critical = max(critical, longest[s.ID])
		work += s.Minutes
	}
	return max(critical, work/float64(slots))
}

func TestMakespan_ofRandomPlans(t *testing.T) {
	t.Parallel()
	if mean := meanRatio(t, max(10, *quests/20)); mean > 1.02 {
		t.Errorf("mean makespan %.4f × the bound, want at most 1.02", mean)
	}
}

func meanRatio(t testing.TB, plans int) float64 {
	sum := 0.0
	for seed := range plans {
		steps := randomPlan(rand.New(rand.NewPCG(uint64(seed), 7)), 60)
		sum += simulate(t, 3, steps) / bound(steps, 3)
	}
	t.Logf("%d plans of 60 steps at 3 slots: mean %.4f × the bound", plans, sum/float64(plans))
	return sum / float64(plans)
}

func BenchmarkMakespan(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(simulate(b, 2, health(b)), "min@2slots")
		b.ReportMetric(simulate(b, 3, health(b)), "min@3slots")
		b.ReportMetric(meanRatio(b, 1000), "mean/bound")
	}
}

// BenchmarkApply measures one signal in a quest of 1,000 steps.
func BenchmarkApply(b *testing.B) {
	var steps []orchestration.PlanStep
	for i := range 1000 {
		steps = append(steps, step(fmt.Sprintf("s%d", i)))
	}
	p := withSteps(b, steps...)
	r := p.at("s0", orchestration.Codeweaver)
	in := orchestration.Input{At: p.now, Kind: orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "s0", Summary: "s"}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := orchestration.Apply(p.q, in); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlanCheck measures the check of a plan of 500 steps.
func BenchmarkPlanCheck(b *testing.B) {
	n := newQuest()
	n.Plan = &orchestration.OwnPlan{}
	for i := range 500 {
		s := step(fmt.Sprintf("s%d", i))
		for d := max(0, i-5); d < i; d++ {
			s.DependsOn = append(s.DependsOn, fmt.Sprintf("s%d", d))
		}
		n.Plan.Steps = append(n.Plan.Steps, s)
	}
	for b.Loop() {
		if _, err := orchestration.Create(n); err != nil {
			b.Fatal(err)
		}
	}
}
