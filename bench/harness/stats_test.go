package harness_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// The intervals are those of a bootstrap over pairs: pairs are drawn again with all their seeds, because plays of
// one pair resemble each other more than plays of two.
const resamples = 2000

// rate is a share with its 95 % interval, in percent or in points.
type rate struct{ is, low, high float64 }

func (r rate) String() string { return fmt.Sprintf("%.1f (%.1f to %.1f)", r.is, r.low, r.high) }

// points writes a difference, with its sign.
func (r rate) points() string { return fmt.Sprintf("%+.1f (%+.1f to %+.1f)", r.is, r.low, r.high) }

// outcomes says by way, pair and seed whether both features pass.
type outcomes map[string]map[string]map[uint64]bool

func (o outcomes) add(pl play, pass bool) {
	if o[pl.Arm] == nil {
		o[pl.Arm] = map[string]map[uint64]bool{}
	}
	if o[pl.Arm][pl.Pair] == nil {
		o[pl.Arm][pl.Pair] = map[uint64]bool{}
	}
	o[pl.Arm][pl.Pair][pl.Seed] = pass
}

func (r results) outcomes() outcomes {
	o := outcomes{}
	for pl, x := range r.plays {
		o.add(pl, x.pass())
	}
	return o
}

// rate is the share of an arm's plays in which both features pass.
func (o outcomes) rate(arm string) rate {
	return bootstrap(o[arm], func(pair string) (sum float64, n int) {
		for _, pass := range o[arm][pair] {
			if n++; pass {
				sum += 100
			}
		}
		return sum, n
	})
}

// difference is the rate of an arm less that of another, in points, over the plays that both have.
func (o outcomes) difference(arm, beside string) (d rate, plays int) {
	d = bootstrap(o[arm], func(pair string) (sum float64, n int) {
		for seed, pass := range o[arm][pair] {
			other, both := o[beside][pair][seed]
			if !both {
				continue
			}
			n++
			if pass {
				sum += 100
			}
			if other {
				sum -= 100
			}
		}
		return sum, n
	})
	for pair, seeds := range o[arm] {
		for seed := range seeds {
			if _, both := o[beside][pair][seed]; both {
				plays++
			}
		}
	}
	return d, plays
}

func bootstrap(pairs map[string]map[uint64]bool, of func(pair string) (sum float64, n int)) rate {
	names := slices.Sorted(maps.Keys(pairs))
	if len(names) == 0 {
		return rate{}
	}
	sums, counts := make([]float64, len(names)), make([]int, len(names))
	for i, name := range names {
		sums[i], counts[i] = of(name)
	}
	mean := func(pick func(i int) int) float64 {
		sum, n := 0.0, 0
		for i := range names {
			sum, n = sum+sums[pick(i)], n+counts[pick(i)]
		}
		return sum / float64(max(n, 1))
	}
	random := rand.New(rand.NewPCG(1, 2))
	again := make([]float64, resamples)
	for i := range again {
		again[i] = mean(func(int) int { return random.IntN(len(names)) })
	}
	slices.Sort(again)
	return rate{mean(func(i int) int { return i }), again[resamples/40], again[resamples-1-resamples/40]}
}

// The outcomes are stored beside the pairs: a line for each arm and pair, a sign for each seed.
const (
	passes = '+'
	fails  = '-'
)

func (o outcomes) text() string {
	var b strings.Builder
	for _, a := range arms() {
		for _, pair := range slices.Sorted(maps.Keys(o[a.name])) {
			fmt.Fprintf(&b, "%s: %s ", a.name, pair)
			for seed := range uint64(len(o[a.name][pair])) {
				if o[a.name][pair][seed] {
					b.WriteRune(passes)
				} else {
					b.WriteRune(fails)
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func readOutcomes(text string) (outcomes, error) {
	o := outcomes{}
	for line := range strings.Lines(text) {
		arm, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		pair, signs, is := strings.Cut(rest, " ")
		if !is {
			return nil, fmt.Errorf("%q is no outcome", line)
		}
		for seed, sign := range signs {
			if sign != passes && sign != fails {
				return nil, fmt.Errorf("%q is no outcome", line)
			}
			o.add(play{arm, pair, uint64(seed)}, sign == passes)
		}
	}
	return o, nil
}
