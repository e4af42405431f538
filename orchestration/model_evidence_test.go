package orchestration_test

import (
	"fmt"
	"maps"
	"slices"

	"questboard/orchestration"
)

// proof is what the model knows of a step's verdict.
type proof struct {
	run, commit string
	given       []orchestration.Evidence
	changed     bool
}

// verdictOf: the model's own reading of "a verdict". Nobody waits for the run, and it is
// Siegemaster of a step or Lawbringer of the review. The siege of the whole proves, too.
func (m *model) verdictOf(q *orchestration.Quest, r *orchestration.Run) bool {
	switch {
	case r.ReturnTo != "":
		return false
	case r.Step == orchestration.StepReview:
		return r.Role == orchestration.Lawbringer || m.besieges(r) || m.siege.over == r.ID
	default:
		return !q.Step(r.Step).Whole() && r.Role == orchestration.Siegemaster
	}
}

// owed are the observables that a verdict must prove: those of its step that are asked,
// or were before a change. The review proves those of steps without a siege: in the siege
// of the whole, or, if there was none, in each look.
func (m *model) owed(q *orchestration.Quest, r *orchestration.Run) []string {
	own := q.Step(r.Step).Observables
	switch {
	case r.Step != orchestration.StepReview:
	case !look(r):
		own = m.unbesieged(q)
	case m.siege.over == "":
		own = slices.Concat(own, m.unbesieged(q))
	}
	known := observablesOf(q)
	for _, c := range q.Changes {
		for _, o := range c.Lost {
			known = append(known, o.ID)
		}
	}
	var ids []string
	for _, o := range own {
		if slices.Contains(known, o) && !slices.Contains(ids, o) {
			ids = append(ids, o)
		}
	}
	return ids
}

// evident: an accepted complete carries what its verdict owes, once, and in the tree.
func (m *model) evident(q *orchestration.Quest, r *orchestration.Run, f orchestration.SignalReceived) error {
	given := f.Signal.Evidence
	if !m.verdictOf(q, r) {
		if len(given) > 0 {
			return fmt.Errorf("%s of %s gave evidence, and its complete is no verdict", r.Role, r.Step)
		}
		return nil
	}
	var ids []string
	for i, e := range given {
		ids = append(ids, e.Observable)
		if (e.Kind == "test" || e.Kind == "place") && (i >= len(f.Found) || !f.Found[i].Is) {
			return fmt.Errorf("the evidence %+v is not in the tree", e)
		}
	}
	want := m.owed(q, r)
	slices.Sort(ids)
	slices.Sort(want)
	if !slices.Equal(ids, want) {
		return fmt.Errorf("the verdict on %s has evidence of %v, want %v", r.Step, ids, want)
	}
	return nil
}

// proves follows the evidence of every step, and compares it with what the quest says.
func (m *model) proves(prev, q *orchestration.Quest, f orchestration.InputKind, t orchestration.Transition) error {
	if prev == nil {
		return nil
	}
	m.agentsAgain(q)
	switch f := f.(type) {
	case orchestration.SignalReceived:
		r := prev.Run(f.Run)
		if t.Empty() || t.Refusal != nil {
			break
		}
		if f.Signal.Kind == orchestration.Complete {
			if err := m.evident(prev, r, f); err != nil {
				return err
			}
			if r.ID == m.siege.over {
				m.siege.proof = &proof{run: r.ID, given: f.Signal.Evidence}
			} else if m.verdictOf(prev, r) {
				m.proof[r.Step] = &proof{run: r.ID, given: f.Signal.Evidence}
			}
		} else if look(r) && f.Signal.Kind == orchestration.NeedsRoleFollowup {
			delete(m.proof, r.Step) // even a hand-over that ends the review proves nothing
		}
	case orchestration.RunExited:
		m.committed(prev, f)
	case orchestration.MergeEnded:
		m.came(prev, q, f)
	case orchestration.MarkDonePressed:
		delete(m.proof, f.Step)
	case orchestration.SkipPressed:
		delete(m.proof, f.Step)
	}
	maps.DeleteFunc(m.proof, func(step string, _ *proof) bool { return !m.verdict[step] }) // a verdict and its evidence end together
	return m.sameEvidence(q)
}

// committed: the commit of the verdict's run is what was proven; a later run of the step
// that changes something changes that.
func (m *model) committed(prev *orchestration.Quest, f orchestration.RunExited) {
	r := prev.Run(f.Run)
	for _, p := range m.proofsOf(r.Step) {
		switch {
		case !r.Live():
		case p.run == r.ID:
			if f.Exit.Tip != "" {
				p.commit = f.Exit.Tip
			}
		case len(f.Exit.Changed) > 0:
			p.changed = true
		}
	}
}

// proofsOf returns the evidence of the step's verdict, and in the review that of the siege.
func (m *model) proofsOf(step string) (all []*proof) {
	if p := m.proof[step]; p != nil {
		all = append(all, p)
	}
	if p := m.siege.proof; p != nil && step == orchestration.StepReview {
		all = append(all, p)
	}
	return all
}

// came: a merge brings changes to a step that is updated, or to all that were merged before.
func (m *model) came(prev, q *orchestration.Quest, f orchestration.MergeEnded) {
	if prev.MergeTurn() != f.Step {
		return
	}
	touches := func(s *orchestration.Step, files []string) bool {
		return slices.ContainsFunc(files, func(f string) bool {
			return s.Whole() || slices.Contains(s.Files, f) || slices.Contains(s.Changed, f)
		})
	}
	steps := append(slices.Collect(maps.Keys(m.proof)), orchestration.StepReview)
	for _, id := range steps {
		s := q.Step(id)
		for _, p := range m.proofsOf(id) {
			switch {
			case f.Outcome == orchestration.MergeUpdated && id == f.Step:
				p.changed = p.changed || touches(s, f.Files)
			case f.Outcome == orchestration.MergeMerged && id != f.Step && (s.Whole() || prev.Step(id).Stage == orchestration.StageDone):
				p.changed = p.changed || touches(s, q.Step(f.Step).Changed)
			}
		}
	}
}

// sameEvidence compares every observable at every step that has it.
func (m *model) sameEvidence(q *orchestration.Quest) error {
	steps := []*orchestration.Step{q.Step(orchestration.StepReview)}
	for _, s := range q.Steps.All() {
		steps = append(steps, s)
	}
	for _, s := range steps {
		if (s.Proof != nil) != (m.proof[s.ID] != nil) {
			return fmt.Errorf("%s has the evidence %+v, want %+v", s.ID, s.Proof, m.proof[s.ID])
		}
	}
	for _, e := range q.Evidence() {
		if e.Step == "" {
			if e.State != "nowhere" {
				return fmt.Errorf("%s is at no step and %s", e.Observable.ID, e.State)
			}
			continue
		}
		want, p := m.state(q.Step(e.Step), e.Observable.ID)
		if e.State != want {
			return fmt.Errorf("%s at %s is %s, want %s", e.Observable.ID, e.Step, e.State, want)
		}
		if !e.State.Gap() && (e.Proof.Run != p.run || e.Proof.Commit != p.commit || e.Proof.Changed != p.changed) {
			return fmt.Errorf("%s at %s: %+v, want %+v", e.Observable.ID, e.Step, e.Proof, *p)
		}
	}
	return nil
}

func (m *model) state(s *orchestration.Step, observable string) (orchestration.ProofState, *proof) {
	p := m.proof[s.ID]
	switch {
	case s.Stage == orchestration.StageSkipped:
		return "skipped", nil
	case m.hand[s.ID]:
		return "by-hand", nil
	case !m.verdict[s.ID] && s.Stage == orchestration.StageDone && !s.Whole():
		return m.provenAtEnd(observable)
	case !m.verdict[s.ID]:
		return "open", nil
	case p == nil:
		return "left", nil
	}
	for _, e := range p.given {
		if e.Observable == observable {
			if e.Kind == "unproven" {
				return "unproven", p
			}
			return "proven", p
		}
	}
	return "later", nil
}
