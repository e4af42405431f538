package present

import "questboard/orchestration"

// atWork returns the live runs of agents of a step, or with nil of the quest. A visitor who
// does not see the cost gets none.
func (p *Quest) atWork(s *orchestration.Step) (runs []*orchestration.Run) {
	if !p.showsCost() {
		return nil
	}
	for _, r := range p.q.OpenRuns() {
		if r.Live() && r.Role.Agent() && (s == nil || s.ID == r.Step) {
			runs = append(runs, r)
		}
	}
	return runs
}

func (p *Quest) spending(s *orchestration.Step) (sum orchestration.Spending) {
	for _, r := range p.atWork(s) {
		sum = sum.Plus(p.View.Spending(p.q, r))
	}
	return sum
}

// StepSpending says what the agent at work on a step has used so far; "": none is.
func (p *Quest) StepSpending(s *orchestration.Step) string {
	if now := p.spending(s); now.Runs > 0 {
		return now.Words()
	}
	return ""
}

// unsaid keeps the place of a figure that is not known yet.
const unsaid = "\u00a0"

// SpendingNow says what the agents at work have used so far. Until they tell it, it is unsaid;
// "": the quest is over, or this visitor does not see the cost.
func (p *Quest) SpendingNow() string {
	now := p.spending(nil)
	switch {
	case now.Tokens.All()+now.Context > 0 || now.Price == orchestration.PriceTold:
		return "now " + now.Words()
	case p.showsCost() && !p.q.Over():
		return unsaid
	default:
		return ""
	}
}

// CostNow says on the page of costs what the agents at work have used so far; "": none is.
func (p *Quest) CostNow() string {
	now := p.spending(nil)
	if now.Runs == 0 {
		return ""
	}
	return "At work: " + now.Words() + ". It counts when the runs end."
}
