package orchestration_test

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// What the model knows of steps that a person works on, and of skips.

// agentsAgain: what a person did is tested once an agent works on it again.
func (m *model) agentsAgain(q *orchestration.Quest) {
	for _, s := range q.Steps.All() {
		if r := q.Run(s.Run); m.hand[s.ID] && r.Role.Agent() {
			m.hand[s.ID], m.verdict[s.ID] = false, false
		}
	}
}

// takenOver: what the person changes is tested, and somebody builds on the skips before
// this step.
func (m *model) takenOver(q, now *orchestration.Quest, f orchestration.TakeOverPressed) error {
	s := q.Step(f.Step)
	for _, d := range s.DependsOn {
		if q.Step(d).Stage == orchestration.StageSkipped {
			m.late[d] = true
		}
	}
	if s.Stage == orchestration.StageReady { // comments that it would begin with are its retry's
		m.comment[f.Step] = m.comment[f.Step] && !m.born[f.Step]
	}
	return m.withdrawn(q, now, f.Step)
}

// yours: a person has the step; nothing of it runs or is queued, and its files are
// nobody else's.
func yours(q *orchestration.Quest, step string) error {
	s := q.Step(step)
	if s.Hold != orchestration.HoldYours || s.Block == nil || !s.HoldsFiles {
		return fmt.Errorf("%s is not the person's: hold %q, block %+v", step, s.Hold, s.Block)
	}
	for _, r := range q.OpenRuns() {
		if r.Step == step && r.State != orchestration.RunSignalled && r.Stopping == "" {
			return fmt.Errorf("%s is the person's, and %s goes on", step, r.ID)
		}
	}
	return nil
}

// built notes which skips somebody builds on now.
func (m *model) built(q *orchestration.Quest, r *orchestration.Run) {
	for _, s := range q.Steps.All() {
		if s.Stage == orchestration.StageSkipped &&
			(r.Step == orchestration.StepReview && r.Role.Agent() || slices.Contains(q.Step(r.Step).DependsOn, s.ID)) {
			m.late[s.ID] = true
		}
	}
}

// undone: the step begins again when its dependencies let it, and nobody begins
// before it who depends on it. A review was only being checked, and is dropped.
func (m *model) undone(prev, q *orchestration.Quest, f orchestration.SkipUndone) error {
	s := q.Step(f.Step)
	want := orchestration.StageReady
	for _, d := range s.DependsOn {
		if !q.Step(d).Stage.Frees() {
			want = orchestration.StageWaiting
		}
	}
	if q.Baseline == orchestration.BaselinePending && q.Size != orchestration.SizeErrand {
		want = orchestration.StageWaiting
	}
	switch {
	case m.late[f.Step]:
		return fmt.Errorf("the skip of %s was undone, and somebody has built on it", f.Step)
	case prev.Step(f.Step).Stage == orchestration.StageSkipped && s.Stage != want:
		return fmt.Errorf("the skip of %s was undone, and it is at %s, want %s", f.Step, s.Stage, want)
	case q.Phase != orchestration.PhaseSteps:
		return fmt.Errorf("the skip of %s was undone in the phase %s", f.Step, q.Phase)
	}
	for _, other := range q.Steps.All() {
		if slices.Contains(other.DependsOn, f.Step) && other.Stage == orchestration.StageReady {
			return fmt.Errorf("%s is ready, and %s is not done", other.ID, f.Step)
		}
	}
	*m.count(f.Step) = orchestration.Counts{}
	m.verdict[f.Step] = false
	m.comment[f.Step] = m.comment[f.Step] || m.born[f.Step]
	if prev.Phase == orchestration.PhaseReview {
		m.verdict[orchestration.StepReview] = false
	}
	return nil
}
