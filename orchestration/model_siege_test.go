package orchestration_test

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// sieges is the model of "Sieges" in docs/state-machine.md.
type sieges struct {
	spared map[string]bool // steps whose check passed while they owed no siege
	works  bool            // who works for the review does so for the siege of the whole
	over   string          // the run that completed that siege since the review began
	proof  *proof          // what it proved
}

// again: nothing of the siege of the whole counts any more.
func (v *sieges) again() { v.works, v.over, v.proof = false, "", nil }

// siegeOf is the choice that holds.
func siegeOf(q *orchestration.Quest) orchestration.Siege {
	switch {
	case q.Size == "errand":
		return "none"
	case q.Siege != "":
		return q.Siege
	case q.Size == "quick":
		return "end"
	}
	return "each"
}

// owesSiege: Siegemaster tests the step before it is done.
func owesSiege(q *orchestration.Quest, step string) bool {
	s := q.Step(step)
	return !s.Whole() && (siegeOf(q) == "each" && s.Risk != "low" || siegeOf(q) == "risky" && s.Risk == "high")
}

// owesSiegeAtEnd: the review begins with a siege of all that is done.
func (m *model) owesSiegeAtEnd(q *orchestration.Quest) bool {
	for _, s := range q.Steps.All() {
		if m.siege.over == "" && s.Stage == orchestration.StageDone && (siegeOf(q) == "end" || owesSiege(q, s.ID) && !m.verdict[s.ID]) {
			return true
		}
	}
	return false
}

// besieges reports whether the run is the siege of the whole work.
func (m *model) besieges(r *orchestration.Run) bool {
	return m.siege.works && r.Step == orchestration.StepReview && r.Role == orchestration.Siegemaster && r.ReturnTo == ""
}

// nextInReview: the siege that is owed, else Lawbringer.
func (m *model) nextInReview(q *orchestration.Quest) error {
	if !m.owesSiegeAtEnd(q) {
		return newest(q, orchestration.StepReview, orchestration.Lawbringer, "")
	}
	m.siege.works, m.verdict[orchestration.StepReview] = true, false
	if r := q.Run(q.Step(orchestration.StepReview).Run); r.Start != orchestration.StartFresh || r.ResumedFrom != "" {
		return fmt.Errorf("the siege of the whole begins as %s of %q", r.Start, r.ResumedFrom)
	}
	return newest(q, orchestration.StepReview, orchestration.Siegemaster, "")
}

// owesFirst: a siege comes before the step is merged.
func (m *model) owesFirst(q *orchestration.Quest, step string) bool {
	if step == orchestration.StepReview {
		return q.Phase == orchestration.PhaseReview && m.owesSiegeAtEnd(q)
	}
	return owesSiege(q, step) && !m.verdict[step]
}

// siegesChosen: what waits to be merged and owes a siege now leaves the queue for it.
func (m *model) siegesChosen(prev, q *orchestration.Quest) error {
	for _, id := range prev.Merging {
		if outgrew := q.Step(id).Stage == orchestration.StageSuperseded; outgrew {
			continue
		}
		switch s := prev.Step(id); {
		case s.Stage != orchestration.StageMerge || s.Hold != orchestration.HoldNone || !m.owesFirst(q, id):
			if !slices.Contains(q.Merging, id) && q.Step(id).Stage != orchestration.StageSuperseded { // an errand that grew
				return fmt.Errorf("%s owes no siege, and left the merge queue", id)
			}
		case id == orchestration.StepReview:
			m.review.again()
			if err := m.nextInReview(q); err != nil {
				return err
			}
		default:
			if err := newest(q, id, orchestration.Siegemaster, ""); err != nil || slices.Contains(q.Merging, id) {
				return fmt.Errorf("%s owes a siege, and waits to be merged: %v, %w", id, q.Merging, err)
			}
		}
	}
	return nil
}

// passedOver: the step is tested before it is merged, or it owed no siege when its check passed.
func (m *model) passedOver(step string) error {
	if step != orchestration.StepReview && !m.verdict[step] && !m.siege.spared[step] {
		return fmt.Errorf("%s owes a siege and goes on without", step)
	}
	return nil
}

// unbesieged: what the review proves for steps that Siegemaster has not tested.
func (m *model) unbesieged(q *orchestration.Quest) []string {
	var ids []string
	for _, s := range q.Steps.All() {
		if s.Stage == orchestration.StageDone && !m.verdict[s.ID] {
			ids = append(ids, s.Observables...)
		}
	}
	return ids
}

// besiegedHolds compares what the review says of its siege.
func (m *model) besiegedHolds(prev, q *orchestration.Quest) error {
	inReview := q.Phase == orchestration.PhaseReview || q.Phase == orchestration.PhaseComplete
	if !inReview || prev.Phase != orchestration.PhaseReview && q.Phase == orchestration.PhaseReview {
		m.siege.again()
	}
	if got := q.Step(orchestration.StepReview).Besieged; got != m.siege.over {
		return fmt.Errorf("the siege of the whole is %q, want %q", got, m.siege.over)
	}
	for _, s := range q.Steps.All() {
		if q.OwesSiege(s) != owesSiege(q, s.ID) {
			return fmt.Errorf("%s of risk %q owes a siege in %s: %v", s.ID, s.Risk, siegeOf(q), q.OwesSiege(s))
		}
	}
	if q.Phase == orchestration.PhaseComplete && m.owesSiegeAtEnd(q) {
		return fmt.Errorf("the quest is complete, and a siege is owed")
	}
	if q.Phase == orchestration.PhaseReview && q.OwesSiegeAtEnd() != m.owesSiegeAtEnd(q) {
		return fmt.Errorf("a siege at the end is owed: %v, want %v", q.OwesSiegeAtEnd(), m.owesSiegeAtEnd(q))
	}
	return nil
}

// provenAtEnd is the evidence of the review for an observable of a step without a siege.
func (m *model) provenAtEnd(observable string) (orchestration.ProofState, *proof) {
	for _, p := range []*proof{m.siege.proof, m.proof[orchestration.StepReview]} {
		if p == nil {
			continue
		}
		if at := slices.IndexFunc(p.given, func(e orchestration.Evidence) bool { return e.Observable == observable }); at >= 0 {
			if p.given[at].Kind == "unproven" {
				return "unproven", p
			}
			return "proven", p
		}
	}
	switch {
	case !m.verdict[orchestration.StepReview]:
		return "open", nil
	case m.proof[orchestration.StepReview] == nil:
		return "left", nil
	}
	return "later", nil
}
