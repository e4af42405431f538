package orchestration

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// A change of the requirements, until the quest is delivered. Steps that have begun go
// on, ChaosWhisperer writes the requirements again, and PathSeeker plans again what has
// not begun.

// Change is what the user wanted to have different after the requirements were locked.
type Change struct {
	Text string    `json:"text"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
	// Grew is the step of an errand that turned out to be more than one; "": the user
	// wanted the change. Text is then the agent's reason.
	Grew string `json:"grew,omitempty"`
	// Lost are the observables that this change removed. Steps that have begun keep
	// them.
	Lost []LostObservable `json:"lost,omitempty"`
	// Waived are the observables of the requirements that only skipped steps had before
	// the change, or nobody. The new plan is not asked for them.
	Waived []string `json:"waived,omitempty"`
}

// Wishes returns the changes that people asked for, oldest first: all but the growth of an
// errand, which is an agent's wish or comes with another size.
func (q *Quest) Wishes() []Change {
	return slices.DeleteFunc(slices.Clone(q.Changes), func(c Change) bool { return c.Grew != "" })
}

// LostObservable is an observable that the requirements no longer have.
type LostObservable struct {
	Requirement string `json:"requirement"` // which had it
	Observable
}

// ChangeMost is the most characters that the text of a change may have: as much as an
// agent is told of one text.
const ChangeMost = 20_000

// Changing reports whether the requirements, and then the plan, are being changed. No
// step begins meanwhile, and no review.
func (q *Quest) Changing() bool {
	return len(q.Changes) > 0 && !q.Over() && (q.Phase == PhaseRequirements || q.Phase == PhasePlan)
}

// begun reports whether work for the step has begun, by agents or by a person. Such a
// step keeps its text and its observables.
func (s *Step) begun() bool { return s.Started || s.ByHand != "" || s.Comments != "" }

// Begun reports whether a plan that is made again leaves the step as it is.
func (s *Step) Begun() bool { return s.begun() || s.Stage.Settled() && !s.leftOut() }

// leftOut reports whether a new plan left the step out before anybody had begun it.
func (s *Step) leftOut() bool {
	return s.Stage == StageSuperseded && len(s.ReplacedBy) == 0 && !s.begun()
}

func (q *Quest) mayChange() error {
	switch {
	case q.Delivered != nil:
		return conflict("the quest is merged (%s into %s): start a follow-up quest for what should be different",
			q.Delivered.How, q.Delivered.Branch)
	case q.Phase == PhaseRequirements:
		return conflict("the requirements are being written: %s", q.toTheAuthor())
	}
	return nil
}

// toTheAuthor says how the user reaches the agent that writes the requirements.
func (q *Quest) toTheAuthor() string {
	switch hold := q.Step(StepRequirements).Hold; {
	case q.GateRequirements == GateOpen, q.GatePlan == GateOpen:
		return "send them back with your text as feedback"
	case hold == HoldQuestion:
		return "say it in the answer to ChaosWhisperer's question"
	case hold == HoldBlocked:
		return "ChaosWhisperer is blocked; send your text as feedback"
	}
	return "send your text to ChaosWhisperer as a message"
}

// changeRequirements opens the requirements again. What has not begun waits for the new
// plan.
func (e *edit) changeRequirements(f ChangeRequested) error {
	if err := checkChange(f.Text); err != nil {
		return err
	}
	const why = "the requirements are changed"
	waived := e.q.waived()
	if e.q.Errand() {
		e.size(SizeFull, "", "")
	}
	e.reviewAnew()
	switch e.q.Phase {
	case PhaseReview, PhaseComplete:
		e.openAgain()
		e.dropReview(why)
	case PhasePlan:
		e.drop(StepPlan, why)
	case PhaseSteps:
		e.dropOldBaseline()
	case PhaseRequirements: // mayChange refuses it
	}
	e.step(StepPlan).Stage = StageWaiting
	for n, s := range e.q.Steps.All() {
		if s.Stage.Settled() || s.Stage == StageWaiting || s.begun() && s.Stage != StageReady {
			continue
		}
		e.q.dropReady(n)
		e.drop(s.ID, why)
		e.stepAt(n).Stage = StageWaiting
	}
	e.gatesAgain()
	e.q.Changes = append(slices.Clip(e.q.Changes), Change{Text: f.Text, By: e.actor, At: e.at, Waived: waived})
	e.q.Phase, e.q.Locked, e.reqs = PhaseRequirements, false, true
	e.event(EventChangeRequested, StepRequirements, "", "text", f.Text)
	e.event(EventPhaseEntered, "", "", "phase", string(PhaseRequirements))
	e.queue(e.q.changeLaunch())
	return nil
}

// waived returns the observables that a plan after a change that begins now need not have.
// They are those of the first of several changes without a plan between them.
func (q *Quest) waived() []string {
	switch {
	case q.Changing():
		return q.Changes[len(q.Changes)-1].Waived
	case q.Phase == PhasePlan, q.Errand():
		return nil // there is no plan yet, or none that says something of observables
	}
	var ids []string
	carriers := q.carriers()
	for _, o := range q.observables() {
		if !slices.ContainsFunc(carriers[o], func(s *Step) bool { return s.Stage != StageSkipped }) &&
			!slices.ContainsFunc(q.Uncovered, func(u Uncovered) bool { return u.Observable == o }) {
			ids = append(ids, o)
		}
	}
	return ids
}

func checkChange(text string) error {
	if n := utf8.RuneCountInString(text); n > ChangeMost {
		return fieldFaults(map[string]string{"text": fmt.Sprintf(
			"at most 20,000 characters are possible, and this has %d; write what is longer into a file of the repository and name the file", n)})
	}
	if blank(text) {
		err := invalid("say what should be different: ChaosWhisperer is told exactly this text")
		err.Fields = map[string]string{"text": "it is empty"}
		return err
	}
	return nil
}

// changeLaunch resumes the session that wrote the requirements. If there is none, a
// fresh one is told everything.
func (q *Quest) changeLaunch() Launch {
	l := Launch{Role: ChaosWhisperer, Step: StepRequirements, Start: StartFresh}
	switch author := q.Run(q.Step(StepRequirements).Run); {
	case author == nil: // the user brought the plan
	case author.Opened:
		l.Start, l.ResumedFrom = StartChange, author.ID
	default:
		l.Start = StartHandoff
	}
	return l
}

// checkTexts returns the observables that a step which has begun works for, and that now
// have another text. What was built for the old text does not prove the new one.
func (q *Quest) checkTexts(reqs []Requirement) []string {
	if !q.Changing() {
		return nil
	}
	old, begun := q.texts(), map[string]string{}
	for _, s := range q.Steps.All() {
		for _, o := range s.Observables {
			if s.begun() && s.Stage != StageSuperseded {
				begun[o] = s.ID
			}
		}
	}
	var faults []string
	for _, r := range reqs {
		for _, o := range r.Observables {
			if step, was := begun[o.ID], old[o.ID]; step != "" && was != "" && was != o.Text {
				faults = append(faults, fmt.Sprintf(
					"the step %s has begun with the observable %s (%q): keep its text, or give the new text a new id",
					step, clip(o.ID), firstLine(was)))
			}
		}
	}
	return faults
}

// noteLost keeps the observables that the requirements lose while they are changed.
func (e *edit) noteLost(reqs []Requirement) {
	if !e.q.Changing() {
		return
	}
	changes := slices.Clone(e.q.Changes)
	last := &changes[len(changes)-1]
	kept := (&Quest{Requirements: reqs}).observables()
	lost := slices.Clone(last.Lost)
	for _, r := range e.q.Requirements {
		for _, o := range r.Observables {
			lost = append(lost, LostObservable{Requirement: r.ID, Observable: o})
		}
	}
	last.Lost = slices.DeleteFunc(lost, func(o LostObservable) bool { return slices.Contains(kept, o.ID) })
	e.q.Changes = changes
}

// NoLongerAsked returns the observables that changes of the requirements have removed.
// A step that has begun may still have one; nobody asks for it any more.
func (q *Quest) NoLongerAsked() []LostObservable {
	var list []LostObservable
	seen := q.observables()
	for _, c := range slices.Backward(q.Changes) {
		for _, o := range c.Lost {
			if !slices.Contains(seen, o.ID) {
				list, seen = append(list, o), append(seen, o.ID)
			}
		}
	}
	return list
}

func (q *Quest) lostIDs() []string {
	var ids []string
	for _, o := range q.NoLongerAsked() {
		ids = append(ids, o.ID)
	}
	return ids
}

// replans reports whether PathSeeker's plan is made beside steps that have begun or are
// settled, so that it cannot replace the whole plan.
func (q *Quest) replans() bool {
	return q.Changing() && q.workBegun()
}

// workBegun reports whether anything has happened to a step of the plan.
func (q *Quest) workBegun() bool {
	for _, s := range q.Steps.All() {
		if s.Run != "" || s.begun() || s.Stage.Settled() {
			return true
		}
	}
	return false
}

// asItIs is the draft of a plan without changes: what has not begun stays.
func (q *Quest) asItIs() PlanDraft {
	d := PlanDraft{Known: q.Steps.Len(), Steps: []PlanStep{}}
	for _, s := range q.Steps.All() {
		if !s.begun() && !s.Stage.Settled() {
			p := s.PlanStep
			p.Replaces = ""
			d.Steps = append(d.Steps, p)
		}
	}
	return d
}

// replanned combines a draft that is made after a change of the requirements with the steps
// that have begun, and finds all faults. What has not begun and is not in the draft is
// left out. A draft says nothing about steps that were added after it was stored.
func (q *Quest) replanned(d PlanDraft) (merged, []string) {
	m := merged{rewritten: map[string][]string{}, lists: q.lists().after(d).without(q.lostIDs())}
	faults := usedTwice(d.Steps)
	if d.Replaces != "" {
		faults = append(faults, "replaces: "+nothingToReplace)
	}
	named := map[string]bool{}
	for _, p := range d.Steps {
		if named[p.ID] = true; p.Replaces != "" {
			faults = append(faults, fmt.Sprintf("%s: replaces %q: %s", clip(p.ID), clip(p.Replaces), nothingToReplace))
			p.Replaces = ""
		}
		switch old := q.Step(p.ID); {
		case old == nil, old.Whole(): // checkPlan reports the reserved id
			m.added = append(m.added, p)
		case old.leftOut(), !old.begun() && !old.Stage.Settled():
			p.Replaces = old.Replaces
			m.changed = append(m.changed, p)
		default:
			faults = append(faults, fmt.Sprintf(
				"%s: has begun (%s) and stays as it is: leave it out, and choose another id for a new step", clip(p.ID), old.Stage))
		}
	}
	for n, s := range q.Steps.All() {
		if !s.begun() && !s.Stage.Settled() && !named[s.ID] && n < d.Known {
			m.dropped = append(m.dropped, s.ID)
		}
	}
	graph := q.resultAgain(&m)
	faults = append(faults, checkPlan(graph, q.reservedOf()...)...)
	waived := q.Changes[len(q.Changes)-1].Waived
	asked := slices.DeleteFunc(q.observables(), func(o string) bool { return slices.Contains(waived, o) })
	return m, append(faults, q.checkCoverage(d, graph, m.lists, asked)...)
}

// resultAgain returns the plan that would be in force. Steps that stay, and waited for one
// that is left out, wait for what that one waited for.
func (q *Quest) resultAgain(m *merged) []PlanStep {
	resolve := func(deps []string, also func(string) []string) []string {
		var out []string
		for _, d := range deps {
			for _, id := range also(d) {
				if !slices.Contains(out, id) {
					out = append(out, id)
				}
			}
		}
		return out
	}
	stands := func(id string) []string { return q.successors(id, m) }
	for _, list := range [][]PlanStep{m.changed, m.added} {
		for i := range list {
			list[i].DependsOn = resolve(list[i].DependsOn, stands)
		}
	}
	var past func(id string) []string
	past = func(id string) []string {
		if !slices.Contains(m.dropped, id) {
			return stands(id)
		}
		return resolve(q.Step(id).DependsOn, past)
	}
	var graph []PlanStep
	for _, s := range q.Steps.All() {
		p := s.PlanStep
		switch i := slices.IndexFunc(m.changed, func(c PlanStep) bool { return c.ID == s.ID }); {
		case i >= 0:
			p = m.changed[i]
		case s.Stage == StageSuperseded, slices.Contains(m.dropped, s.ID):
			continue
		default:
			if deps := resolve(p.DependsOn, past); !slices.Equal(deps, p.DependsOn) {
				p.DependsOn = deps
				m.rewritten[s.ID] = deps
			}
		}
		graph = append(graph, p)
	}
	return append(graph, m.added...)
}

// planAgain puts PathSeeker's plan into force beside the steps that have begun. Without a
// draft the plan stays as it is.
func (e *edit) planAgain(r *Run) error {
	if r.Draft == nil {
		draft := e.q.asItIs()
		r = e.run(r.ID)
		r.Draft = &draft
	}
	m, faults := e.q.replanned(*r.Draft)
	if len(faults) > 0 {
		return planFault(faults)
	}
	for _, id := range m.dropped {
		s := e.step(id)
		s.Stage, s.EndedAt = StageSuperseded, e.at
		e.event(EventStepSuperseded, id, "", "leftOut", "true")
		e.release(id)
	}
	for _, p := range m.changed {
		if s := e.step(p.ID); s.leftOut() {
			s.Stage, s.EndedAt = StageWaiting, time.Time{}
		}
	}
	e.mergePlan(m, r.ID)
	return nil
}

// without returns the lists without these observables.
func (l lists) without(ids []string) lists {
	return lists{
		review:    slices.DeleteFunc(l.review, func(o string) bool { return slices.Contains(ids, o) }),
		uncovered: slices.DeleteFunc(l.uncovered, func(u Uncovered) bool { return slices.Contains(ids, u.Observable) }),
	}
}

// atWork reports whether the user may decide about the step as during the steps. While
// the requirements are changed that is so for steps that agents have begun.
func (q *Quest) atWork(s *Step) bool { return q.Phase == PhaseSteps || q.Changing() && s.Started }
