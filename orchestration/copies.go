package orchestration

import "slices"

// The lists of an input stay the caller's: what goes into a quest is a copy.

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
