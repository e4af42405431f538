package api

import (
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
)

// asksJSON says before which calls a quest asks a person, and how long such a question waits;
// "": for ever.
type asksJSON struct {
	Rules   []string `json:"rules"`
	Timeout string   `json:"timeout"`
}

func presentAsks(a orchestration.Asks) asksJSON {
	out := asksJSON{Rules: list(a.Rules)}
	if a.Timeout > 0 {
		out.Timeout = record.ShortDuration(a.Timeout)
	}
	return out
}

// allowanceJSON is a rule that a person allowed after a call was denied; step is null if it
// holds in the whole quest.
type allowanceJSON struct {
	Rule string  `json:"rule"`
	Step *string `json:"step"`
}

func presentAllowances(of []orchestration.Allowance) []allowanceJSON {
	out := make([]allowanceJSON, len(of))
	for i, a := range of {
		out[i] = allowanceJSON{a.Rule, orNull(a.Step)}
	}
	return out
}

// allowancesOf returns those that an edit leaves; nil: it leaves all.
func allowancesOf(in *[]allowanceJSON) *[]orchestration.Allowance {
	if in == nil {
		return nil
	}
	left := make([]orchestration.Allowance, len(*in))
	for i, a := range *in {
		left[i].Rule = a.Rule
		put(&left[i].Step, a.Step)
	}
	return &left
}

// asksOf returns what an edit makes of the quest's asks; nil: it leaves them.
func asksOf(rules *[]string, timeout *string, now orchestration.Asks, wrong *checks) *orchestration.Asks {
	if rules == nil && timeout == nil {
		return nil
	}
	put(&now.Rules, rules)
	if timeout != nil {
		now.Timeout = 0
		if d, err := time.ParseDuration(*timeout); *timeout != "" && (err != nil || d <= 0) {
			wrong.add("askTimeout", "must be a time such as 2h or 45m, or empty")
		} else {
			now.Timeout = d
		}
	}
	for field, why := range now.Faults() {
		wrong.add(field, "%s", why)
	}
	return &now
}
