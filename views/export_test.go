package views

// NaiveCrossings counts the crossings if every column has the order of the plan.
func NaiveCrossings(nodes int, edges [][2]int) int {
	l := newLayout(nodes, edges)
	at := make([]int, len(l.items))
	for _, layer := range l.layers {
		number(at, layer)
	}
	return l.crossings(at)
}
