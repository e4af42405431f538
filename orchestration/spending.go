package orchestration

import (
	"fmt"
	"slices"
	"time"
)

// Told is what the output of a run at work has told so far of what it uses. It is known only
// to the server that reads the output: it is not part of the quest, and counts against no
// budget.
type Told struct {
	Model  string // of the agent's own last message; "": not told
	Tokens Tokens // programs tell what an agent writes late, some only at the end
	// Context is how many tokens the conversation has; 0: not told.
	Context int64
	// SessionCost, Counted and Seen are those of Exit, from the result or, if the program tells
	// the cost earlier, from there. A SessionCost of 0 is not told.
	SessionCost   float64
	Counted, Seen int64
}

// Paid is what an ended run of a model has used. A USD of 0 is no price.
type Paid struct {
	Model  string
	USD    float64
	Tokens Tokens
}

// PaidMost is how many ended runs of each model are looked at: the newest.
const PaidMost = 100

// Rate is what the tokens of a model have cost in its ended runs.
type Rate struct {
	Runs int     // how many ended runs are known; those without a price count
	USD  float64 // the median of those with a price, for a token of weight 1; 0: none had one
}

// weight makes tokens of several kinds comparable. Programs tell one price for all tokens of
// a run, so what the kinds cost in proportion to each other is taken from the usual price
// lists. The Rate, not the weight, says how much that is.
func (t Tokens) weight() float64 {
	return float64(t.Input) + 5*float64(t.Output) + float64(t.CacheRead)/10 + 1.25*float64(t.CacheWrite)
}

// RatesOf returns the rate of each model that has ended runs with tokens.
func RatesOf(paid []Paid) map[string]Rate {
	rates, prices := map[string]Rate{}, map[string][]float64{}
	for _, p := range paid {
		weight := p.Tokens.weight()
		if p.Model == "" || weight <= 0 {
			continue
		}
		rate := rates[p.Model]
		rate.Runs++
		rates[p.Model] = rate
		if p.USD > 0 {
			prices[p.Model] = append(prices[p.Model], p.USD/weight)
		}
	}
	for model, each := range prices {
		rate := rates[model]
		rate.USD = median(each)
		rates[model] = rate
	}
	return rates
}

// PriceKind says how the price of a run at work is known.
type PriceKind string

const (
	PriceUnknown PriceKind = "unknown" // nothing is told, and no run of the model has ended
	PriceNone    PriceKind = "none"    // its model's ended runs have tokens and no price
	PriceAbout   PriceKind = "about"   // by the price of the model's ended runs
	PriceTold    PriceKind = "told"    // by its own output
)

// PriceKinds lists all kinds, the least known first.
var PriceKinds = []PriceKind{PriceUnknown, PriceNone, PriceAbout, PriceTold}

// Spending is what runs at work have used so far, as far as it is known.
type Spending struct {
	Runs   int
	Tokens Tokens
	// Context is how many tokens the conversation has; 0: not told, or of several runs.
	Context int64
	Price   PriceKind
	USD     float64 // 0 unless Price is PriceAbout or PriceTold
}

// Spending returns what a live run of an agent has used so far. rates are those of RatesOf.
func (q *Quest) Spending(r *Run, told Told, rates map[string]Rate) Spending {
	s := Spending{Runs: 1, Tokens: told.Tokens, Context: told.Context, Price: PriceUnknown}
	rate := rates[told.Model]
	switch {
	case told.SessionCost > 0:
		s.Price, s.USD = PriceTold, q.costOf(r, Exit{SessionCost: told.SessionCost, Counted: told.Counted, Seen: told.Seen})
	case rate.USD > 0 && told.Tokens.All() > 0:
		s.Price, s.USD = PriceAbout, told.Tokens.weight()*rate.USD
	case rate.Runs > 0 && rate.USD == 0:
		s.Price = PriceNone
	}
	return s
}

// Plus adds what other runs use. The sum is known as well as the less known of the two.
func (s Spending) Plus(o Spending) Spending {
	if s.Runs == 0 {
		return o
	}
	sum := Spending{Runs: s.Runs + o.Runs, Price: s.Price, USD: s.USD + o.USD, Tokens: Tokens{Input: s.Tokens.Input + o.Tokens.Input,
		Output: s.Tokens.Output + o.Tokens.Output, CacheRead: s.Tokens.CacheRead + o.Tokens.CacheRead,
		CacheWrite: s.Tokens.CacheWrite + o.Tokens.CacheWrite}}
	if slices.Index(PriceKinds, o.Price) < slices.Index(PriceKinds, s.Price) {
		sum.Price = o.Price
	}
	if sum.Price == PriceUnknown || sum.Price == PriceNone {
		sum.USD = 0
	}
	return sum
}

// Dollars is the price in words; "": it is not known.
func (s Spending) Dollars() string {
	switch s.Price {
	case PriceAbout:
		return "about " + DollarWords(s.USD)
	case PriceTold:
		return DollarWords(s.USD)
	case PriceNone:
		return "no price told"
	default:
		return ""
	}
}

// Words says what is known.
func (s Spending) Words() string {
	words, price := "no tokens told yet", s.Dollars()
	switch {
	case s.Tokens.All() > 0:
		words = TokenWords(s.Tokens.All()) + " tokens"
	case s.Context > 0:
		words = TokenWords(s.Context) + " tokens in its conversation"
	case s.Price == PriceNone:
		return words
	}
	if price == "" {
		return words
	}
	return fmt.Sprintf("%s, %s", words, price)
}

// CostSince is what the runs of these quests cost that ended at a time or later, in US dollars.
func CostSince(quests []*Quest, since time.Time) (usd float64) {
	for _, q := range quests {
		for _, r := range q.Runs.All() {
			if !r.EndedAt.Before(since) {
				usd += r.CostUSD
			}
		}
	}
	return usd
}
