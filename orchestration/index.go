package orchestration

import "slices"

// index holds what is derived from the plan alone. Each change of the plan builds a new
// one, which all later versions of the quest share.
type index struct {
	byID       map[string]int
	dependents [][]int   // of step n: the steps that depend on it
	rank       []float64 // of step n: the length of the longest chain of work that begins with it
}

// weight returns the work that a step adds to its chain: the planner's estimate in
// minutes, or 1 if there is no estimate.
func weight(s *Step) float64 {
	if s.Minutes > 0 {
		return s.Minutes
	}
	return 1
}

func newIndex(steps Table[Step]) *index {
	x := &index{byID: make(map[string]int, steps.Len()), dependents: make([][]int, steps.Len()), rank: make([]float64, steps.Len())}
	for n, s := range steps.All() {
		x.byID[s.ID] = n
	}
	for n, s := range steps.All() {
		for _, d := range s.DependsOn {
			if m, ok := x.byID[d]; ok {
				x.dependents[m] = append(x.dependents[m], n)
			}
		}
	}
	for n := range x.rank {
		x.measure(steps, n)
	}
	return x
}

// measure fills rank[n] and the ranks of all steps that depend on it. The recursion is
// as deep as the chain. A plan in force has no cycle; in a plan that was damaged on
// disk the recursion ends where it began.
func (x *index) measure(steps Table[Step], n int) float64 {
	if x.rank[n] > 0 {
		return x.rank[n]
	}
	x.rank[n] = weight(steps.At(n))
	longest := 0.0
	for _, d := range x.dependents[n] {
		if !steps.At(d).Stage.Settled() {
			longest = max(longest, x.measure(steps, d))
		}
	}
	x.rank[n] = longest + weight(steps.At(n))
	return x.rank[n]
}

// Restore rebuilds the fields that are derived and not stored, and returns the same
// quest. A store calls it for each quest that it loads.
func Restore(q *Quest) *Quest {
	q.index = newIndex(q.Steps)
	if q.Size == "" { // an older version knew no other
		q.Size = SizeFull
	}
	q.open, q.ready, q.held, q.asking = nil, nil, nil, nil
	q.tokens, q.time, q.capped = 0, 0, 0
	for n, r := range q.Runs.All() {
		q.count(r)
		if r.Outcome == OutcomeCapped {
			q.capped++
		}
		if r.State != RunEnded {
			q.open = append(q.open, n)
		}
	}
	for n, s := range q.Steps.All() {
		if s.Stage == StageReady {
			q.ready = append(q.ready, n)
		}
		if s.Hold != HoldNone {
			q.held = append(q.held, n)
		}
	}
	for n, ask := range q.Questions.All() {
		if ask.Open() {
			q.asking = append(q.asking, n)
		}
	}
	q.sortReady()
	return q
}

func (q *Quest) sortReady() {
	slices.SortFunc(q.ready, q.better)
}

// better orders ready steps: the highest priority first, then the longest chain, then the
// order of the plan.
func (q *Quest) better(a, b int) int {
	if pa, pb := q.Steps.At(a).Priority.rank(), q.Steps.At(b).Priority.rank(); pa != pb {
		return pa - pb
	}
	switch ra, rb := q.index.rank[a], q.index.rank[b]; {
	case ra > rb:
		return -1
	case ra < rb:
		return 1
	}
	return a - b
}

// addReady and dropReady replace the list, because the old quest still uses it.
func (q *Quest) addReady(steps ...int) {
	switch {
	case len(steps) == 0:
		return
	case len(steps) > 1:
		q.ready = slices.Concat(q.ready, steps)
		q.sortReady()
		return
	}
	n := steps[0]
	at, _ := slices.BinarySearchFunc(q.ready, n, q.better)
	list := make([]int, 0, len(q.ready)+1)
	list = append(list, q.ready[:at]...)
	list = append(list, n)
	q.ready = append(list, q.ready[at:]...)
}

func (q *Quest) dropReady(n int) {
	at := slices.Index(q.ready, n)
	switch {
	case at == 0:
		q.ready = q.ready[1:]
	case at > 0:
		q.ready = slices.Concat(q.ready[:at], q.ready[at+1:])
	}
}

// keepHolds updates the lists held and asking after some steps and questions changed.
func (q *Quest) keepHolds(steps, questions map[int]bool) {
	q.held = renewed(q.held, steps, func(n int) bool { return q.Steps.At(n).Hold != HoldNone })
	q.asking = renewed(q.asking, questions, func(n int) bool { return q.Questions.At(n).Open() })
}

// renewed returns an ordered list of row numbers after some rows changed: a changed row
// is in the list if it belongs there now. The result is a new list, because the old
// quest still uses the old one.
func renewed(list []int, changed map[int]bool, belongs func(int) bool) []int {
	if len(changed) == 0 {
		return list
	}
	var fresh []int
	for _, n := range list {
		if !changed[n] {
			fresh = append(fresh, n)
		}
	}
	for n := range changed {
		if belongs(n) {
			fresh = append(fresh, n)
		}
	}
	slices.Sort(fresh)
	return fresh
}

func (q *Quest) addOpen(n int) {
	q.open = append(slices.Clip(q.open), n)
}

func (q *Quest) dropOpen(n int) {
	if at := slices.Index(q.open, n); at >= 0 {
		q.open = slices.Concat(q.open[:at], q.open[at+1:])
	}
}
