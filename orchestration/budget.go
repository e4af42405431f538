package orchestration

import "fmt"

// limits returns the quest's limits with the defaults filled in.
func (q *Quest) limits() Limits { return q.Limits.Or(DefaultLimits) }

// EffectiveLimits returns the limits that count, Runs included.
func (q *Quest) EffectiveLimits() Limits {
	l := q.limits()
	l.Runs = q.maxRuns()
	return l
}

// Or returns the limits with every zero taken from others: a server's for new
// quests, or the defaults.
func (l Limits) Or(others Limits) Limits {
	for _, f := range []struct{ have, other *int }{
		{&l.Crash, &others.Crash}, {&l.Stuck, &others.Stuck}, {&l.Nudge, &others.Nudge}, {&l.Infra, &others.Infra},
		{&l.Partial, &others.Partial}, {&l.Ward, &others.Ward}, {&l.Depth, &others.Depth},
		{&l.Followups, &others.Followups}, {&l.Runs, &others.Runs},
	} {
		if *f.have == 0 {
			*f.have = *f.other
		}
	}
	return l
}

func (q *Quest) backoff() Backoff {
	b := q.Backoff
	if b.First <= 0 {
		return DefaultBackoff
	}
	b.Max = max(b.Max, b.First) // a maximum that was forgotten must not mean no wait at all
	return b
}

// maxRuns is the limit of runs: the user's, or the larger of 500 and twenty
// for every step of the first plan.
func (q *Quest) maxRuns() int {
	if q.Limits.Runs > 0 {
		return q.Limits.Runs
	}
	return max(500, 20*q.FirstPlan)
}

// spent says which limit of the quest is used up, or nil.
func (q *Quest) spent() *Wait {
	switch {
	case q.BudgetUSD > 0 && q.CostUSD >= q.BudgetUSD:
		return &Wait{Kind: WaitBudget, Reason: fmt.Sprintf("the budget of $%.2f is spent ($%.2f); raise it to go on", q.BudgetUSD, q.CostUSD)}
	case q.started() >= q.maxRuns():
		return &Wait{Kind: WaitRuns, Reason: fmt.Sprintf("%d runs were started, and %d are allowed; raise the limit of runs to go on", q.started(), q.maxRuns())}
	default:
		return nil
	}
}

// limitSpending lets the quest wait when a limit is used up, where it does not
// wait for something else anyway.
func (e *edit) limitSpending() {
	if e.q.Wait != nil {
		return
	}
	if w := e.q.spent(); w != nil {
		e.wait(w.Kind, w.Reason)
	}
}

// started counts the runs that ever had a slot, those in the queue aside.
func (q *Quest) started() int {
	n := q.Runs.Len()
	for _, r := range q.OpenRuns() {
		if r.State == RunQueued {
			n--
		}
	}
	return n
}

// charge books what a run cost. The CLI's figure is cumulative over a session,
// so a run's own cost is what it adds to the session's last known figure.
func (e *edit) charge(f RunExited) {
	r := e.run(f.Run)
	before := 0.0
	if r.ResumedFrom != "" {
		before = e.q.Run(r.ResumedFrom).SessionCost
	}
	r.SessionCost = max(before, f.Exit.SessionCost)
	r.CostUSD = r.SessionCost - before
	e.q.CostUSD += r.CostUSD
	budget := e.q.BudgetUSD
	if budget <= 0 || e.q.Over() {
		return
	}
	if e.q.CostUSD >= 0.8*budget && !e.q.BudgetWarned {
		e.q.BudgetWarned = true
		e.event(EventQuestWarned, "", "", "why", fmt.Sprintf("$%.2f of the budget of $%.2f is spent", e.q.CostUSD, budget))
	}
	e.limitSpending()
}
