package orchestration_test

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// hasBegun: agents or a person have worked on the step, or the user's comments made it.
func hasBegun(s *orchestration.Step) bool { return s.Started || s.ByHand != "" || s.Comments != "" }

// beside: a plan that is made now stands beside steps that something has happened to.
func beside(q *orchestration.Quest) bool {
	if len(q.Changes) == 0 || q.Abandoned || q.Phase != orchestration.PhaseRequirements && q.Phase != orchestration.PhasePlan {
		return false
	}
	for _, s := range q.Steps.All() {
		if s.Run != "" || hasBegun(s) || s.Stage.Settled() {
			return true
		}
	}
	return false
}

// changed: ChaosWhisperer is told, in its old session if there is one. What has begun
// goes on, nothing else does, and a review or a plan at work is over.
func (m *model) changed(prev, q *orchestration.Quest, f orchestration.ChangeRequested) error {
	if q.Phase != orchestration.PhaseRequirements || q.Locked || !q.EndedAt.IsZero() || q.Over() {
		return fmt.Errorf("the requirements are to be changed: phase %s, locked %v, ended %v", q.Phase, q.Locked, q.EndedAt)
	}
	if last := q.Changes[len(q.Changes)-1]; len(q.Changes) != len(prev.Changes)+1 || last.Text != f.Text {
		return fmt.Errorf("the change %q is not kept: %+v", f.Text, q.Changes)
	}
	for gate, was := range map[orchestration.Gate]orchestration.Gate{q.GateRequirements: prev.GateRequirements, q.GatePlan: prev.GatePlan} {
		if gate != orchestration.GatePending && gate != was || was == orchestration.GateOff && gate != was {
			return fmt.Errorf("a gate was %s and is %s", was, gate)
		}
	}
	if err := waived(prev, q); err != nil {
		return err
	}
	m.verdict[orchestration.StepReview] = false
	m.reviewAnew()
	for _, r := range q.OpenRuns() {
		over := r.State == orchestration.RunSignalled || r.Stopping != ""
		switch s := q.Step(r.Step); {
		case s.ID == orchestration.StepRequirements, s.ID == orchestration.StepBaseline, over:
		case s.Whole(), !hasBegun(s):
			return fmt.Errorf("%s still works for %s", r.ID, s.ID)
		}
	}
	for n, s := range q.Steps.All() {
		was := prev.Steps.At(n)
		switch {
		case s.Stage == orchestration.StageReady, !hasBegun(s) && !s.Stage.Settled() && s.Stage != orchestration.StageWaiting:
			return fmt.Errorf("%s is at %s while the requirements are changed", s.ID, s.Stage)
		case prev.Size == orchestration.SizeErrand && was.Stage == orchestration.StageMerge: // it may owe a siege now
		case hasBegun(was) && was.Stage != orchestration.StageReady && (s.Stage != was.Stage || s.Hold != was.Hold || s.Run != was.Run):
			return fmt.Errorf("%s had begun, and was not left alone: at %s (%s, %s), now %s (%s, %s)", s.ID, was.Stage, was.Hold, was.Run, s.Stage, s.Hold, s.Run)
		}
	}
	author := prev.Run(prev.Step(orchestration.StepRequirements).Run)
	if next := q.Run(q.Step(orchestration.StepRequirements).Run); author != nil && author.Opened && next.ResumedFrom != author.ID {
		return fmt.Errorf("the session of %s is not resumed", author.ID)
	}
	return newest(q, orchestration.StepRequirements, orchestration.ChaosWhisperer, "")
}

// waived: what had a place before the change, and what the change brings, needs one in
// the new plan. Several changes without a plan between them are one.
func waived(prev, q *orchestration.Quest) error {
	var want []string
	switch {
	case prev.Size == orchestration.SizeErrand:
	case prev.Phase == orchestration.PhasePlan && len(prev.Changes) > 0:
		want = prev.Changes[len(prev.Changes)-1].Waived
	case prev.Phase != orchestration.PhasePlan:
		for _, o := range observablesOf(prev) {
			if len(placesOf(prev, o)) == 0 {
				want = append(want, o)
			}
		}
	}
	if got := q.Changes[len(q.Changes)-1].Waived; !slices.Equal(got, want) {
		return fmt.Errorf("the change waives %v, want %v", got, want)
	}
	return nil
}

// lostAreKept: what the requirements lose while they are changed is known by its text.
// looksAtTheBase: a quest with worktrees checks its base from its start, beside everything.
func looksAtTheBase(q *orchestration.Quest) error {
	s := q.Step(orchestration.StepBaseline)
	if q.Workspace == orchestration.WorkspaceWorktree && q.Ward != "" && s.Run == "" {
		return fmt.Errorf("nothing has looked at the base, in the phase %s", q.Phase)
	}
	return nil
}

func lostAreKept(prev, q *orchestration.Quest) error {
	now := observablesOf(q)
	var lost []string
	for _, o := range q.NoLongerAsked() {
		lost = append(lost, o.ID)
	}
	for _, o := range observablesOf(prev) {
		if prev.Changing() && !slices.Contains(now, o) && !slices.Contains(lost, o) {
			return fmt.Errorf("%s is neither asked nor lost", o)
		}
	}
	for _, o := range lost {
		if slices.Contains(now, o) {
			return fmt.Errorf("%s is asked, and lost", o)
		}
	}
	return nil
}

// plannedAgain: what has begun stays as it is, what the draft names is planned, and of
// the rest everything that its author could know is left out.
func (m *model) plannedAgain(prev, q *orchestration.Quest, r *orchestration.Run) error {
	d := q.Run(r.ID).Draft
	drafted := map[string]orchestration.PlanStep{}
	for _, p := range d.Steps {
		drafted[p.ID] = p
	}
	for n, was := range prev.Steps.All() {
		s := q.Steps.At(n)
		_, named := drafted[s.ID]
		switch {
		case hasBegun(was) || was.Stage.Settled() && (was.Stage != orchestration.StageSuperseded || len(was.ReplacedBy) > 0):
			if named || s.Stage != was.Stage && was.Stage != orchestration.StageWaiting || !slices.Equal(s.Observables, was.Observables) {
				return fmt.Errorf("%s had begun, and was planned again", s.ID)
			}
		case named && s.Stage == orchestration.StageSuperseded:
			return fmt.Errorf("%s is in the plan, and left out", s.ID)
		case !named && n < d.Known && (s.Stage != orchestration.StageSuperseded || len(s.ReplacedBy) > 0):
			return fmt.Errorf("%s is not in the plan, and at %s", s.ID, s.Stage)
		case !named && n >= d.Known && s.Stage == orchestration.StageSuperseded && was.Stage != s.Stage:
			return fmt.Errorf("%s was added after the draft, and left out", s.ID)
		}
	}
	for id, p := range drafted {
		if s := q.Step(id); s == nil || !slices.Equal(s.Observables, p.Observables) {
			return fmt.Errorf("%s was planned, and is %+v", id, s)
		}
	}
	if prev.GatePlan != orchestration.GateOff {
		return gateOpened(q.GatePlan)
	}
	if q.Phase == orchestration.PhasePlan {
		return fmt.Errorf("the plan is made, and the phase is still %s", q.Phase)
	}
	return nil
}
