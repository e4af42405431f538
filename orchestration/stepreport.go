package orchestration

import "slices"

// Report says what became of a step, for those who build on it.
type Report struct {
	Step    string    `json:"step"`
	Title   string    `json:"title"`
	Stage   Stage     `json:"stage"`
	Touched []Touched `json:"reported,omitempty"` // who made it and changed it since, in order
	Changed []string  `json:"changed,omitempty"`  // files (worktree mode)
}

// Touched is somebody who changed a step, with their own account of it.
type Touched struct {
	// By is a role, or "person".
	By      string `json:"by"`
	Summary string `json:"summary,omitempty"` // "": a person leaves none
}

// ByPerson is the Touched.By of a person.
const ByPerson = "person"

// Name returns the name of who touched it.
func (t Touched) Name() string {
	if t.By == ByPerson {
		return "a person"
	}
	return Role(t.By).Name()
}

// Reports returns what became of each of these steps. A report begins with the newest
// Codeweaver, and has the newest run of each other role, and the person, that changed
// something after that. A role that only looked says nothing about the code.
func (q *Quest) Reports(steps ...*Step) []Report {
	list := make([]Report, len(steps))
	at := make(map[string]*Report, len(steps))
	for i, s := range steps {
		list[i] = Report{Step: s.ID, Title: s.Title, Stage: s.Stage, Changed: s.Changed}
		at[s.ID] = &list[i]
	}
	for _, r := range q.Runs.All() {
		rep := at[r.Step]
		if rep == nil {
			continue
		}
		if r.Brief.ByHand {
			rep.add(Touched{By: ByPerson})
		}
		if text := q.account(r); text != "" {
			if r.Role.Builds() {
				rep.Touched = nil
			}
			rep.add(Touched{By: string(r.Role), Summary: text})
		}
	}
	for _, s := range steps {
		if s.ByHand != "" {
			at[s.ID].add(Touched{By: ByPerson})
		}
	}
	return list
}

// add appends the newest account of a role or person.
func (rep *Report) add(t Touched) {
	rep.Touched = append(slices.DeleteFunc(rep.Touched, func(old Touched) bool { return old.By == t.By }), t)
}

// account returns what a run that changed its step says about it; "": nothing, or it
// changed nothing.
func (q *Quest) account(r *Run) string {
	if !r.Role.Writes() || r.Signal == nil {
		return ""
	}
	looked := q.Workspace == WorkspaceWorktree && r.From != "" && r.Commit == "" // an older version kept neither
	switch s := r.Signal; {
	case looked && !r.Role.Builds():
		return ""
	case s.Kind == Complete:
		return s.Summary
	case s.Kind == NeedsRoleFollowup && r.Role.Builds() && s.Resume != nil && !*s.Resume && s.TargetRole != PathSeeker:
		return s.Reason + "\n" + s.Context // its job was done
	default:
		return ""
	}
}

// ReportsFor returns the reports of a step's direct dependencies, in the plan's order.
func (q *Quest) ReportsFor(s *Step) []Report {
	var of []*Step
	for _, other := range q.Steps.All() {
		if slices.Contains(s.DependsOn, other.ID) {
			of = append(of, other)
		}
	}
	return q.Reports(of...)
}

// Finished returns the other steps whose work is finished, in the plan's order.
func (q *Quest) Finished(besides string) []string {
	var list []string
	for _, s := range q.Steps.All() {
		if s.ID != besides && (s.Stage == StageDone || s.Stage == StageMerge) {
			list = append(list, s.ID)
		}
	}
	return list
}

// PassedBefore reports whether the check passed on the tree that the run begins with, and
// nobody has worked there since: the run before it at its step was that check.
func (q *Quest) PassedBefore(r *Run) bool {
	s := q.Step(r.Step)
	if s == nil || !s.LastCheckPassed() {
		return false
	}
	for n := min(r.N, q.Runs.Len()) - 1; n >= 0; n-- {
		if before := q.Runs.At(n); before.Step == r.Step {
			return before.Role == Ward && before.Outcome == OutcomeSignalled && !r.Brief.ByHand
		}
	}
	return false
}
