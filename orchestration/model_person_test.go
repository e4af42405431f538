package orchestration_test

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// besideOthers: in one folder nobody takes a step over while another one may change its
// files, or while a check must run alone.
func besideOthers(q *orchestration.Quest, step string) error {
	for _, r := range q.OpenRuns() {
		other := q.Step(r.Step)
		if q.Workspace == orchestration.WorkspaceShared && other.ID != step && r.Live() && (r.Alone || overlap(other.Files, q.Step(step).Files)) {
			return fmt.Errorf("%s was taken over beside %s (%s)", step, r.ID, r.Role)
		}
	}
	return nil
}

// people: a check that runs while a person has another step is beside them.
func (m *model) people(q *orchestration.Quest) {
	for _, s := range q.Steps.All() {
		for _, r := range q.OpenRuns() {
			if s.Hold == orchestration.HoldYours && r.Step != s.ID && r.Live() && r.Role == orchestration.Ward {
				m.beside[r.ID] = true
			}
		}
	}
}

// withdrawn: nobody says any more that the step is done. If a person had said so and
// nobody had built it, it is given back to who builds it, and not to a check of nothing.
func (m *model) withdrawn(before, q *orchestration.Quest, step string) error {
	hand := m.hand[step]
	m.hand[step], m.verdict[step] = false, false
	for _, r := range before.Runs.All() {
		if r.Step == step && (r.Role == orchestration.Codeweaver || r.Role == orchestration.Spiritmender) {
			return nil
		}
	}
	if !hand {
		return nil
	}
	if m.born[step] {
		m.comment[step] = false // they go to who builds it
	}
	if l := q.Step(step).Block.Retry; l.Role == orchestration.Ward {
		return fmt.Errorf("nobody has built %s, and given back it is only checked", step)
	}
	return nil
}

// prepared: a person gets a tree of their own, if the steps have them.
func prepared(q *orchestration.Quest, step string, t orchestration.Transition) error {
	if q.Workspace == orchestration.WorkspaceWorktree && !slices.Contains(t.Effects, orchestration.Effect(orchestration.PrepareStep{Step: step})) {
		return fmt.Errorf("%s was taken over, and nobody makes its tree", step)
	}
	return nil
}
