package orchestration

import "slices"

// CriticalPath returns the ids of the steps that decide how long the rest of the plan
// takes: the longest chain of unfinished work, first step first. Assign uses the same
// chains.
func (q *Quest) CriticalPath() []string {
	if q.Over() {
		return nil
	}
	return criticalPath(q.Steps) // not the quest's index, which was measured when the plan came into force
}

// LongestChain returns the critical path of a plan that has not begun, and the
// estimated minutes of its steps; 0 means that there are no estimates.
func LongestChain(plan []PlanStep) (ids []string, minutes float64) {
	steps := make([]*Step, len(plan))
	for n, p := range plan {
		steps[n] = &Step{PlanStep: p, N: n, Stage: StageWaiting}
	}
	table := TableOf(steps...)
	ids = criticalPath(table)
	for _, s := range steps {
		if slices.Contains(ids, s.ID) {
			minutes += s.Minutes
		}
	}
	return ids, minutes
}

func criticalPath(steps Table[Step]) []string {
	x := newIndex(steps)
	all := make([]int, steps.Len())
	for n := range all {
		all[n] = n
	}
	var path []string
	for at := x.longest(steps, all); at >= 0 && len(path) < len(all); at = x.longest(steps, x.dependents[at]) {
		path = append(path, steps.At(at).ID)
	}
	return path
}

// longest returns the step at the start of the longest chain: the first in the plan
// among equals, or -1 if all are settled.
func (x *index) longest(steps Table[Step], of []int) int {
	best := -1
	for _, n := range of {
		if !steps.At(n).Stage.Settled() && (best < 0 || x.rank[n] > x.rank[best]) {
			best = n
		}
	}
	return best
}
