package orchestration

import "slices"

// In a shared folder all steps work in one tree. These are the questions that agents, the
// check and a person who takes a step over ask before they touch it.

// fileInUse finds another step that may be changing a file of this one: it holds its
// files, as one that a person has taken over does, or its process has not ended. A process
// can still write while it is ending.
func (q *Quest) fileInUse(step *Step) Obstacle {
	if q.Workspace != WorkspaceShared {
		return Obstacle{}
	}
	for _, n := range q.held {
		other := q.Steps.At(n)
		if f := sharedFile(step, other); other.Hold == HoldYours && other.ID != step.ID && f != "" {
			return Obstacle{Kind: ObstacleFile, Step: other.ID, File: f}
		}
	}
	for _, n := range q.open {
		r := q.Runs.At(n)
		holder := q.Step(r.Step)
		if f := sharedFile(step, holder); (holder.HoldsFiles || r.Live()) && holder.ID != step.ID && f != "" {
			return Obstacle{Kind: ObstacleFile, Step: holder.ID, File: f}
		}
	}
	return Obstacle{}
}

func sharedFile(a, b *Step) string {
	for _, f := range a.Files {
		if slices.Contains(b.Files, f) {
			return f
		}
	}
	return ""
}

// writerBeside reports whether somebody can change files now for another step in the same
// tree: a run that writes, or a person.
func (q *Quest) writerBeside(step string) bool {
	if q.Workspace != WorkspaceShared {
		return false
	}
	for _, n := range q.open {
		if r := q.Runs.At(n); r.Step != step && r.Live() && r.Role.Writes() {
			return true
		}
	}
	return q.personBeside(step) != ""
}

// personBeside returns another step in the same tree that a person has taken over.
func (q *Quest) personBeside(step string) string {
	if q.Workspace != WorkspaceShared {
		return ""
	}
	for _, n := range q.held {
		if s := q.Steps.At(n); s.Hold == HoldYours && s.ID != step {
			return s.ID
		}
	}
	return ""
}

// wantsAlone reports whether no run that writes may start beside this one, because it is a
// check that must run alone. A check whose step does not hold its files yet blocks nobody.
// Otherwise it and the step that holds the files could wait for each other forever. One
// that waits for a person blocks nobody either.
func (q *Quest) wantsAlone(r *Run) bool {
	s := q.Step(r.Step)
	return r.Alone && r.Role == Ward && (r.Live() || (s.HoldsFiles || s.Whole()) && q.personBeside(r.Step) == "")
}

// checkedAlone returns another step whose check runs alone now, in the same tree.
func (q *Quest) checkedAlone(step string) string {
	for _, n := range q.open {
		if r := q.Runs.At(n); r.Step != step && r.Live() && r.Alone {
			return r.Step
		}
	}
	return ""
}

// markChecks marks the checks of other steps that run while somebody begins to change
// files for this one. If such a check fails, it is repeated once while nobody writes.
func (e *edit) markChecks(step string) {
	if e.q.Workspace != WorkspaceShared {
		return
	}
	for _, r := range e.q.OpenRuns() {
		if r.Step != step && r.Live() && r.Role == Ward {
			e.run(r.ID).Beside = true
		}
	}
}
