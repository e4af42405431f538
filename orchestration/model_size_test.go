package orchestration_test

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// What the model knows of sizes (docs/state-machine.md#sizes).

var sizeRank = map[orchestration.Size]int{orchestration.SizeAuto: 0, orchestration.SizeErrand: 1, orchestration.SizeQuick: 2, orchestration.SizeFull: 3}

// anyWork: something has happened to a step of the plan.
func anyWork(q *orchestration.Quest) bool {
	for _, s := range q.Steps.All() {
		if s.Run != "" || hasBegun(s) || s.Stage.Settled() {
			return true
		}
	}
	return false
}

// grows: once work has begun, a quest only grows.
func grows(prev, q *orchestration.Quest) error {
	if anyWork(prev) && sizeRank[q.Size] < sizeRank[prev.Size] {
		return fmt.Errorf("the quest was %s and is %s", prev.Size, q.Size)
	}
	return nil
}

// sizeBefore: nothing is written or completed while nobody has said the size.
func sizeBefore(prev *orchestration.Quest) error {
	if prev.Size == orchestration.SizeAuto {
		return fmt.Errorf("requirements without a size were accepted")
	}
	return nil
}

// saidBefore: ChaosWhisperer has signalled complete before, or the requirements are written
// again.
func saidBefore(q *orchestration.Quest) bool {
	for _, r := range q.Runs.All() {
		if r.Role == orchestration.ChaosWhisperer && r.Signal != nil && r.Signal.Kind == orchestration.Complete {
			return true
		}
	}
	return q.Changing()
}

// sizeSaid: a person's size stays; else it is what ChaosWhisperer said, and nothing moves.
func sizeSaid(prev, q *orchestration.Quest, f orchestration.SizeSet) error {
	want := f.Size
	if prev.Size != orchestration.SizeAuto && prev.SizedBy == "" {
		want = prev.Size
	}
	if q.Size != want || q.Phase != prev.Phase || q.Runs.Len() != prev.Runs.Len() {
		return fmt.Errorf("after %s by an agent the size is %s, want %s; the phase is %s", f.Size, q.Size, want, q.Phase)
	}
	if saidBefore(prev) && sizeRank[q.Size] < sizeRank[prev.Size] {
		return fmt.Errorf("the size was settled as %s, and is %s", prev.Size, q.Size)
	}
	return nil
}

// errandSaid: with a gate on, the user decides on an errand that an agent said.
func errandSaid(prev, q *orchestration.Quest) error {
	switch {
	case prev.SizedBy != "" && prev.GateRequirements != orchestration.GateOff:
		return gateOpened(q.GateRequirements)
	case prev.SizedBy != "" && prev.GatePlan != orchestration.GateOff:
		return gateOpened(q.GatePlan)
	}
	return errandBegins(q)
}

// errandBegins: the request is the only step, and it waits for nothing.
func errandBegins(q *orchestration.Quest) error {
	s := q.Step(orchestration.StepErrand)
	if s == nil || q.Steps.Len() != 1 || s.Stage != orchestration.StageReady || s.Description != q.Request || q.Phase != orchestration.PhaseSteps {
		return fmt.Errorf("an errand begins with %d steps at %s: %+v", q.Steps.Len(), q.Phase, s)
	}
	return nil
}

// outgrows: the agent of an errand asks for PathSeeker.
func outgrows(q *orchestration.Quest, r *orchestration.Run, s orchestration.Signal) bool {
	return q.Size == orchestration.SizeErrand && r.Step == orchestration.StepErrand && s.Kind == orchestration.NeedsRoleFollowup && s.TargetRole == orchestration.PathSeeker
}

// outgrown: the quest begins with its requirements again, at once; the step is superseded,
// and its tree stays.
func (m *model) outgrown(prev, q *orchestration.Quest, step string) error {
	s := q.Step(step)
	switch {
	case q.Phase != orchestration.PhaseRequirements || q.Locked || q.Size == orchestration.SizeErrand:
		return fmt.Errorf("an errand grew, and is %s at %s", q.Size, q.Phase)
	case s.Stage != orchestration.StageSuperseded || s.Hold != orchestration.HoldNone || len(s.ReplacedBy) > 0 || q.OpenQuestion(s) != nil:
		return fmt.Errorf("an errand grew, and its step is at %s (%q)", s.Stage, s.Hold)
	case len(q.Changes) != len(prev.Changes)+1 || q.Changes[len(q.Changes)-1].Grew != step:
		return fmt.Errorf("nobody is told why the errand grew: %+v", q.Changes)
	}
	for gate, was := range map[orchestration.Gate]orchestration.Gate{q.GateRequirements: prev.GateRequirements, q.GatePlan: prev.GatePlan} {
		if gate != orchestration.GatePending && gate != was || was == orchestration.GateOff && gate != was {
			return fmt.Errorf("a gate was %s and is %s", was, gate)
		}
	}
	m.verdict[step], m.comment[step], m.hand[step] = false, false, false
	if r := q.Run(q.Step(orchestration.StepRequirements).Run); r.ResumedFrom != "" {
		return fmt.Errorf("the author of a larger quest resumes %s", r.ResumedFrom)
	}
	return newest(q, orchestration.StepRequirements, orchestration.ChaosWhisperer, "")
}

// keepsErrand: the tree of an errand that grew stays until the quest is over.
func keepsErrand(q *orchestration.Quest, t orchestration.Transition) error {
	for _, effect := range t.Effects {
		release, is := effect.(orchestration.ReleaseStep)
		if s := q.Step(orchestration.StepErrand); is && release.Step == orchestration.StepErrand && s.Stage == orchestration.StageSuperseded && len(s.ReplacedBy) == 0 && !q.Over() {
			return fmt.Errorf("the tree of an errand that grew is given up")
		}
	}
	return nil
}

// sizeChosen: the person's size counts.
func (m *model) sizeChosen(prev, q *orchestration.Quest, f orchestration.SizeChosen, t orchestration.Transition) error {
	errand := prev.Step(orchestration.StepErrand)
	switch {
	case t.Empty():
		return nil
	case q.Size != f.Size || q.SizedBy != "":
		return fmt.Errorf("a person chose %s, and it is %s by %q", f.Size, q.Size, q.SizedBy)
	case f.Size == orchestration.SizeErrand:
		return errandBegins(q)
	case prev.Size == orchestration.SizeErrand && errand != nil && anyWork(prev) && errand.Stage != orchestration.StageDone:
		return m.outgrown(prev, q, errand.ID)
	case prev.Size == orchestration.SizeErrand && errand != nil && !anyWork(prev):
		return newest(q, orchestration.StepRequirements, orchestration.ChaosWhisperer, "")
	}
	if prev.Size == orchestration.SizeErrand {
		return nil
	}
	if moved := !slices.Equal(idsOfRuns(prev), idsOfRuns(q)); q.Phase != prev.Phase || moved && len(prev.Merging) == 0 { // what waits to be merged may owe a siege
		return fmt.Errorf("%s after %s moved something", f.Size, prev.Size)
	}
	return nil
}

func idsOfRuns(q *orchestration.Quest) []string {
	var ids []string
	for _, r := range q.OpenRuns() {
		ids = append(ids, r.ID)
	}
	return ids
}

// errandReviewed: the whole work is checked again, and then looked at.
func (m *model) errandReviewed(prev, q *orchestration.Quest) error {
	if prev.Phase != orchestration.PhaseComplete || prev.Delivered != nil || q.Phase != orchestration.PhaseReview {
		return fmt.Errorf("an errand at %s is to be reviewed, and is at %s", prev.Phase, q.Phase)
	}
	m.verdict[orchestration.StepReview] = false
	m.reviewAnew()
	return newest(q, orchestration.StepReview, orchestration.Ward, "")
}

// nothingSkipped: what is done was checked, only an errand is complete without a verdict of
// the review, and a quest is complete only after the sieges that it owes. Data of an older version need not say so.
func nothingSkipped(q *orchestration.Quest) error {
	review := q.Step(orchestration.StepReview)
	if q.Phase == orchestration.PhaseComplete && !review.Verdict && (q.Size != orchestration.SizeErrand || review.Run != "") {
		return fmt.Errorf("the quest is complete and was not reviewed")
	}
	for _, s := range q.Steps.All() {
		if s.Stage == orchestration.StageDone && s.Checked == "" {
			return fmt.Errorf("%s is done and was not checked", s.ID)
		}
		owed := q.SiegeMode() == orchestration.SiegeEnd || !s.Verdict && q.OwesSiege(s)
		if s.Stage == orchestration.StageDone && owed && review.Besieged == "" && q.Phase == orchestration.PhaseComplete {
			return fmt.Errorf("the quest is complete, and %s was not besieged", s.ID)
		}
	}
	return nil
}
