package process_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"questboard/orchestration"
)

// request is what a person asks for, with the plan that PathSeeker writes for it.
type request struct {
	class    string // small, middle, large
	alone    float64
	features int
	says     orchestration.Size // what ChaosWhisperer says of it
	steps    []orchestration.PlanStep
	work     map[string]float64 // minutes of coding by step, without reading
}

var classes = []string{"small", "middle", "large"}

// largePlan is the plan of a real feature: 35 steps and 218 minutes of work.
func largePlan(t testing.TB) []orchestration.PlanStep {
	t.Helper()
	raw, err := os.ReadFile("../../orchestration/testdata/health-quest.json")
	if err != nil {
		t.Fatal(err)
	}
	var plan struct{ Steps []orchestration.PlanStep }
	if err := json.Unmarshal(raw, &plan); err != nil {
		t.Fatal(err)
	}
	return plan.Steps
}

// ask draws a request. The same seed gives the same one in every arm.
func ask(v values, class string, large []orchestration.PlanStep, seed uint64) request {
	r := request{class: class, features: int(v["features."+class].Value + 0.5), work: map[string]float64{}}
	r.features = max(r.features, 1)
	random := rand.New(rand.NewPCG(seed, 2))
	if class == "large" {
		r.says = orchestration.SizeFull
		for _, s := range large {
			r.alone += s.Minutes
			r.work[s.ID] = s.Minutes
			r.steps = append(r.steps, r.step(s, len(r.steps)))
		}
		return r
	}
	r.alone, r.says = v["alone."+class].Value, orchestration.SizeErrand
	if class == "middle" {
		r.says = orchestration.SizeQuick
	}
	n := max(int(v["steps."+class].Value+0.5), 1)
	share := v["split"].Value
	if n == 1 {
		share = 1
	}
	for i := range n {
		s := orchestration.PlanStep{ID: fmt.Sprintf("s%d", i)}
		if i > 0 && random.Float64() < v["depends"].Value {
			s.DependsOn = []string{fmt.Sprintf("s%d", i-1)}
		}
		r.work[s.ID] = max(r.alone-v["look"].Value, 0) * share / float64(n)
		r.steps = append(r.steps, r.step(s, i))
	}
	return r
}

// step completes the nth step: a title, and the observable of its feature.
func (r request) step(s orchestration.PlanStep, n int) orchestration.PlanStep {
	s.Title, s.Description = s.ID, "do it"
	s.Observables = []string{fmt.Sprintf("o%d", n%r.features)}
	s.Minutes = r.work[s.ID]
	return s
}

func (r request) requirements() []orchestration.Requirement {
	var all []orchestration.Requirement
	for i := range min(r.features, len(r.steps)) {
		all = append(all, orchestration.Requirement{ID: fmt.Sprintf("r%d", i), Context: "c",
			Observables: []orchestration.Observable{{ID: fmt.Sprintf("o%d", i), Text: "seen"}}})
	}
	return all
}

// total is the work on all steps.
func (r request) total() float64 {
	sum := 0.0
	for _, s := range r.steps {
		sum += r.work[s.ID]
	}
	return sum
}

// scale is how large the request is beside the one that was measured, at most 3 times.
func (r request) scale() float64 { return min(r.alone/17, 3) }
