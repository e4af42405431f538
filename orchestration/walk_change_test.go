package orchestration_test

import (
	"slices"

	"questboard/orchestration"
)

// What the walks do while the requirements are changed.

// noteChange counts in which situation the user changes the requirements.
func (w *walk) noteChange() {
	w.cov.add("change: in the phase " + string(w.q.Phase))
	if slices.ContainsFunc(w.live(), func(r *orchestration.Run) bool { return !w.q.Step(r.Step).Whole() }) {
		w.cov.add("change: while steps work")
	}
}

// changeAtTheEnd sometimes opens a complete quest again with other requirements.
func (w *walk) changeAtTheEnd() bool {
	if w.q.Abandoned || w.q.Delivered != nil || len(w.q.Changes) > 1 || w.one("as wanted", 2) {
		return false
	}
	w.noteChange()
	w.must(orchestration.ChangeRequested{Text: "wish at the end"})
	return true
}

// changedRequirements are those of every walk; of a change some are missing, and one may
// be new.
func (w *walk) changedRequirements() []orchestration.Requirement {
	reqs := walkRequirements()
	if !w.q.Changing() {
		return reqs
	}
	all := append(reqs[0].Observables, orchestration.Observable{ID: "o4", Text: "sees it in the dark"})
	var chosen []orchestration.Observable
	for _, o := range all {
		if !w.one("without "+o.ID, 3) {
			chosen = append(chosen, o)
		}
	}
	if len(chosen) == 0 {
		chosen = all
	}
	reqs[0].Observables = chosen
	if w.q.Size == orchestration.SizeQuick && len(chosen) > 3 {
		reqs[0].Observables = chosen[:3]
		reqs = append(reqs, orchestration.Requirement{ID: "r2", Context: "at night", Observables: chosen[3:]})
	}
	before := w.observables()
	for _, o := range all {
		is := slices.ContainsFunc(chosen, func(c orchestration.Observable) bool { return c.ID == o.ID })
		switch was := slices.Contains(before, o.ID); {
		case was && !is:
			w.cov.add("changed: lost")
			if slices.ContainsFunc(w.steps(), func(s *orchestration.Step) bool { return hasBegun(s) && slices.Contains(s.Observables, o.ID) }) {
				w.cov.add("changed: lost and begun")
			}
		case is && !was:
			w.cov.add("changed: new")
		}
	}
	return reqs
}

// homeless are the observables without a place in a step that has begun or that the
// draft keeps, and in no list. What had none before the change is not asked for.
func (w *walk) homeless(kept []string) []string {
	waived := w.q.Changes[len(w.q.Changes)-1].Waived
	return slices.DeleteFunc(w.observables(), func(o string) bool {
		if slices.Contains(waived, o) {
			w.cov.add("planned again: without what was waived")
			return true
		}
		return slices.ContainsFunc(placesOf(w.q, o), func(p string) bool {
			s := w.q.Step(p) // nil: uncovered
			return s == nil || s.Whole() || hasBegun(s) || s.Stage.Settled() || slices.Contains(kept, p)
		})
	})
}

// planAgain plans what has not begun: some of it stays, some is left out, something is
// new. Sometimes the plan stays as it is.
func (w *walk) planAgain(r *orchestration.Run) {
	var open []string
	for _, s := range w.q.Steps.All() {
		if !hasBegun(s) && !s.Stage.Settled() {
			open = append(open, s.ID)
		}
	}
	if r.Draft == nil && len(w.homeless(open)) == 0 && !w.one("plans all the same", 2) {
		w.cov.add("planned again: as it is")
		return
	}
	var kept []string
	for _, id := range open {
		if w.one("keep "+id, 3) {
			kept = append(kept, id)
		} else {
			w.cov.add("planned again: left out")
		}
	}
	d := orchestration.PlanDraft{}
	for _, id := range kept {
		p := w.q.Step(id).PlanStep
		p.Replaces = ""
		p.DependsOn = slices.DeleteFunc(slices.Clone(p.DependsOn), func(id string) bool { return slices.Contains(open, id) && !slices.Contains(kept, id) })
		p.Observables = slices.DeleteFunc(slices.Clone(p.Observables), func(o string) bool { return !slices.Contains(w.observables(), o) })
		d.Steps = append(d.Steps, p)
	}
	if w.q.Steps.Len() < 10 && (len(d.Steps) == 0 || !w.one("nothing new", 2)) {
		d.Steps = append(d.Steps, drawPlan(w.rt, "again-"+r.ID, 2)...)
		w.cov.add("planned again: beside a new step")
	}
	if homeless := w.homeless(kept); len(d.Steps) > 0 {
		w.cover(r, &d, homeless)
	} else {
		d.Review = homeless
	}
	w.must(orchestration.PlanDrafted{Run: r.ID, Draft: d})
}
