package orchestration_test

import (
	"slices"
	"strings"

	"questboard/orchestration"
)

// What the walks do with plans: which steps replace one, and where each observable stands.

// replace lets the draft replace the run's own step: by all new steps, or by those that
// are marked, beside which the old form may stand.
func (w *walk) replace(r *orchestration.Run, d *orchestration.PlanDraft) {
	if w.one("all of them", 3) {
		d.Replaces = r.Step
		w.cov.add("re-split: all replace")
		return
	}
	if w.one("both forms", 3) {
		d.Replaces = r.Step
	}
	d.Steps[0].Replaces = r.Step
	if len(d.Steps) > 1 && w.one("mark the second, too", 6) {
		d.Steps[1].Replaces = r.Step
	} else if len(d.Steps) > 1 {
		w.cov.add("re-split: some replace")
	}
}

// markWrongly sends a draft whose mark names a step that is not the run's own.
func (w *walk) markWrongly(r *orchestration.Run, d orchestration.PlanDraft) {
	d.Steps = append([]orchestration.PlanStep{}, d.Steps...)
	d.Steps[0].Replaces = "nowhere"
	for _, s := range w.q.Steps.All() {
		if s.ID != r.Step {
			d.Steps[0].Replaces = s.ID
		}
	}
	if err := w.apply(orchestration.PlanDrafted{Run: r.ID, Draft: d}); err == nil {
		w.rt.Fatalf("%s of %s was allowed to replace %s", r.ID, r.Step, d.Steps[0].Replaces)
	}
	w.cov.add("refused: mark")
}

func walkRequirements() []orchestration.Requirement {
	return []orchestration.Requirement{{ID: "r1", Context: "a visitor", Observables: []orchestration.Observable{
		{ID: "o1", Text: "can log in"}, {ID: "o2", Text: "can log out"}, {ID: "o3", Text: "sees who is there"}}}}
}

func (w *walk) observables() []string { return observablesOf(w.q) }

func observablesOf(q *orchestration.Quest) []string {
	var ids []string
	for _, r := range q.Requirements {
		for _, o := range r.Observables {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// lostWith are the observables that nothing has any more without this step.
func (w *walk) lostWith(step string) []string {
	var lost []string
	for _, o := range w.observables() {
		if places := placesOf(w.q, o); len(places) == 1 && places[0] == step {
			lost = append(lost, o)
		}
	}
	return lost
}

// placesOf is where the quest has an observable: its steps but the skipped ones, "review"
// or "uncovered".
func placesOf(q *orchestration.Quest, observable string) []string {
	var places []string
	for _, s := range q.Steps.All() {
		if s.Stage != orchestration.StageSuperseded && s.Stage != orchestration.StageSkipped && slices.Contains(s.Observables, observable) {
			places = append(places, s.ID)
		}
	}
	if slices.Contains(q.Step(orchestration.StepReview).Observables, observable) {
		places = append(places, "review")
	}
	for _, u := range q.Uncovered {
		if u.Observable == observable {
			places = append(places, "uncovered")
		}
	}
	return places
}

// cover puts each of these observables somewhere. Now and then a draft with a fault comes
// first.
func (w *walk) cover(r *orchestration.Run, d *orchestration.PlanDraft, observables []string) {
	for _, o := range observables {
		switch w.pick("place", 6) {
		case 0:
			d.Review = append(d.Review, o)
			w.cov.add("covered: by the review")
		case 1:
			d.Uncovered = append(d.Uncovered, orchestration.Uncovered{Observable: o, Why: "too dear"})
			w.cov.add("covered: not at all")
		default:
			s := &d.Steps[w.pick("step", len(d.Steps))]
			s.Observables = append(s.Observables, o)
		}
	}
	if len(observables) > 0 && w.one("a fault", 2) {
		w.coverWrongly(r, *d, observables[w.pick("which", len(observables))])
	}
}

// coverWrongly sends the draft with an observable in no place, in two, or with one that
// nobody asked for: each is refused by name.
func (w *walk) coverWrongly(r *orchestration.Run, d orchestration.PlanDraft, observable string) {
	other := func(o string) bool { return o == observable }
	d.Steps, d.Review = slices.Clone(d.Steps), slices.DeleteFunc(slices.Clone(d.Review), other)
	d.Uncovered = slices.DeleteFunc(slices.Clone(d.Uncovered), func(u orchestration.Uncovered) bool { return other(u.Observable) })
	for i := range d.Steps {
		d.Steps[i].Observables = slices.DeleteFunc(slices.Clone(d.Steps[i].Observables), other)
	}
	fault := "refused: not covered"
	switch w.pick("kind of fault", 4) {
	case 0:
		fault = "refused: in two places"
		d.Review, d.Steps[0].Observables = append(d.Review, observable), append(d.Steps[0].Observables, observable)
	case 1:
		fault = "refused: in two places"
		d.Review = append(d.Review, observable)
		d.Uncovered = append(d.Uncovered, orchestration.Uncovered{Observable: observable, Why: "no time"})
	case 2:
		fault = "refused: not asked for"
		d.Review = append(d.Review, observable, "o9")
		observable = "o9"
	}
	before := w.q
	err := w.apply(orchestration.PlanDrafted{Run: r.ID, Draft: d})
	if err == nil || !strings.Contains(err.Error(), observable) || w.q != before {
		w.rt.Fatalf("%s: %s of %s in %+v: error %v", fault, observable, r.Step, d, err)
	}
	w.cov.add(fault)
}
