package handlers

import (
	"context"
	"slices"

	"questboard/orchestration"
)

// duringMost bounds how many quests that are over are looked into.
const duringMost = 500

// during are the quests that may have worked in a time: those that go on, and
// those that ended after it began.
func (p *Pages) during(ctx context.Context, w window) ([]*orchestration.Quest, error) {
	if w.quest != nil {
		return []*orchestration.Quest{w.quest}, nil
	}
	quests := p.Quests.Active()
	over, err := p.Quests.Ended(ctx, orchestration.EndedFilter{Since: w.from, N: duringMost})
	if err != nil {
		return nil, err
	}
	for _, e := range over {
		q, err := p.Quests.Quest(ctx, e.ID)
		if orchestration.CodeOf(err) == orchestration.CodeNotFound {
			continue // deleted just now
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(quests, func(known *orchestration.Quest) bool { return known.ID == q.ID }) {
			quests = append(quests, q)
		}
	}
	// One that ended before says that there is an earlier time to look at.
	earlier, err := p.Quests.Ended(ctx, orchestration.EndedFilter{Skip: len(over), N: 1})
	for _, e := range earlier {
		quests = append(quests, e.Quest)
	}
	return quests, err
}
