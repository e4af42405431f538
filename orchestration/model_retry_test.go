package orchestration_test

import (
	"fmt"
	"slices"

	"questboard/orchestration"
)

// retriedBeside: a Retry of a quest-wide step whose set-up failed is for all such.
func (m *model) retriedBeside(prev, q *orchestration.Quest, step string) error {
	failed := func(id string) bool {
		s := prev.Step(id)
		return slices.Contains(orchestration.QuestWideSteps, id) && s.Block != nil && s.Block.Kind == orchestration.BlockSetup
	}
	for _, id := range orchestration.QuestWideSteps {
		if id == step || !failed(step) || !failed(id) {
			continue
		}
		*m.count(id) = orchestration.Counts{}
		if err := newest(q, id, prev.Step(id).Block.Retry.Role, prev.Step(id).Block.Retry.ReturnTo); err != nil {
			return err
		}
	}
	return nil
}

// instructed: what the user wrote beside Retry is kept, and the run that follows is
// told it.
func instructed(before *orchestration.Step, q *orchestration.Quest, f orchestration.RetryPressed) error {
	s := q.Step(f.Step)
	if f.Instructions == "" {
		if len(s.Instructions) != len(before.Instructions) {
			return fmt.Errorf("%s: instructions come from nowhere", s.ID)
		}
		return nil
	}
	told, _ := q.InstructionsFor(q.Run(s.Run))
	if len(s.Instructions) != len(before.Instructions)+1 || len(told) == 0 || told[len(told)-1].Text != f.Instructions {
		return fmt.Errorf("%s: %q is not kept (%+v) or not told (%+v)", s.ID, f.Instructions, s.Instructions, told)
	}
	return nil
}
