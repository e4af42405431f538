package orchestration_test

import (
	"math"
	"testing"

	"questboard/orchestration"
)

// docs/state-machine.md#what-agents-at-work-use: the price of a model is the median of its
// ended runs here.
func TestTheRateOfAModelIsTheMedianOfItsEndedRuns(t *testing.T) {
	t.Parallel()
	rates := orchestration.RatesOf([]orchestration.Paid{
		{Model: "opus", USD: 1, Tokens: orchestration.Tokens{Input: 1000}},
		{Model: "opus", USD: 2, Tokens: orchestration.Tokens{Output: 200}},                       // as much as 1000 that are read
		{Model: "opus", USD: 90, Tokens: orchestration.Tokens{CacheRead: 5000, CacheWrite: 400}}, // 500 and 500
		{Model: "opus", Tokens: orchestration.Tokens{Input: 1}},                                  // told no price
		{Model: "opus", USD: 7}, // told no tokens
		{Model: "free", Tokens: orchestration.Tokens{Input: 1}},
		{USD: 3, Tokens: orchestration.Tokens{Input: 1}}, // of an older version: the model is not known
	})
	if len(rates) != 2 || rates["opus"].Runs != 4 || math.Abs(rates["opus"].USD-0.002) > 1e-12 || rates["free"] != (orchestration.Rate{Runs: 1}) {
		t.Errorf("rates %+v", rates)
	}
}

func TestWhatARunAtWorkUsesIsSaidAsFarAsItIsKnown(t *testing.T) {
	t.Parallel()
	p := withBudget(t, orchestration.Amount{}, "a")
	p.grant()
	r := p.newestOf("a")
	rates := map[string]orchestration.Rate{"opus": {Runs: 1, USD: 1e-5}, "free": {Runs: 1}}
	read := orchestration.Tokens{Input: 12_000, CacheRead: 20_000}
	for _, c := range []struct {
		told orchestration.Told
		want string
	}{
		{orchestration.Told{}, "no tokens told yet"},
		{orchestration.Told{Context: 12_000}, "12 k tokens in its conversation"},
		{orchestration.Told{Model: "new", Tokens: read}, "32 k tokens"},
		{orchestration.Told{Model: "free", Tokens: read}, "32 k tokens, no price told"},
		{orchestration.Told{Model: "free"}, "no tokens told yet"},
		{orchestration.Told{Model: "opus"}, "no tokens told yet"},
		{orchestration.Told{Model: "opus", Tokens: read}, "32 k tokens, about $0.14"},
		{orchestration.Told{Model: "opus", Tokens: read, SessionCost: 0.2}, "32 k tokens, $0.20"},
	} {
		if got := p.q.Spending(r, c.told, rates).Words(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.told, got, c.want)
		}
	}
}

// The result of a resumed session may tell the cost of the whole conversation.
func TestTheCostThatARunAtWorkTellsIsItsOwn(t *testing.T) {
	t.Parallel()
	p := withBudget(t, orchestration.Amount{}, "a")
	p.grant()
	p.do(orchestration.RunExited{Run: p.newestOf("a").ID, End: orchestration.EndInterrupted, Exit: orchestration.Exit{SessionCost: 0.5}})
	p.grant()
	if now := p.q.Spending(p.newestOf("a"), orchestration.Told{SessionCost: 0.75}, nil); now.USD != 0.25 || now.Price != orchestration.PriceTold {
		t.Errorf("it tells %+v, want $0.25", now)
	}
}

func TestTheSumOfRunsAtWorkIsKnownAsWellAsTheLeastKnown(t *testing.T) {
	t.Parallel()
	told := orchestration.Spending{Runs: 1, Tokens: orchestration.Tokens{Input: 10_000}, Price: orchestration.PriceTold, USD: 1}
	about := orchestration.Spending{Runs: 1, Tokens: orchestration.Tokens{Output: 10_000}, Price: orchestration.PriceAbout, USD: 2}
	unknown := orchestration.Spending{Runs: 1, Price: orchestration.PriceUnknown}
	var none orchestration.Spending
	for want, sum := range map[string]orchestration.Spending{
		"10 k tokens, $1.00":       none.Plus(told),
		"20 k tokens, about $3.00": told.Plus(about),
		"20 k tokens":              about.Plus(told).Plus(unknown),
	} {
		if got := sum.Words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
