package store

import (
	"fmt"

	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// change is everything that one commit does to one quest: its transitions joined into
// one.
type change struct {
	before                 int64 // the version that must be in the database
	quest                  *orchestration.Quest
	plan, requirements     bool
	whole                  [4]bool
	steps, runs, questions set
	events                 []orchestration.Event
}

// set is a set of row indexes in the order in which they were added.
type set struct {
	order []int
	known map[int]bool
}

func (s *set) add(indexes []int) {
	if s.known == nil {
		s.known = make(map[int]bool, len(indexes))
	}
	for _, i := range indexes {
		if !s.known[i] {
			s.known[i] = true
			s.order = append(s.order, i)
		}
	}
}

// merge joins the transitions of each quest, in the order in which the quests
// first appear. Transitions that change nothing are left out.
func merge(transitions []orchestration.Transition) ([]*change, error) {
	var changes []*change
	byQuest := map[string]*change{}
	for _, t := range transitions {
		if t.Empty() {
			continue
		}
		c := byQuest[t.Quest.ID]
		switch {
		case c == nil:
			c = &change{before: t.Before}
			byQuest[t.Quest.ID] = c
			changes = append(changes, c)
		case c.quest.Version != t.Before:
			return nil, fmt.Errorf("commit quest %s: version %d follows %d: %w", t.Quest.ID, t.Before, c.quest.Version, engine.ErrStale)
		}
		c.add(t)
	}
	return changes, nil
}

func (c *change) add(t orchestration.Transition) {
	c.quest = t.Quest
	c.plan = c.plan || t.Changed.Plan
	c.requirements = c.requirements || t.Changed.Requirements
	for _, i := range t.Changed.Whole {
		c.whole[i] = true
	}
	if t.Changed.Plan {
		c.steps = set{} // the new plan lists all its steps; older indexes may be gone
	}
	c.steps.add(t.Changed.Steps)
	c.runs.add(t.Changed.Runs)
	c.questions.add(t.Changed.Questions)
	c.events = append(c.events, t.Events...)
}
