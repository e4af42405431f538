package orchestration

import (
	"fmt"
	"time"
)

// SharedBudgetKind says what a SharedBudget is for.
type SharedBudgetKind string

const (
	SharedBudgetDay    SharedBudgetKind = "day"    // what all quests together may use in a day, in UTC
	SharedBudgetServer SharedBudgetKind = "server" // what all quests together may use
)

// SharedBudget is a budget that the quests of a server share, and what is used of it. It is data
// for Assign: no quest knows it.
type SharedBudget struct {
	Kind   SharedBudgetKind
	Budget Amount
	// Used is what ended runs have used.
	Used Amount
	// Until is when the next day begins; zero: the budget is not that of a day.
	Until time.Time
}

// promised returns what the agents at work may use, of all quests.
func promised(quests []*Quest) (sum Amount) {
	for _, q := range quests {
		sum = sum.Plus(q.Promised())
	}
	return sum
}

// shares returns what the shared budgets leave for one more run while so many slots are free. It is
// false if one of them leaves nothing.
func (p Pool) shares(quests []*Quest, free int) (most Amount, ok bool) {
	for _, shared := range p.SharedBudgets {
		share, left := shared.Budget.share(shared.Used, promised(quests), free)
		if !left {
			return Amount{}, false
		}
		most = most.least(share)
	}
	return most, true
}

// BudgetHolds returns the holds of the shared budgets that leave nothing for one more run of an agent.
func BudgetHolds(budgets []SharedBudget, quests []*Quest) []AccountHold {
	var holds []AccountHold
	for _, p := range budgets {
		if _, left := p.Budget.share(p.Used, promised(quests), 1); !left {
			hold := AccountHold{Kind: HoldBudget, Until: p.Until, Reason: p.words()}
			if p.Budget.Part(p.Used) < Spent {
				hold.Kind, hold.Until = HoldPromised, time.Time{}
			}
			holds = append(holds, hold)
		}
	}
	return holds
}

// words says how the budget is used up, and what to do.
func (p SharedBudget) words() string {
	budget, used := p.Budget.spentWords(p.Used)
	name := map[SharedBudgetKind]string{SharedBudgetDay: "today's budget of " + budget,
		SharedBudgetServer: "the server's budget of " + budget}[p.Kind]
	if p.Budget.Part(p.Used) < Spent {
		return fmt.Sprintf("the runs at work may use all that is left of %s (%s used); raise it in the settings, under Limits, or wait for them",
			name, used)
	}
	if p.Kind == SharedBudgetDay {
		return fmt.Sprintf("%s is spent (%s); raise it in the settings, under Limits, or wait for the next day (UTC)", name, used)
	}
	return fmt.Sprintf("%s is spent (%s); raise it in the settings, under Limits", name, used)
}

// Warning says that a shared budget is nearly spent; "": it is not, or it is spent.
func (p SharedBudget) Warning() string {
	if part := p.Budget.Part(p.Used); part < Warned || part >= Spent {
		return ""
	}
	budget, used := p.Budget.spentWords(p.Used)
	if p.Kind == SharedBudgetDay {
		return fmt.Sprintf("%s of today's budget of %s is spent; at 100 %% no agent starts until the next day (UTC)", used, budget)
	}
	return fmt.Sprintf("%s of the server's budget of %s is spent; at 100 %% no agent starts until it is raised", used, budget)
}

// Ledger is what all quests of a server have used, also those that were deleted.
type Ledger struct {
	Since time.Time `json:"since,omitzero"` // when the first run was entered
	All   Amount    `json:"all"`
	Day   string    `json:"day,omitempty"` // of Today, in UTC, as 2006-01-02
	Today Amount    `json:"today"`
}

const dayForm = "2006-01-02"

// Enter returns the ledger with what a run used. The run counts for the day on which it
// ended.
func (l Ledger) Enter(used Amount, at time.Time) Ledger {
	if l.Since.IsZero() {
		l.Since = at.UTC()
	}
	l.All, l.Today, l.Day = l.All.Plus(used), l.Of(at).Plus(used), at.UTC().Format(dayForm)
	return l
}

// Of returns what was used on a day: today's part, or nothing if the day is another one.
func (l Ledger) Of(at time.Time) Amount {
	if l.Day != at.UTC().Format(dayForm) {
		return Amount{}
	}
	return l.Today
}

// SharedBudgets returns the shared budgets of a server at a time; none where there is no budget.
func (l Ledger) SharedBudgets(day, server Amount, at time.Time) []SharedBudget {
	var budgets []SharedBudget
	if day != (Amount{}) {
		next := at.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
		budgets = append(budgets, SharedBudget{Kind: SharedBudgetDay, Budget: day, Used: l.Of(at), Until: next})
	}
	if server != (Amount{}) {
		budgets = append(budgets, SharedBudget{Kind: SharedBudgetServer, Budget: server, Used: l.All})
	}
	return budgets
}
