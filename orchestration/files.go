package orchestration

import (
	"slices"
	"strconv"
	"strings"
)

// Declared and changed files (worktree mode): the plan declares which files a step will
// change. This file compares that with what the step really changed.

// noteFiles records what a run changed. If it changed a file without declaring it, the
// steps that declare that file and have not started must wait for this step.
func (e *edit) noteFiles(r *Run, x Exit) {
	if len(x.Changed)+len(x.Undone) == 0 {
		return
	}
	s := e.q.Step(r.Step)
	changed := slices.Clone(s.Changed)
	var undeclared []string
	for _, f := range x.Changed {
		if !slices.Contains(changed, f) {
			changed = append(changed, f)
		}
		if !s.declares(f) {
			undeclared = append(undeclared, f)
		}
	}
	e.event(EventFilesChanged, r.Step, r.ID, "count", strconv.Itoa(len(x.Changed)), "files", strings.Join(x.Changed, ", "),
		"undeclared", strings.Join(undeclared, ", "), "undone", strings.Join(x.Undone, ", "))
	if len(changed) > len(s.Changed) {
		slices.Sort(changed)
		e.step(r.Step).Changed = changed
	}
	if len(undeclared) > 0 && !s.Stage.Settled() {
		e.makeWait(s, undeclared, func(*Step) bool { return true })
	}
}

// letWait makes steps that a plan has just added or changed wait for the steps at work that
// changed one of their files without declaring it: the plan may be older than that change. The
// step that the plan replaces is not waited for.
func (e *edit) letWait(replaced string, fresh ...string) {
	for _, s := range e.q.Steps.All() {
		if !s.Started || s.Stage.Settled() || s.ID == replaced {
			continue
		}
		if files := s.Undeclared(); len(files) > 0 {
			e.makeWait(s, files, func(other *Step) bool { return slices.Contains(fresh, other.ID) })
		}
	}
}

// Undeclared returns the files that the step changed although its plan does not name
// them.
func (s *Step) Undeclared() []string {
	return slices.DeleteFunc(slices.Clone(s.Changed), s.declares)
}

// declares reports whether the step may change the file without surprise. Quest-wide steps
// and an errand have no plan that names files.
func (s *Step) declares(file string) bool {
	return s.Whole() || s.ID == StepErrand || slices.Contains(s.Files, file)
}

// makeWait makes each step that may, declares one of the files and has not started depend on
// s, unless one of the two already depends on the other. A step that comments made can
// still wait.
func (e *edit) makeWait(s *Step, files []string, may func(*Step) bool) {
	changed := false
	for n, other := range e.q.Steps.All() {
		if other.Started || other.ByHand != "" || other.Stage.Settled() || other.ID == s.ID ||
			!may(other) || sharedFile(&Step{PlanStep: PlanStep{Files: files}}, other) == "" {
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

// hangsOn reports whether step a depends on b, directly or through others. It visits
// each step only once, because a dense plan may have very many paths from a to b.
func (q *Quest) hangsOn(a, b string) bool {
	seen := map[string]bool{}
	var walk func(id string) bool
	walk = func(id string) bool {
		s := q.Step(id)
		if s == nil || seen[id] {
			return false
		}
		seen[id] = true
		return slices.ContainsFunc(s.DependsOn, func(d string) bool { return d == b || walk(d) })
	}
	return walk(a)
}
