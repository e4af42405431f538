package orchestration

import "time"

// Waiting is a step that waits to start. Assign decides the order, and cannotStart says
// what else may keep it from starting.
type Waiting struct {
	Step  *Step
	Since time.Time
}

// Queue lists what waits to start in this quest: first the steps with a queued run,
// oldest run first, then the ready steps in the order of the plan. The queue of a quest
// that is over or paused is empty.
func (q *Quest) Queue() []Waiting {
	if q.Over() || q.Paused {
		return nil
	}
	var list []Waiting
	for _, r := range q.OpenRuns() {
		if r.State == RunQueued {
			list = append(list, Waiting{q.Step(r.Step), later(r.QueuedAt, r.NotBefore)})
		}
	}
	for _, s := range q.Steps.All() {
		if s.Stage == StageReady && s.Hold == HoldNone {
			list = append(list, Waiting{s, q.readySince(s)})
		}
	}
	return list
}

// readySince returns when the last dependency of a step was done. For a step without
// dependencies it is the time when the plan came into force.
func (q *Quest) readySince(s *Step) time.Time {
	since := q.CreatedAt
	for _, id := range s.DependsOn {
		if dep := q.Step(id); dep != nil {
			since = later(since, dep.EndedAt)
		}
	}
	if len(s.DependsOn) > 0 {
		return since
	}
	for _, r := range q.Runs.All() {
		if r.Role == PathSeeker {
			since = later(since, r.EndedAt)
		}
	}
	return since
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
