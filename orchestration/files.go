package orchestration

import (
	"slices"
	"strings"
)

// Files declared and files changed (worktree mode): the plan says which files
// a step changes; what it really changed is compared with that.

// noteFiles records what a run changed. A step that has not started and
// declares a file which this one changed undeclared must wait for it.
func (e *edit) noteFiles(r *Run, x Exit) {
	if len(x.Changed)+len(x.Undone) == 0 {
		return
	}
	s := e.q.Line(r.Line)
	changed := slices.Clone(s.Changed)
	var undeclared []string
	for _, f := range x.Changed {
		if !slices.Contains(changed, f) {
			changed = append(changed, f)
		}
		if !s.Whole() && !slices.Contains(s.Files, f) {
			undeclared = append(undeclared, f)
		}
	}
	e.event(EventFilesChanged, r.Line, r.ID, "files", strings.Join(x.Changed, ", "),
		"undeclared", strings.Join(undeclared, ", "), "undone", strings.Join(x.Undone, ", "))
	if len(changed) > len(s.Changed) {
		slices.Sort(changed)
		e.step(r.Line).Changed = changed
	}
	if len(undeclared) > 0 && !s.Stage.Settled() {
		e.makeWait(s, undeclared)
	}
}

// Undeclared returns the files that the step changed and its plan does not name.
func (s *Step) Undeclared() []string {
	if s.Whole() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.Changed), func(f string) bool { return slices.Contains(s.Files, f) })
}

// makeWait lets the steps that have not started and declare one of the files
// depend on s, except where one of the two hangs on the other already.
func (e *edit) makeWait(s *Step, files []string) {
	changed := false
	for n, other := range e.q.Steps.All() {
		if other.Started || other.Stage.Settled() || other.ID == s.ID || sharedFile(&Step{PlanStep: PlanStep{Files: files}}, other) == "" {
			continue
		}
		if e.q.hangsOn(s.ID, other.ID) || e.q.hangsOn(other.ID, s.ID) {
			continue
		}
		p := other.PlanStep
		p.DependsOn = append(slices.Clip(p.DependsOn), s.ID)
		e.change(e.stepAt(n), p)
		e.event(EventStepEdited, p.ID, "", "why", "waits for "+s.ID+", which changed a file that it declares")
		changed = true
	}
	if changed {
		e.reindex()
	}
}

// hangsOn reports whether step a depends on b, perhaps through others. It looks
// at no step twice: in a dense plan the ways from a to b are without number.
func (q *Quest) hangsOn(a, b string) bool {
	seen := map[string]bool{}
	var walk func(id string) bool
	walk = func(id string) bool {
		s := q.Line(id)
		if s == nil || seen[id] {
			return false
		}
		seen[id] = true
		return slices.ContainsFunc(s.DependsOn, func(d string) bool { return d == b || walk(d) })
	}
	return walk(a)
}
