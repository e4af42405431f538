package views

// Graph is the plan of a quest as a picture of what waits for what.
type Graph struct {
	Frame         Frame
	Head          QuestHead
	Shape         string // of the picture: another one, and the page is read again
	Width, Height int
	Nodes         []GraphNode // in the order of the plan
	Edges         []GraphEdge // those that must not be hidden last
	Focus         string      // the title of the step that the picture is about; empty: all
	Missing       string      // the step in the URL that there is none of
	WholeURL      string      // without the focus
	Replaced      int         // steps that were replaced
	ReplacedShown bool
	ReplacedURL   string // shows or hides them
	Critical      int    // steps on the critical path
	PlanURL       string // where the plan comes from, while there is none
}

// GraphNode is a step in the picture, and in the list beside it.
type GraphNode struct {
	ID, Title, URL string
	FocusURL       string
	State          State
	Spot           Spot
	Critical       bool
	Dim            bool // not tied to the step in focus
	Focused        bool
	After, Blocks  []Link
}

// GraphEdge leads from a step to one that waits for it.
type GraphEdge struct {
	Path          string
	Critical, Dim bool
}
