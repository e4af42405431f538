package present

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"

	"questboard/orchestration"
	"questboard/views"
	"questboard/web/paths"
)

// Graph draws the plan. focus is the id of a step, or "". all includes replaced steps.
func (p *Quest) Graph(focus string, all bool) views.Graph {
	g := views.Graph{Shape: p.GraphShape(), Nodes: p.GraphNodes(all), ReplacedShown: all,
		PlanURL: p.Site.Step(p.q.ID, orchestration.StepPlan)}
	at := make(map[string]int, len(g.Nodes))
	for i, n := range g.Nodes {
		at[n.ID] = i
		if n.Critical {
			g.Critical++
		}
	}
	if _, known := at[focus]; !known && focus != "" {
		g.Missing, focus = clean(focus), ""
	}
	for _, s := range p.q.Steps.All() {
		if s.Stage == orchestration.StageSuperseded {
			g.Replaced++
		}
	}
	g.WholeURL, g.ReplacedURL = graphURL(p.q.ID, "", all), graphURL(p.q.ID, focus, !all)
	edges := p.tie(&g, at)
	if focus != "" {
		g.Focus = g.Nodes[at[focus]].Title
		dim(&g, edges, at[focus])
	}
	d := views.Draw(len(g.Nodes), edges)
	g.Width, g.Height = d.Width, d.Height
	for i := range g.Nodes {
		g.Nodes[i].Spot = d.Spots[i]
	}
	critical := p.critical()
	for i, e := range edges {
		from, to := &g.Nodes[e[0]], &g.Nodes[e[1]]
		next, on := critical[from.ID]
		g.Edges = append(g.Edges, views.GraphEdge{Path: d.Paths[i], Dim: from.Dim || to.Dim, Critical: on && next == to.ID})
	}
	slices.SortStableFunc(g.Edges, func(a, b views.GraphEdge) int { return cmp.Compare(prominence(a), prominence(b)) })
	return g
}

func prominence(e views.GraphEdge) int {
	n := 0
	if e.Critical {
		n++
	}
	if !e.Dim {
		n += 2
	}
	return n
}

// graphURL is the address of the graph with a focus, or "", and with or without replaced
// steps.
func graphURL(quest, focus string, all bool) string {
	query, hash := url.Values{}, ""
	if focus != "" {
		query.Set("focus", focus)
		hash = "#node-" + url.PathEscape(focus)
	}
	if all {
		query.Set("all", "1")
	}
	if len(query) == 0 {
		return paths.Graph(quest)
	}
	return paths.Graph(quest) + "?" + query.Encode() + hash
}

// GraphNodes are the steps as nodes, without their positions.
func (p *Quest) GraphNodes(all bool) []views.GraphNode {
	critical := p.critical()
	var nodes []views.GraphNode
	for _, s := range p.q.Steps.All() {
		if s.Stage == orchestration.StageSuperseded && !all {
			continue
		}
		state, _ := p.state(s)
		_, on := critical[s.ID]
		nodes = append(nodes, views.GraphNode{ID: s.ID, Title: StepTitle(s), URL: p.Site.Step(p.q.ID, s.ID), State: state, Critical: on,
			FocusURL: graphURL(p.q.ID, s.ID, all && s.Stage == orchestration.StageSuperseded)})
	}
	return nodes
}

// critical maps each step of the critical path to the next one.
func (p *Quest) critical() map[string]string {
	path := p.q.CriticalPath()
	next := make(map[string]string, len(path))
	for i, id := range path {
		next[id] = ""
		if i > 0 {
			next[path[i-1]] = id
		}
	}
	return next
}

// tie returns the edges between the nodes, and adds to each node the names of its
// neighbours.
func (p *Quest) tie(g *views.Graph, at map[string]int) [][2]int {
	var edges [][2]int
	for i := range g.Nodes {
		for _, d := range p.q.Step(g.Nodes[i].ID).DependsOn {
			from, shown := at[d]
			if !shown {
				continue
			}
			edges = append(edges, [2]int{from, i})
			g.Nodes[i].After = append(g.Nodes[i].After, p.Link(d))
			g.Nodes[from].Blocks = append(g.Nodes[from].Blocks, p.Link(g.Nodes[i].ID))
		}
	}
	return edges
}

// dim dims the nodes that neither precede nor follow the node in focus.
func dim(g *views.Graph, edges [][2]int, focus int) {
	tied := make([]bool, len(g.Nodes))
	for side := range 2 { // first what it waits for, then what waits for it
		beside := make([][]int, len(g.Nodes))
		for _, e := range edges {
			beside[e[1-side]] = append(beside[e[1-side]], e[side])
		}
		seen := map[int]bool{focus: true}
		for open := []int{focus}; len(open) > 0; open = open[1:] {
			tied[open[0]] = true
			for _, n := range beside[open[0]] {
				if !seen[n] {
					seen[n] = true
					open = append(open, n)
				}
			}
		}
	}
	for i := range g.Nodes {
		g.Nodes[i].Dim = !tied[i]
	}
	g.Nodes[focus].Focused = true
}

// GraphShape identifies the drawing: its steps, their dependencies and the critical path.
// While it stays the same, the page need not be drawn again.
func (p *Quest) GraphShape() string {
	sum := fnv.New64a()
	critical := p.critical()
	for _, s := range p.q.Steps.All() {
		_, on := critical[s.ID]
		fmt.Fprintln(sum, s.ID, s.Title, s.DependsOn, s.Stage == orchestration.StageSuperseded, on)
	}
	return fmt.Sprintf("%x", sum.Sum64())
}
