package orchestration

// CriticalPath returns the ids of the steps that decide how long the rest of
// the plan takes: the longest chain of work that is not settled, first step
// first. The order of assignment goes by the same chains.
func (q *Quest) CriticalPath() []string {
	if q.Over() {
		return nil
	}
	x := newIndex(q.Steps) // the quest's own was measured when the plan came into force
	all := make([]int, q.Steps.Len())
	for n := range all {
		all[n] = n
	}
	var path []string
	for at := x.longest(q.Steps, all); at >= 0; at = x.longest(q.Steps, x.dependents[at]) {
		path = append(path, q.Steps.At(at).ID)
	}
	return path
}

// longest is the step on which the longest chain hangs, the plan's first of
// those that are alike; -1 where all are settled.
func (x *index) longest(steps Table[Step], of []int) int {
	best := -1
	for _, n := range of {
		if !steps.At(n).Stage.Settled() && (best < 0 || x.rank[n] > x.rank[best]) {
			best = n
		}
	}
	return best
}
