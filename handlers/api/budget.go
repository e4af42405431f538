package api

import (
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// amountJSON is what agents use, or may use. As a budget, null has no limit.
type amountJSON struct {
	USD    *float64 `json:"usd"`
	Tokens *int64   `json:"tokens"`
	Hours  *float64 `json:"hours"`
}

// presentAmount writes what is not set as null.
func presentAmount(a orchestration.Amount) amountJSON {
	return amountJSON{USD: orNull(a.USD), Tokens: orNull(a.Tokens), Hours: orNull(a.Time.Hours())}
}

// usedJSON is what agents have used.
type usedJSON struct {
	USD    float64 `json:"usd"`
	Tokens int64   `json:"tokens"`
	Hours  float64 `json:"hours"`
}

func presentUsed(a orchestration.Amount) usedJSON { return usedJSON{a.USD, a.Tokens, a.Time.Hours()} }

// ledgerJSON is what all quests have used. since is null until the first run has ended.
type ledgerJSON struct {
	Since *time.Time `json:"since"`
	All   usedJSON   `json:"all"`
	Today usedJSON   `json:"today"`
}

func presentLedger(l orchestration.Ledger, now time.Time) ledgerJSON {
	return ledgerJSON{Since: instant(l.Since), All: presentUsed(l.All), Today: presentUsed(l.Of(now))}
}

// budgetJSON are the fields of a budget. 0 means no limit; a field that is left out keeps
// its value.
type budgetJSON struct {
	BudgetUSD    *float64 `json:"budgetUsd"`
	BudgetTokens *int64   `json:"budgetTokens"`
	BudgetHours  *float64 `json:"budgetHours"`
}

// over returns the budget with the given fields in place of those of now.
func (b budgetJSON) over(now orchestration.Amount, wrong *checks) orchestration.Amount {
	given := amountJSON{b.BudgetUSD, b.BudgetTokens, b.BudgetHours}
	return given.over(now, [3]string{"budgetUsd", "budgetTokens", "budgetHours"}, wrong)
}

// over returns the amount with the given measures in place of those of now. names are the
// names of the fields, for faults.
func (a *amountJSON) over(now orchestration.Amount, names [3]string, wrong *checks) orchestration.Amount {
	if a == nil {
		return now
	}
	put(&now.USD, a.USD)
	put(&now.Tokens, a.Tokens)
	if a.Hours != nil {
		now.Time = -1 // what cannot be a duration is told as a fault
		if *a.Hours >= 0 && *a.Hours <= orchestration.MostTime.Hours() {
			now.Time = orchestration.OfHours(*a.Hours)
		}
	}
	for i, measure := range []string{"usd", "tokens", "time"} {
		if why := now.Faults()[measure]; why != "" {
			wrong.add(names[i], "must be %s", why)
		}
	}
	return now
}

// shared returns the budgets of all quests together with the given measures. 0 removes one.
func shared(now record.Budgets, day, server *amountJSON, wrong *checks) record.Budgets {
	now.Day = day.over(now.Day, [3]string{"dayBudget.usd", "dayBudget.tokens", "dayBudget.hours"}, wrong)
	now.Server = server.over(now.Server, [3]string{"serverBudget.usd", "serverBudget.tokens", "serverBudget.hours"}, wrong)
	return now
}
