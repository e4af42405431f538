package views

import (
	"cmp"
	"slices"
)

// sweeps is how often the columns are sorted at most. Sorting ends earlier after idle
// sweeps without an improvement.
const sweeps, idle = 8, 2

// order sorts the columns, from left to right and back, by the positions of their items'
// neighbours. It keeps the order with the fewest crossings, and returns their number.
func (l *layout) order() int {
	// the position in its column, and the mean of its neighbours' positions
	at, mean := make([]int, len(l.items)), make([]float64, len(l.items))
	for _, layer := range l.layers {
		number(at, layer)
	}
	best, fewest := l.copyLayers(), l.crossings(at)
	for sweep, last := 0, 0; sweep < sweeps && sweep-last <= idle && fewest > 0; sweep++ {
		if sweep%2 == 0 {
			for _, layer := range l.layers {
				l.sort(layer, at, mean, func(it *item) []int { return it.prev })
			}
		} else {
			for _, layer := range slices.Backward(l.layers) {
				l.sort(layer, at, mean, func(it *item) []int { return it.next })
			}
		}
		if n := l.crossings(at); n < fewest {
			best, fewest, last = l.copyLayers(), n, sweep
		}
	}
	l.layers = best
	return fewest
}

func number(at, layer []int) {
	for i, item := range layer {
		at[item] = i
	}
}

func (l *layout) copyLayers() [][]int {
	layers := make([][]int, len(l.layers))
	for i, layer := range l.layers {
		layers[i] = slices.Clone(layer)
	}
	return layers
}

// sort sorts a column by the mean position of the neighbours on one side. Items without
// neighbours stay where they are.
func (l *layout) sort(layer, at []int, mean []float64, side func(*item) []int) {
	for i, item := range layer {
		neighbours := side(&l.items[item])
		if len(neighbours) == 0 {
			mean[item] = float64(i)
			continue
		}
		sum := 0
		for _, n := range neighbours {
			sum += at[n]
		}
		mean[item] = float64(sum) / float64(len(neighbours))
	}
	slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
	number(at, layer)
}

// crossings counts the pairs of edges that cross between two columns: one begins above
// the other and ends below it.
func (l *layout) crossings(at []int) int {
	total := 0
	for i := 0; i+1 < len(l.layers); i++ {
		ended := newTally(len(l.layers[i+1]))
		for _, item := range l.layers[i] {
			next := l.items[item].next
			for _, n := range next {
				total += ended.below(at[n])
			}
			for _, n := range next {
				ended.add(at[n])
			}
		}
	}
	return total
}

// tally counts the positions where edges end. It is a Fenwick tree, so that a plan of a
// thousand steps is counted in a millisecond.
type tally struct {
	sums []int
	all  int
}

func newTally(n int) *tally { return &tally{sums: make([]int, n+1)} }

func (t *tally) add(place int) {
	t.all++
	for i := place + 1; i < len(t.sums); i += i & -i {
		t.sums[i]++
	}
}

// below returns how many edges end further down than place.
func (t *tally) below(place int) int {
	n := t.all
	for i := place + 1; i > 0; i -= i & -i {
		n -= t.sums[i]
	}
	return n
}
