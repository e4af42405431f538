package orchestration

import (
	"fmt"
	"slices"
	"strings"
)

// Uncovered is an observable that the plan leaves out, and why.
type Uncovered struct {
	Observable string `json:"observable"`
	Why        string `json:"why"`
}

// lists are the observables that no step of the plan proves: those of the review, and
// those that nothing covers.
type lists struct {
	review    []string
	uncovered []Uncovered
}

// lists returns those of the plan in force.
func (q *Quest) lists() lists {
	return lists{review: q.Step(StepReview).Observables, uncovered: q.Uncovered}
}

// after returns the lists that hold after a draft. What the draft says of an observable
// takes the place of what the lists said.
func (l lists) after(d PlanDraft) lists {
	said := map[string]bool{}
	for _, s := range d.Steps {
		for _, o := range s.Observables {
			said[o] = true
		}
	}
	for _, o := range d.Review {
		said[o] = true
	}
	for _, u := range d.Uncovered {
		said[u.Observable] = true
	}
	var out lists
	for _, o := range l.review {
		if !said[o] {
			out.review = append(out.review, o)
		}
	}
	for _, u := range l.uncovered {
		if !said[u.Observable] {
			out.uncovered = append(out.uncovered, u)
		}
	}
	out.review = append(out.review, d.Review...)
	out.uncovered = append(out.uncovered, d.Uncovered...)
	return out
}

// place puts the lists of a plan into force.
func (e *edit) place(l lists) {
	e.step(StepReview).Observables = slices.Clone(l.review)
	e.q.Uncovered, e.reqs = slices.Clone(l.uncovered), true
}

// unlist takes observables that a step has off the lists.
func (e *edit) unlist(observables []string) {
	before := e.q.lists()
	l := before.after(PlanDraft{Steps: []PlanStep{{Observables: observables}}})
	if len(l.review) < len(before.review) || len(l.uncovered) < len(before.uncovered) {
		e.place(l)
	}
}

// checkCoverage returns the faults of a draft in what it says of the observables: a name
// that no requirement has, an observable in two places, and one of those asked for in
// none. The steps are those of the plan that would be in force, the lists those that
// would hold. A quest without requirements has no lists, and its steps are not checked. An
// observable that is no longer asked is no fault, and nobody has to have it.
func (q *Quest) checkCoverage(d PlanDraft, steps []PlanStep, l lists, asked []string) []string {
	known := q.observables()
	switch {
	case len(known) == 0 && len(d.Review)+len(d.Uncovered) > 0:
		return []string{"the quest has no requirements: leave review and uncovered out"}
	case len(known) == 0:
		return nil
	}
	faults := q.unknownNames(d)
	places := map[string][]string{}
	for _, s := range steps {
		for _, o := range s.Observables {
			if old := q.Step(s.ID); old == nil || old.Stage != StageSkipped {
				places[o] = append(places[o], "the step "+clip(s.ID))
			}
		}
	}
	faults = append(faults, twice(d, places)...)
	for _, o := range l.review {
		places[o] = append(places[o], "review")
	}
	for _, u := range l.uncovered {
		places[u.Observable] = append(places[u.Observable], "uncovered")
	}
	var missing []string
	for _, o := range known {
		if len(places[o]) == 0 && slices.Contains(asked, o) && !slices.Contains(missing, o) {
			missing = append(missing, o)
			faults = append(faults, fmt.Sprintf("the observable %s is in no step, and neither in review nor in uncovered", clip(o)))
		}
	}
	return faults
}

// unknownNames names the observables of a draft that no requirement has. Without
// requirements every name will do.
func (q *Quest) unknownNames(d PlanDraft) []string {
	known := q.observables()
	if len(known) == 0 {
		return nil
	}
	known = append(slices.Clone(known), q.lostIDs()...)
	var faults []string
	check := func(where string, names []string) {
		for i, o := range names {
			if !slices.Contains(known, o) && !slices.Contains(names[:i], o) {
				faults = append(faults, fmt.Sprintf("%s: no requirement has the observable %q", where, clip(o)))
			}
		}
	}
	for i, s := range d.Steps {
		where := clip(s.ID)
		if where == "" {
			where = fmt.Sprintf("step %d", i+1)
		}
		check(where, s.Observables)
	}
	check("review", d.Review)
	check("uncovered", d.leftOut())
	for _, u := range d.Uncovered {
		if blank(u.Why) {
			faults = append(faults, fmt.Sprintf("uncovered: say why nothing covers %q", clip(u.Observable)))
		}
	}
	return faults
}

// twice names the observables of a draft's lists that are in a second place.
func twice(d PlanDraft, steps map[string][]string) []string {
	var faults []string
	in := map[string]string{}
	check := func(list string, names []string) {
		for _, o := range names {
			switch {
			case in[o] == list:
				faults = append(faults, fmt.Sprintf("%s: the observable %s is there twice", list, clip(o)))
			case in[o] != "":
				faults = append(faults, fmt.Sprintf("the observable %s is in %s and in %s: keep one", clip(o), in[o], list))
			case len(steps[o]) > 0:
				faults = append(faults, fmt.Sprintf("the observable %s is in %s and in %s: keep one", clip(o), strings.Join(steps[o][:1], ""), list))
			}
			in[o] = list
		}
	}
	check("review", d.Review)
	check("uncovered", d.leftOut())
	return faults
}

// leftOut returns the observables that the draft says nothing covers.
func (d PlanDraft) leftOut() []string {
	names := make([]string, len(d.Uncovered))
	for i, u := range d.Uncovered {
		names[i] = u.Observable
	}
	return names
}

// observables returns all observables of the requirements, in their order.
func (q *Quest) observables() []string {
	var ids []string
	for _, r := range q.Requirements {
		for _, o := range r.Observables {
			ids = append(ids, o.ID)
		}
	}
	return ids
}
