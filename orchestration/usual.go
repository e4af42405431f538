package orchestration

import (
	"slices"
	"time"
)

// Usual is what complete quests of one size took on this server.
type Usual struct {
	Quests  int           // how many are known
	Took    time.Duration // the median from their beginning to their end
	CostUSD float64       // the median of their cost
}

// usualNeeds is how many quests say what is usual.
const usualNeeds = 3

// Known reports whether there are enough quests to say what is usual.
func (u Usual) Known() bool { return u.Quests >= usualNeeds }

// Past is what one complete quest took.
type Past struct {
	Size    Size
	Took    time.Duration
	CostUSD float64
}

// PastMost is how many complete quests of each size are looked at: the newest.
const PastMost = 100

// UsualOf returns what is usual for each size.
func UsualOf(past []Past) map[Size]Usual {
	usual := map[Size]Usual{}
	for _, size := range Sizes {
		var took []time.Duration
		var cost []float64
		for _, p := range past {
			if p.Size == size {
				took, cost = append(took, p.Took), append(cost, p.CostUSD)
			}
		}
		if len(took) > 0 {
			usual[size] = Usual{Quests: len(took), Took: median(took), CostUSD: median(cost)}
		}
	}
	return usual
}

// median returns the middle value; of two, the mean.
func median[T time.Duration | float64](values []T) T {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
