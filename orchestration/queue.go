package orchestration

import "time"

// Waiting is a line that goes on as soon as it gets a slot and nothing else
// keeps it: Assign says who is next, cannotStart what else may be in the way.
type Waiting struct {
	Line  *Step
	Since time.Time
}

// Queue lists what of the quest waits for a slot: the lines with a queued run,
// the oldest run first, then the steps that are ready, in the order of the plan.
// Nothing of a quest that is over or paused does.
func (q *Quest) Queue() []Waiting {
	if q.Over() || q.Paused {
		return nil
	}
	var list []Waiting
	for _, r := range q.OpenRuns() {
		if r.State == RunQueued {
			list = append(list, Waiting{q.Line(r.Line), later(r.QueuedAt, r.NotBefore)})
		}
	}
	for _, s := range q.Steps.All() {
		if s.Stage == StageReady && s.Run == "" && s.Hold == HoldNone {
			list = append(list, Waiting{s, q.readySince(s)})
		}
	}
	return list
}

// readySince is when the last of what a step depends on was done; of a step
// that depends on nothing, when the plan was there.
func (q *Quest) readySince(s *Step) time.Time {
	since := q.CreatedAt
	for _, id := range s.DependsOn {
		if dep := q.Line(id); dep != nil {
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
