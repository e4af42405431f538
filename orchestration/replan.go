package orchestration

import (
	"fmt"
	"slices"
	"strconv"
)

// replacePlan replaces all steps of the quest. Nothing of the earlier plan has begun. A step
// whose id stays keeps the priority that the user gave it.
func (e *edit) replacePlan(d PlanDraft, by string) {
	var t Table[Step]
	e.steps = map[int]bool{}
	for n, p := range d.Steps {
		s := &Step{PlanStep: p, N: n, Stage: StageWaiting, AddedBy: by}
		if old, is := e.q.index.byID[p.ID]; is {
			s.Priority = e.q.Steps.At(old).Priority
		}
		t = t.Append(s)
		e.steps[n] = true
	}
	e.q.Steps, e.q.held, e.plan = t, nil, true
	e.q.FirstPlan = len(d.Steps)
	e.place(lists{review: d.Review, uncovered: d.Uncovered})
	e.reindex()
	e.event(EventPlanInForce, StepPlan, by, "steps", strconv.Itoa(len(d.Steps)))
}

func (e *edit) reindex() {
	e.q.index = newIndex(e.q.Steps)
	e.q.ready = slices.Clone(e.q.ready)
	e.q.sortReady()
}

// merged says what a re-split's draft does to the plan in force.
type merged struct {
	changed      []PlanStep // steps of the plan that have not started, with new content
	added        []PlanStep
	replaces     string              // the run's own step, if it is replaced
	replacements []string            // ids of those of added that stand for it
	rewritten    map[string][]string // other steps whose dependencies change
	lists        lists
	dropped      []string // steps that a plan leaves out after a change of the requirements
}

// merge combines a draft with the current plan and finds all faults: changed steps that
// have already started, a step to replace that belongs to another run, cycles in the
// resulting graph. It redirects dependencies on superseded steps.
func (q *Quest) merge(r *Run, d PlanDraft) (merged, []string) {
	m := merged{rewritten: map[string][]string{}, lists: q.lists().after(d)}
	faults := append(usedTwice(d.Steps), q.wrongMarks(r, d)...)
	if d.Replaced() != "" && !q.Step(r.Step).Whole() {
		m.replaces = r.Step
	}
	marked := d.Marked()
	for _, p := range d.Steps {
		old := q.Step(p.ID)
		stands := m.replaces != "" && (p.Replaces != "" || !marked)
		p.Replaces = ""
		switch {
		case old == nil:
			if stands {
				p.Replaces = m.replaces
				m.replacements = append(m.replacements, p.ID)
			}
			m.added = append(m.added, p)
		case old.Whole():
			m.added = append(m.added, p) // checkPlan reports the reserved id
		case old.begun() || old.Stage.Settled():
			faults = append(faults, fmt.Sprintf("%s: has started (%s) and cannot be changed; choose another id for a new step", clip(p.ID),
				old.Stage))
		default:
			p.Replaces = old.Replaces
			m.changed = append(m.changed, p)
		}
	}
	if d.Replaces != "" && len(m.added) == 0 {
		faults = append(faults, "replaces needs at least one new step")
	}
	var asked []string
	for _, s := range q.Steps.All() {
		if s.ID == m.replaces || slices.ContainsFunc(m.changed, func(c PlanStep) bool { return c.ID == s.ID }) {
			asked = append(asked, s.Observables...)
		}
	}
	graph := q.result(&m)
	faults = append(faults, checkPlan(graph, q.reservedOf()...)...)
	return m, append(faults, q.checkCoverage(d, graph, m.lists, asked)...)
}

// wrongMarks returns the faults of a re-split in what it says it replaces: a step that is
// not the run's own, and a mark on a step that is already in the plan.
func (q *Quest) wrongMarks(r *Run, d PlanDraft) []string {
	own := "only the step that this run works for may be replaced (" + r.Step + ")"
	if q.Step(r.Step).Whole() {
		own = "this run works for the whole quest, and replaces no step; leave replaces out"
	}
	wrong := func(id string) bool { return id != "" && (id != r.Step || q.Step(r.Step).Whole()) }
	var faults []string
	if wrong(d.Replaces) {
		faults = append(faults, fmt.Sprintf("replaces %q: %s", clip(d.Replaces), own))
	}
	for _, p := range d.Steps {
		switch old := q.Step(p.ID); {
		case wrong(p.Replaces):
			faults = append(faults, fmt.Sprintf("%s: replaces %q: %s", clip(p.ID), clip(p.Replaces), own))
		case p.Replaces != "" && old != nil && !old.Whole():
			faults = append(faults, fmt.Sprintf("%s: is in the plan already; only a new step can replace %s", clip(p.ID), r.Step))
		}
	}
	return faults
}

// result returns the plan that would be in force: all steps that are not superseded,
// with the changes. It also redirects dependencies on superseded steps and notes which
// steps that changes.
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
		if m.added[i].Replaces == "" || !slices.Contains(m.added[i].DependsOn, m.replaces) {
			m.added[i].DependsOn = resolve(m.added[i].DependsOn)
		} // else the replaced step is reported as an unknown id, and not as a cycle
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

// successors returns the steps that now stand in the place of id: the step itself, or,
// if it was replaced, its replacements. For one that a later plan left out stands what it
// waited for.
func (q *Quest) successors(id string, m *merged) []string {
	if id == m.replaces && id != "" {
		return m.replacements
	}
	s := q.Step(id)
	if s == nil || s.Stage != StageSuperseded || s.leftOut() {
		return []string{id}
	}
	var out []string
	var add func(id string)
	add = func(id string) {
		again := slices.ContainsFunc(m.changed, func(p PlanStep) bool { return p.ID == id })
		if by := q.Step(id); by == nil || again || !by.leftOut() && !slices.Contains(m.dropped, id) {
			out = append(out, q.successors(id, m)...)
			return
		}
		for _, d := range q.Step(id).DependsOn {
			add(d)
		}
	}
	for _, by := range s.ReplacedBy {
		add(by)
	}
	return out
}

// mergePlan puts a checked re-split into force and returns the number of added steps.
// Replacements inherit the counters of the step that they replace.
func (e *edit) mergePlan(m merged, by string) int {
	var fresh []string
	for _, p := range m.changed {
		e.change(e.step(p.ID), p)
		fresh = append(fresh, p.ID)
	}
	for id, deps := range m.rewritten {
		p := e.step(id).PlanStep
		p.DependsOn = deps
		e.change(e.step(id), p)
	}
	var inherited Counts
	if m.replaces != "" {
		inherited = e.q.Step(m.replaces).Counts
	}
	for _, p := range m.added {
		n := e.q.Steps.Len()
		s := &Step{PlanStep: p, N: n, Stage: StageWaiting, AddedBy: by}
		if p.Replaces != "" {
			s.Counts = inherited
		}
		e.q.Steps = e.q.Steps.Append(s)
		e.steps[n] = true
		fresh = append(fresh, p.ID)
	}
	e.place(m.lists)
	e.reindex()
	e.event(EventPlanInForce, e.q.Run(by).Step, by, "added", strconv.Itoa(len(m.added)), "changed", strconv.Itoa(len(m.changed)), "replaces",
		m.replaces,
		"leftOut", numberOf(m.dropped))
	e.letWait(m.replaces, fresh...)
	return len(m.added)
}

// numberOf is the number of a list for the history; "": none.
func numberOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strconv.Itoa(len(list))
}

// change gives new content to a step that has not started. It may have to wait for
// dependencies again.
func (e *edit) change(s *Step, p PlanStep) {
	s.PlanStep = p
	if s.Stage == StageReady && !e.q.freed(s) {
		s.Stage = StageWaiting
		e.q.dropReady(s.N)
	}
}

// requirementsSet stores what ChaosWhisperer wrote. It replaces all requirements, until
// they are locked.
func (e *edit) requirementsSet(f RequirementsSet) error {
	r, err := e.author(f.Run, "set-requirements")
	if err != nil {
		return err
	}
	if e.q.Locked {
		return conflict("the requirements are locked and cannot be changed any more")
	}
	if err := e.q.checkSize(f.Requirements); err != nil {
		return err
	}
	if faults := append(checkRequirements(f.Requirements), e.q.checkTexts(f.Requirements)...); len(faults) > 0 {
		err := invalid("the requirements have %d fault(s): %s", len(faults), told(faults, "; "))
		err.Told, err.Fields = true, map[string]string{"requirements": told(faults, "; ")}
		return err
	}
	if fault := checkTitle(f.Title); fault != "" {
		err := invalid("the title %s; nothing is stored yet, so send everything again", fault)
		err.Told, err.Fields = true, map[string]string{"title": fault}
		return err
	}
	title := e.entitle(f.Title)
	e.noteLost(f.Requirements)
	e.q.Requirements, e.reqs = copyRequirements(f.Requirements), true
	e.actor = string(r.Role)
	e.event(EventRequirementsStored, r.Step, r.ID, "count", strconv.Itoa(len(f.Requirements)), "title", title)
	return nil
}

// planDrafted stores a draft for its run and changes nothing else. The draft is checked
// against the current plan now, and again at complete.
func (e *edit) planDrafted(f PlanDrafted) error {
	r, err := e.author(f.Run, "plan-steps")
	if err != nil {
		return err
	}
	var faults []string
	switch {
	case r.Step == StepPlan && e.q.replans():
		f.Draft.Known = e.q.Steps.Len()
		_, faults = e.q.replanned(f.Draft)
	case r.Step == StepPlan:
		faults = e.q.checkWholePlan(f.Draft)
	default:
		_, faults = e.q.merge(r, f.Draft)
	}
	if len(faults) > 0 {
		return planFault(faults)
	}
	e.run(r.ID).Draft = &PlanDraft{Steps: copySteps(f.Draft.Steps), Replaces: f.Draft.Replaces,
		Review: slices.Clone(f.Draft.Review), Uncovered: slices.Clone(f.Draft.Uncovered), Known: f.Draft.Known}
	e.actor = string(r.Role)
	e.event(EventPlanStored, r.Step, r.ID, "steps", strconv.Itoa(len(f.Draft.Steps)), "replaces", f.Draft.Replaced())
	return nil
}

// checkWholePlan returns every fault of the draft of a plan that no other precedes.
func (q *Quest) checkWholePlan(d PlanDraft) []string {
	faults := checkFirstPlan(d.Steps)
	if d.Replaces != "" {
		faults = append(faults, "replaces: "+nothingToReplace)
	}
	return append(faults, q.checkCoverage(d, d.Steps, lists{review: d.Review, uncovered: d.Uncovered}, q.observables())...)
}

// author finds a live run that may use the tool.
func (e *edit) author(id, tool string) (*Run, error) {
	r := e.q.Run(id)
	switch {
	case r == nil:
		return nil, notFound("there is no run %s in this quest", id)
	case ToolOwner(tool) != r.Role:
		return nil, invalid("%s is for %s; this run is %s", tool, ToolOwner(tool), r.Role)
	case r.State == RunSignalled || !r.Live() || r.Stopping != "" || e.q.Over():
		return nil, conflict("this run is over; %s changes nothing any more; stop now", tool)
	}
	return r, nil
}
