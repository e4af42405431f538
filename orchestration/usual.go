package orchestration

import (
	"slices"
	"time"
)

// Usual is what complete quests of one size took on this server.
type Usual struct {
	Quests int           // how many are known
	Took   time.Duration // the median from their beginning to their end
	Cost   Price
	Step   Price // what a quest cost for each step that it did
}

// Price is what quests cost, in USD. Those that cost nothing do not count: their agents work
// for a subscription, or tell no cost.
type Price struct {
	Quests int // how many count
	USD    float64
	P90USD float64 // nine of ten cost no more; of fewer than ten, none
}

// usualNeeds is how many quests say what is usual.
const usualNeeds = 3

// Known reports whether there are enough quests to say what is usual.
func (u Usual) Known() bool { return u.Quests >= usualNeeds }

// Known reports whether there are enough quests to say what is usual.
func (p Price) Known() bool { return p.Quests >= usualNeeds }

// Few reports whether P90USD is what the dearest quest cost, because one of ten is none.
func (p Price) Few() bool { return p.Quests < 10 }

// Planned returns what a quest with so many steps usually costs. It is not known without steps.
func (u Usual) Planned(steps int) Price {
	if steps <= 0 {
		return Price{}
	}
	n := float64(steps)
	return Price{Quests: u.Step.Quests, USD: n * u.Step.USD, P90USD: n * u.Step.P90USD}
}

// Past is what one complete quest took.
type Past struct {
	Size    Size
	Took    time.Duration
	CostUSD float64
	Steps   int // of the plan that were done, as Planned counts them
}

// PastMost is how many complete quests of each size are looked at: the newest.
const PastMost = 100

// UsualOf returns what is usual for each size.
func UsualOf(past []Past) map[Size]Usual {
	usual := map[Size]Usual{}
	for _, size := range Sizes {
		var took []time.Duration
		var cost, step []float64
		for _, p := range past {
			if p.Size != size {
				continue
			}
			took = append(took, p.Took)
			if p.CostUSD > 0 {
				cost = append(cost, p.CostUSD)
			}
			if p.CostUSD > 0 && p.Steps > 0 {
				step = append(step, p.CostUSD/float64(p.Steps))
			}
		}
		if len(took) > 0 {
			usual[size] = Usual{Quests: len(took), Took: median(took), Cost: priceOf(cost), Step: priceOf(step)}
		}
	}
	return usual
}

func priceOf(usd []float64) Price {
	if len(usd) == 0 {
		return Price{}
	}
	return Price{Quests: len(usd), USD: median(usd), P90USD: p90(usd)}
}

// p90 returns the smallest value that nine of ten do not exceed. It sorts the values.
func p90(values []float64) float64 {
	slices.Sort(values)
	return values[(9*len(values)+9)/10-1]
}

// median returns the middle value; of two, the mean.
func median[T time.Duration | float64](values []T) T {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
