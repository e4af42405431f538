package orchestration

import (
	"fmt"
	"slices"
	"strconv"
)

// replacePlan makes these the steps of the quest: nothing of an earlier plan
// stays (it never started: its gate was open).
func (e *edit) replacePlan(steps []PlanStep, by string) {
	var t Table[Step]
	e.steps = map[int]bool{}
	for n, p := range steps {
		t = t.Append(&Step{PlanStep: p, N: n, Stage: StageWaiting, AddedBy: by})
		e.steps[n] = true
	}
	e.q.Steps, e.q.held, e.plan = t, nil, true
	e.q.FirstPlan = len(steps)
	e.reindex()
	e.event(EventPlanInForce, LinePlan, by, "steps", strconv.Itoa(len(steps)))
}

func (e *edit) reindex() {
	e.q.index = newIndex(e.q.Steps)
	e.q.ready = slices.Clone(e.q.ready)
	e.q.sortReady()
}

// merged is a draft of a re-split laid over the plan in force.
type merged struct {
	changed      []PlanStep // have not started
	added        []PlanStep
	replaces     string
	replacements []string            // ids of added, if replaces
	rewritten    map[string][]string // other steps whose dependencies change
}

// merge lays a draft over the plan as it stands now and finds all faults:
// steps that have started, another's step to replace, cycles in the graph that
// would result. Dependencies on superseded steps are rewritten.
func (q *Quest) merge(r *Run, d PlanDraft) (merged, []string) {
	m := merged{replaces: d.Replaces, rewritten: map[string][]string{}}
	faults := usedTwice(d.Steps)
	if d.Replaces != "" && (d.Replaces != r.Line || q.Line(r.Line).Whole()) {
		faults = append(faults, fmt.Sprintf("replaces %q: only the step this run works for may be replaced (%s)", clip(d.Replaces), r.Line))
	}
	for _, p := range d.Steps {
		old := q.Line(p.ID)
		switch {
		case old == nil:
			m.added = append(m.added, p)
			if d.Replaces != "" {
				m.replacements = append(m.replacements, p.ID)
			}
		case old.Whole():
			m.added = append(m.added, p) // checkPlan names the reserved id
		case old.Started || old.Stage.Settled():
			faults = append(faults, fmt.Sprintf("%s: has started (%s) and cannot be changed; choose another id for a new step", clip(p.ID), old.Stage))
		default:
			m.changed = append(m.changed, p)
		}
	}
	if d.Replaces != "" && len(m.added) == 0 {
		faults = append(faults, "replaces needs at least one new step")
	}
	graph := q.result(&m)
	return m, append(faults, checkPlan(graph)...)
}

// result is the plan that would be in force: every step that is not
// superseded, with the changes. It also resolves dependencies on superseded
// steps and notes whose dependencies that rewrites.
func (q *Quest) result(m *merged) []PlanStep {
	resolve := func(deps []string) []string {
		var out []string
		for _, d := range deps {
			for _, id := range q.successors(d, m) {
				if !slices.Contains(out, id) {
					out = append(out, id)
				}
			}
		}
		return out
	}
	for i := range m.changed {
		m.changed[i].DependsOn = resolve(m.changed[i].DependsOn)
	}
	for i := range m.added {
		if !slices.Contains(m.added[i].DependsOn, m.replaces) || m.replaces == "" {
			m.added[i].DependsOn = resolve(m.added[i].DependsOn)
		} // else the cycle through the replaced step is told as an unknown id
	}
	var graph []PlanStep
	for _, s := range q.Steps.All() {
		if s.Stage == StageSuperseded || s.ID == m.replaces {
			continue
		}
		p := s.PlanStep
		if i := slices.IndexFunc(m.changed, func(c PlanStep) bool { return c.ID == s.ID }); i >= 0 {
			p = m.changed[i]
		} else if deps := resolve(p.DependsOn); !slices.Equal(deps, p.DependsOn) {
			p.DependsOn = deps
			m.rewritten[s.ID] = deps
		}
		graph = append(graph, p)
	}
	return append(graph, m.added...)
}

// successors are the steps that stand for id now: itself, or what replaced it.
func (q *Quest) successors(id string, m *merged) []string {
	if id == m.replaces && id != "" {
		return m.replacements
	}
	s := q.Line(id)
	if s == nil || s.Stage != StageSuperseded {
		return []string{id}
	}
	var out []string
	for _, by := range s.ReplacedBy {
		out = append(out, q.successors(by, m)...)
	}
	return out
}

// mergePlan puts a checked re-split into force and returns the number of steps
// that it added. Replacements inherit the counters of the step they replace.
func (e *edit) mergePlan(m merged, by string) int {
	for _, p := range m.changed {
		e.change(e.step(p.ID), p)
	}
	for id, deps := range m.rewritten {
		p := e.step(id).PlanStep
		p.DependsOn = deps
		e.change(e.step(id), p)
	}
	var inherited Counts
	if m.replaces != "" {
		inherited = e.q.Line(m.replaces).Counts
	}
	for _, p := range m.added {
		n := e.q.Steps.Len()
		e.q.Steps = e.q.Steps.Append(&Step{PlanStep: p, N: n, Stage: StageWaiting, AddedBy: by, Replaces: m.replaces, Counts: inherited})
		e.steps[n] = true
	}
	e.reindex()
	e.event(EventPlanInForce, e.q.Run(by).Line, by, "added", strconv.Itoa(len(m.added)), "changed", strconv.Itoa(len(m.changed)), "replaces", m.replaces)
	return len(m.added)
}

// change gives a step that has not started other content; it may have to wait
// again.
func (e *edit) change(s *Step, p PlanStep) {
	s.PlanStep = p
	if s.Stage == StageReady && !e.q.freed(s) {
		s.Stage = StageWaiting
		e.q.dropReady(s.N)
	}
}

// requirementsSet stores what ChaosWhisperer wrote: replaces all, until locked.
func (e *edit) requirementsSet(f RequirementsSet) error {
	r, err := e.author(f.Run, ChaosWhisperer, "set-requirements")
	if err != nil {
		return err
	}
	if e.q.Locked {
		return conflict("the requirements are locked and cannot be changed any more")
	}
	if faults := checkRequirements(f.Requirements); len(faults) > 0 {
		err := invalid("the requirements have %d fault(s): %s", len(faults), told(faults, "; "))
		err.Fields = map[string]string{"requirements": told(faults, "; ")}
		return err
	}
	e.q.Requirements, e.reqs = copyRequirements(f.Requirements), true
	e.actor = string(r.Role)
	e.event(EventRequirementsStored, r.Line, r.ID, "count", strconv.Itoa(len(f.Requirements)))
	return nil
}

// planDrafted stores a draft of its run and changes nothing else; it is
// checked against the plan as it stands now, and again at complete.
func (e *edit) planDrafted(f PlanDrafted) error {
	r, err := e.author(f.Run, PathSeeker, "plan-steps")
	if err != nil {
		return err
	}
	var faults []string
	if r.Line == LinePlan {
		if faults = checkPlan(f.Draft.Steps); f.Draft.Replaces != "" {
			faults = append(faults, "replaces: there is no step to replace while the plan is being written")
		}
	} else {
		_, faults = e.q.merge(r, f.Draft)
	}
	if len(faults) > 0 {
		return planFault(faults)
	}
	e.run(r.ID).Draft = &PlanDraft{Steps: copySteps(f.Draft.Steps), Replaces: f.Draft.Replaces}
	e.actor = string(r.Role)
	e.event(EventPlanStored, r.Line, r.ID, "steps", strconv.Itoa(len(f.Draft.Steps)), "replaces", f.Draft.Replaces)
	return nil
}

// author finds the live run of a role that may use a tool.
func (e *edit) author(id string, role Role, tool string) (*Run, error) {
	r := e.q.Run(id)
	switch {
	case r == nil:
		return nil, notFound("there is no run %s in this quest", id)
	case r.Role != role:
		return nil, invalid("%s is for %s; this run is %s", tool, role, r.Role)
	case r.State == RunSignalled || !r.Live() || r.Stopping != "" || e.q.Over():
		return nil, conflict("this run is over; %s changes nothing any more; stop now", tool)
	}
	return r, nil
}
