package orchestration_test

import (
	"fmt"
	"reflect"
	"slices"

	"questboard/orchestration"
)

// standIns are the steps of a draft that stand for the replaced one: those that say so,
// or all of them, if only the draft says so.
func standIns(d *orchestration.PlanDraft) []string {
	var marked, all []string
	for _, s := range d.Steps {
		all = append(all, s.ID)
		if s.Replaces != "" {
			marked = append(marked, s.ID)
		}
	}
	if marked == nil && d.Replaces != "" {
		return all
	}
	return marked
}

// replaced: who depended on the step depends on all that stand for it, and on no other
// new step; these alone inherit its counters.
func (m *model) replaced(prev, q *orchestration.Quest, id string, by []string) error {
	if own := q.Step(id); own.Stage != orchestration.StageSuperseded || !slices.Equal(own.ReplacedBy, by) {
		return fmt.Errorf("%s was replaced by %v, and is at %s, replaced by %v", id, by, own.Stage, own.ReplacedBy)
	}
	for n, s := range q.Steps.All() {
		if n >= prev.Steps.Len() {
			if stands := slices.Contains(by, s.ID); stands != (s.Replaces == id) || !stands && s.Counts != (orchestration.Counts{}) {
				return fmt.Errorf("%s stands for %s: %v; it says %q, its counters are %+v", s.ID, id, stands, s.Replaces, s.Counts)
			} else if stands {
				inherited := *m.count(id)
				m.counts[s.ID] = &inherited
			}
			continue
		}
		if s.Stage == orchestration.StageSuperseded {
			continue
		}
		var want []string
		for _, dep := range prev.Steps.At(n).DependsOn {
			if dep == id {
				want = append(want, by...)
			} else {
				want = append(want, dep)
			}
		}
		if !slices.Equal(s.DependsOn, want) {
			return fmt.Errorf("%s depends on %v after %s was replaced, want %v", s.ID, s.DependsOn, id, want)
		}
	}
	return nil
}

// noneLost: an observable that the plan has somewhere is there after every input, but a
// skip or an edit of the user's, or a change that waives it. One that is on a list is nowhere else.
func noneLost(prev, q *orchestration.Quest, f orchestration.InputKind) error {
	s, ok := f.(orchestration.SignalReceived)
	var planned *orchestration.Run
	if r := prev.Run(s.Run); ok && r != nil && r.Role == orchestration.PathSeeker && s.Signal.Kind == orchestration.Complete && prev.Version != q.Version &&
		r.State == orchestration.RunRunning && r.Stopping == "" {
		planned = r
	}
	_, skip := f.(orchestration.SkipPressed)
	_, edited := f.(orchestration.StepEdited)
	if _, sized := f.(orchestration.SizeChosen); sized {
		return nil // an errand has no plan
	}
	whole := planned != nil && planned.Step == orchestration.StepPlan && planned.ReturnTo == ""
	for _, o := range observablesOf(q) {
		places := placesOf(q, o)
		waived := whole && beside(prev) && slices.Contains(prev.Changes[len(prev.Changes)-1].Waived, o)
		if len(places) == 0 && !skip && !edited && !waived && (whole || len(placesOf(prev, o)) > 0) {
			return fmt.Errorf("nothing has the observable %s any more", o)
		}
		if list := len(places) > 0 && slices.ContainsFunc(places, func(p string) bool { return p == "review" || p == "uncovered" }); list && len(places) > 1 && !beside(prev) {
			return fmt.Errorf("the observable %s is in %v", o, places)
		}
	}
	for n, was := range prev.Steps.All() {
		if planned == nil || !hasBegun(was) {
			continue
		}
		now := q.Steps.At(n).PlanStep
		now.DependsOn = was.DependsOn // a replaced step is not waited for
		if !reflect.DeepEqual(now, was.PlanStep) {
			return fmt.Errorf("%s had begun, and is planned as %+v", was.ID, now)
		}
	}
	if planned != nil && whole && beside(prev) {
		return listsFollow(prev, q, q.Run(planned.ID).Draft, false)
	}
	if planned == nil || planned.Draft == nil || planned.Step == orchestration.StepPlan && !whole {
		return nil // who helps another run with the plan puts none into force
	}
	return listsFollow(prev, q, planned.Draft, whole)
}

// listsFollow: the lists hold what the draft says, and of a re-split also what they held
// and the draft does not name.
func listsFollow(prev, q *orchestration.Quest, d *orchestration.PlanDraft, whole bool) error {
	named := slices.Clone(d.Review)
	for _, s := range d.Steps {
		named = append(named, s.Observables...)
	}
	var uncovered []orchestration.Uncovered
	for _, u := range d.Uncovered {
		named = append(named, u.Observable)
	}
	var review []string
	if !whole {
		review = slices.DeleteFunc(slices.Clone(prev.Step(orchestration.StepReview).Observables), func(o string) bool { return slices.Contains(named, o) })
		uncovered = slices.DeleteFunc(slices.Clone(prev.Uncovered), func(u orchestration.Uncovered) bool { return slices.Contains(named, u.Observable) })
	}
	review, uncovered = append(review, d.Review...), append(uncovered, d.Uncovered...)
	if prev.Changing() && !q.Changing() || prev.Changing() && q.GatePlan == orchestration.GateOpen {
		asked := observablesOf(q) // who plans again drops what nobody asks for
		review = slices.DeleteFunc(review, func(o string) bool { return !slices.Contains(asked, o) })
		uncovered = slices.DeleteFunc(uncovered, func(u orchestration.Uncovered) bool { return !slices.Contains(asked, u.Observable) })
	}
	if got := q.Step(orchestration.StepReview).Observables; !slices.Equal(got, review) {
		return fmt.Errorf("the review has %v, want %v", got, review)
	}
	if !slices.Equal(q.Uncovered, uncovered) {
		return fmt.Errorf("nothing covers %v, want %v", q.Uncovered, uncovered)
	}
	return nil
}

// settledStay: done, skipped and superseded steps never change, but that a skip is
// undone or becomes final, and that files of theirs change after their evidence. A plan that
// is made again may bring back a step that another such plan left out.
func settledStay(prev, q *orchestration.Quest, f orchestration.InputKind) error {
	if s, is := f.(orchestration.SizeChosen); is && s.Size == orchestration.SizeErrand || is && prev.Size == orchestration.SizeErrand && q.Steps.Len() == 0 {
		return nil // a plan on which nobody has worked gives way
	}
	if prev.Phase != orchestration.PhaseSteps && prev.Phase != orchestration.PhaseReview && !beside(prev) {
		return nil
	}
	for n, s := range prev.Steps.All() {
		if prev.Changing() && s.Stage == orchestration.StageSuperseded && len(s.ReplacedBy) == 0 {
			continue
		}
		if undo, is := f.(orchestration.SkipUndone); is && undo.Step == s.ID && s.Stage == orchestration.StageSkipped {
			continue
		}
		now := *q.Steps.At(n)
		now.Final = s.Final
		if s.Proof != nil && now.Proof != nil && !s.Proof.Changed && now.Proof.Changed && s.Proof.Run == now.Proof.Run {
			now.Proof = s.Proof // a later commit has changed files of it
		}
		if s.Stage == orchestration.StageSkipped { // a re-split replaces what it depends on, because the skip can be undone
			now.DependsOn = s.DependsOn
		}
		if s.Stage.Settled() && !reflect.DeepEqual(s, &now) {
			return fmt.Errorf("%s was %s and changed", s.ID, s.Stage)
		}
	}
	return nil
}

// sentBack: PathSeeker begins with the plan as the person left it at the gate.
func sentBack(prev, q *orchestration.Quest) error {
	d := q.Run(q.Step(orchestration.StepPlan).Run).Draft
	n := 0
	for _, s := range prev.Steps.All() {
		if hasBegun(s) || s.Stage.Settled() {
			continue
		}
		at := slices.IndexFunc(d.Steps, func(p orchestration.PlanStep) bool { return p.ID == s.ID })
		if at < 0 || d.Steps[at].Title != s.Title || !slices.Equal(d.Steps[at].Observables, s.Observables) {
			return fmt.Errorf("the plan is sent back, and %s (%q) is not in the draft as it is: %+v", s.ID, s.Title, d.Steps)
		}
		n++
	}
	if n != len(d.Steps) {
		return fmt.Errorf("the plan is sent back with %d steps that wait, and the draft has %d", n, len(d.Steps))
	}
	return nil
}

// waitsForFiles: a step that a plan or comments have just added waits for those at work that
// changed one of its files without declaring it, unless one of the two depends on the other.
func waitsForFiles(prev, q *orchestration.Quest) error {
	var hangs func(a, b string) bool
	hangs = func(a, b string) bool {
		return slices.ContainsFunc(q.Step(a).DependsOn, func(d string) bool { return d == b || hangs(d, b) })
	}
	for n := prev.Steps.Len(); n > 0 && n < q.Steps.Len(); n++ {
		added := q.Steps.At(n)
		for _, s := range q.Steps.All() {
			if !s.Started || s.Stage.Settled() || added.Started || !overlap(s.Undeclared(), added.Files) {
				continue
			}
			if !hangs(added.ID, s.ID) && !hangs(s.ID, added.ID) {
				return fmt.Errorf("%s does not wait for %s, which changed %v", added.ID, s.ID, s.Undeclared())
			}
		}
	}
	return nil
}
