package orchestration

import "slices"

// The caller may change the lists of an input later, so the quest stores copies.

func copySteps(steps []PlanStep) []PlanStep {
	steps = slices.Clone(steps)
	for i := range steps {
		s := &steps[i]
		s.Files, s.DependsOn, s.Observables = slices.Clone(s.Files), slices.Clone(s.DependsOn), slices.Clone(s.Observables)
	}
	return steps
}

func copyRequirements(reqs []Requirement) []Requirement {
	reqs = slices.Clone(reqs)
	for i := range reqs {
		reqs[i].Observables = slices.Clone(reqs[i].Observables)
	}
	return reqs
}
