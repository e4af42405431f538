package views

import "slices"

// passes is how often all items are moved towards their neighbours. After that they
// hardly move.
const passes = 4

// place gives every item its height: close to its neighbours, without overlapping another
// item of its column.
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

// mean is the mean height of an item's neighbours, or its own height.
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

// run is a group of neighbours in a column that touch. It stands at the mean of their
// wishes.
type run struct {
	wish, weight float64
	items        int
}

// placeLayer moves the items of a column as close to their wishes as their order and size
// allow. It minimises the sum of squares by merging neighbours that would overlap.
func (l *layout) placeLayer(layer []int, wish func(*item) float64) {
	offsets, runs := l.offsets[:len(layer)], l.runs[:0]
	for i, id := range layer {
		it := &l.items[id]
		weight := 1.0
		if it.node < 0 {
			weight = 4 // so that long edges are straight
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

// apart is the least distance between the middles of two neighbours in a column.
func apart(a, b *item) float64 {
	if a.node < 0 && b.node < 0 {
		return laneGap
	}
	return a.half() + b.half() + nodeGap
}
