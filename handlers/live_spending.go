package handlers

import (
	"context"

	"questboard/orchestration"
	"questboard/views"
)

// spending renders what the agents at work have used so far, on one kind of page.
func (r *renderer) spending(kind, quest, step string) {
	q, p := r.quest(quest)
	if q == nil {
		return
	}
	switch s := q.Step(step); {
	case kind == "head":
		r.add(views.QuestSpending(p.SpendingNow()))
	case kind == "cost":
		r.add(views.CostNow(p.CostNow()))
	case s != nil && kind == "step" && r.guest == nil:
		r.add(views.StepCostView(p.StepCost(s)))
	case s != nil && kind == "board":
		if words := p.StepSpending(s); words != "" {
			r.add(views.SpendingView(views.Spending{ID: step, Words: words}))
		}
	}
}

// spending returns what a live run of an agent has used so far.
func (p *Pages) spending(q *orchestration.Quest, r *orchestration.Run) orchestration.Spending {
	now, err := p.Quests.Spending(context.Background(), q, r)
	if err != nil { // a page is worth more than the price
		p.Log.Warn("look at what runs cost", "error", err)
	}
	return now
}
