package views

import "strconv"

// Drawing has the positions of the nodes of a graph, and the paths of its edges.
type Drawing struct {
	Width, Height int
	Spots         []Spot   // by node: its upper left corner
	Paths         []string // by edge, as SVG paths; "" for an edge that would lead back
	Crossings     int      // how many pairs of edges cross; only tests read it
}

// Spot is a position in a drawing, in pixels.
type Spot struct{ X, Y int }

// Measures of a drawing, in pixels.
const (
	NodeWidth, NodeHeight = 212, 54

	layerGap  = 52 // between columns, where edges bend
	nodeGap   = 16 // above and below a node
	laneGap   = 8  // between edges that pass a column
	drawEdges = 12 // margin around the drawing
)

// Draw lays a graph out from left to right with the method of Sugiyama, Tagawa and Toda:
// every node is to the right of all nodes that it depends on; an edge that passes columns
// gets a lane in each; the columns are sorted so that few edges cross; then every node is
// moved close to its neighbours. The same graph always gives the same drawing.
func Draw(nodes int, edges [][2]int) Drawing {
	l := newLayout(nodes, edges)
	d := Drawing{Spots: make([]Spot, nodes), Paths: make([]string, len(edges)), Crossings: l.order()}
	l.place()
	for i := range l.items {
		it := &l.items[i]
		if it.node >= 0 {
			d.Spots[it.node] = Spot{X: it.x(), Y: round(it.y) - NodeHeight/2}
		}
		d.Width, d.Height = max(d.Width, it.x()+NodeWidth+drawEdges), max(d.Height, round(it.y+it.half())+drawEdges)
	}
	for e := range edges {
		d.Paths[e] = l.path(e)
	}
	return d
}

// item is an entry of a column: a node, or the lane of a passing edge.
type item struct {
	node       int // -1 for a lane
	layer      int
	prev, next []int // its neighbours in the columns to the left and right
	y          float64
}

func (it *item) x() int { return drawEdges + it.layer*(NodeWidth+layerGap) }

// half is half the height that an item needs.
func (it *item) half() float64 {
	if it.node < 0 {
		return 0
	}
	return NodeHeight / 2
}

// layout is an unfinished drawing. The first items are the nodes.
type layout struct {
	items  []item
	layers [][]int // items, from top to bottom
	routes [][]int // by edge: the items that it passes; nil: it leads back

	// Buffers of placeLayer: how far each item is from the first one if all touch, and
	// the runs of items that do touch.
	offsets []float64
	runs    []run
}

func newLayout(nodes int, edges [][2]int) *layout {
	l := &layout{items: make([]item, nodes), routes: make([][]int, len(edges))}
	for n, layer := range columnsOf(nodes, edges) {
		l.items[n] = item{node: n, layer: layer}
	}
	lanes := make([][]int, nodes) // of each node, by column, shared by all its edges
	for e, edge := range edges {
		from, to := edge[0], edge[1]
		if l.items[from].layer >= l.items[to].layer {
			continue
		}
		first := l.items[from].layer + 1
		route := []int{from}
		for layer := first; layer < l.items[to].layer; layer++ {
			if layer-first == len(lanes[from]) {
				lanes[from] = append(lanes[from], len(l.items))
				l.items = append(l.items, item{node: -1, layer: layer})
				l.tie(route[len(route)-1], len(l.items)-1)
			}
			route = append(route, lanes[from][layer-first])
		}
		l.tie(route[len(route)-1], to)
		l.routes[e] = append(route, to)
	}
	for i, it := range l.items {
		for it.layer >= len(l.layers) {
			l.layers = append(l.layers, nil)
		}
		l.layers[it.layer] = append(l.layers[it.layer], i)
	}
	return l
}

func (l *layout) tie(left, right int) {
	l.items[left].next = append(l.items[left].next, right)
	l.items[right].prev = append(l.items[right].prev, left)
}

// columnsOf puts every node one column to the right of the last node that it depends on.
// No plan has cycles; nodes on a cycle stay where they were found.
func columnsOf(nodes int, edges [][2]int) []int {
	columns, open := make([]int, nodes), make([]int, nodes)
	after := make([][]int, nodes)
	for _, e := range edges {
		after[e[0]] = append(after[e[0]], e[1])
		open[e[1]]++
	}
	var free []int
	for n := range nodes {
		if open[n] == 0 {
			free = append(free, n)
		}
	}
	for len(free) > 0 {
		n := free[0]
		free = free[1:]
		for _, m := range after[n] {
			columns[m] = max(columns[m], columns[n]+1)
			if open[m]--; open[m] == 0 {
				free = append(free, m)
			}
		}
	}
	return columns
}

// path draws an edge: straight through its lanes, bent between the columns.
func (l *layout) path(edge int) string {
	p := make([]byte, 0, 64*len(l.routes[edge]))
	put := func(command string, numbers ...int) {
		p = append(p, command...)
		for i, n := range numbers {
			if i > 0 {
				p = append(p, ' ')
			}
			p = strconv.AppendInt(p, int64(n), 10)
		}
	}
	for i, at := range l.routes[edge] {
		it := &l.items[at]
		x, y := it.x(), round(it.y)
		if i == 0 {
			put("M", x+NodeWidth, y)
			continue
		}
		if before := round(l.items[l.routes[edge][i-1]].y); before == y {
			put("H", x)
		} else {
			put("C", x-layerGap/2, before, x-layerGap/2, y, x, y)
		}
		if it.node < 0 {
			put("H", x+NodeWidth)
		}
	}
	return string(p)
}

func round(y float64) int { return int(y + 0.5) }
