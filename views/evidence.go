package views

// EvidenceOf is what the page about a quest's evidence shows.
type EvidenceOf struct {
	Frame        Frame
	Counts       string // how many observables are proven; "": there are none
	Requirements []Requirement
	GateURL      string // of the step that writes the requirements
	Review       string // rounds and findings, counted
	Findings     []string
}
