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
	MostUSD float64       // nine of ten cost no more
	// StepUSD and StepMostUSD are the same of what a quest cost for each step that it did;
	// 0: none of them had a step.
	StepUSD, StepMostUSD float64
}

// Planned returns what a quest with so many steps costs usually, and at most in nine of
// ten; false: that is not known.
func (u Usual) Planned(steps int) (usd, most float64, known bool) {
	n := float64(steps)
	return n * u.StepUSD, n * u.StepMostUSD, u.Known() && steps > 0 && u.StepUSD > 0
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
			if p.Size == size {
				took, cost = append(took, p.Took), append(cost, p.CostUSD)
				if p.Steps > 0 {
					step = append(step, p.CostUSD/float64(p.Steps))
				}
			}
		}
		if len(took) > 0 {
			usual[size] = Usual{Quests: len(took), Took: median(took), CostUSD: median(cost), MostUSD: ninth(cost)}
			if len(step) >= usualNeeds {
				u := usual[size]
				u.StepUSD, u.StepMostUSD = median(step), ninth(step)
				usual[size] = u
			}
		}
	}
	return usual
}

// ninth returns the smallest value that nine of ten do not exceed. It sorts the values.
func ninth(values []float64) float64 {
	slices.Sort(values)
	return values[(9*len(values)+9)/10-1]
}

// median returns the middle value; of two, the mean.
func median[T time.Duration | float64](values []T) T {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
