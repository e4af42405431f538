package views

import "slices"

// passes is how often everything is drawn to its neighbours; after these it
// hardly moves.
const passes = 4

// place gives every item its height: near to what it is tied to, and never
// over another one of its column.
func (l *layout) place() {
	longest := 0
	for _, layer := range l.layers {
		longest = max(longest, len(layer))
	}
	l.offsets, l.runs = make([]float64, longest), make([]run, 0, longest)
	for _, layer := range l.layers {
		l.placeLayer(layer, func(*item) float64 { return 0 })
	}
	for range passes {
		for _, layer := range l.layers {
			l.placeLayer(layer, func(it *item) float64 { return l.mean(it, it.prev, nil) })
		}
		for _, layer := range slices.Backward(l.layers) {
			l.placeLayer(layer, func(it *item) float64 { return l.mean(it, nil, it.next) })
		}
	}
	for _, layer := range l.layers {
		l.placeLayer(layer, func(it *item) float64 { return l.mean(it, it.prev, it.next) })
	}
	top := 0.0
	for i := range l.items {
		top = min(top, l.items[i].y-l.items[i].half())
	}
	for i := range l.items {
		l.items[i].y += drawEdges - top
	}
}

// mean is the height at which an item's neighbours are, or its own.
func (l *layout) mean(it *item, left, right []int) float64 {
	if len(left)+len(right) == 0 {
		return it.y
	}
	sum := 0.0
	for _, n := range left {
		sum += l.items[n].y
	}
	for _, n := range right {
		sum += l.items[n].y
	}
	return sum / float64(len(left)+len(right))
}

// run is a stretch of a column whose items touch: together they take the mean
// of what they wish.
type run struct {
	wish, weight float64
	items        int
}

// placeLayer moves the items of a column as near to their wishes as their order and
// size allow: the least sum of squares, found by pooling neighbours who would
// overlap.
func (l *layout) placeLayer(layer []int, wish func(*item) float64) {
	offsets, runs := l.offsets[:len(layer)], l.runs[:0]
	for i, id := range layer {
		it := &l.items[id]
		weight := 1.0
		if it.node < 0 {
			weight = 4 // long edges should be straight
		}
		if offsets[i] = 0; i > 0 {
			offsets[i] = offsets[i-1] + apart(&l.items[layer[i-1]], it)
		}
		runs = append(runs, run{wish(it) - offsets[i], weight, 1})
		for n := len(runs); n > 1 && runs[n-1].wish < runs[n-2].wish; n-- {
			a, b := runs[n-2], runs[n-1]
			both := a.weight + b.weight
			runs = append(runs[:n-2], run{(a.wish*a.weight + b.wish*b.weight) / both, both, a.items + b.items})
		}
	}
	i := 0
	for _, r := range runs {
		for range r.items {
			l.items[layer[i]].y = r.wish + offsets[i]
			i++
		}
	}
}

// apart is how far the middles of two items of a column are from each other at
// least.
func apart(a, b *item) float64 {
	if a.node < 0 && b.node < 0 {
		return laneGap
	}
	return a.half() + b.half() + nodeGap
}
