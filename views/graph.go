package views

// Graph is the plan of a quest, drawn as a graph of dependencies.
type Graph struct {
	Frame         Frame
	Shape         string // identifies the drawing; if it changes, the browser reads the page again
	Width, Height int
	Nodes         []GraphNode // in the order of the plan
	Edges         []GraphEdge // the most important ones last, so that no other covers them
	Focus         string      // the title of the step in focus; empty: none
	Missing       string      // the step in the URL if it does not exist
	WholeURL      string      // without the focus
	Replaced      int         // number of replaced steps
	ReplacedShown bool
	ReplacedURL   string // shows or hides them
	Critical      int    // number of steps on the critical path
	PlanURL       string // the page of the planning, until there is a plan
}

// GraphNode is a step in the graph, and in the list next to it.
type GraphNode struct {
	ID, Title, URL string
	FocusURL       string
	State          State
	Spot           Spot
	Critical       bool
	Dim            bool // no path connects it to the step in focus
	Focused        bool
	After, Blocks  []Link
}

// GraphEdge leads from a step to one that waits for it.
type GraphEdge struct {
	Path          string
	Critical, Dim bool
}
