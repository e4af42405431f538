package views

// StepEdit is the form for a step's text and its place in the plan.
type StepEdit struct {
	Frame             Frame
	Quest, QuestTitle string
	ID, Was           string // Was marks the version that the form was made of
	Error             string
	Title             string
	Description       string
	Files             string // one a line
	After             []Choice
	FixedAfter        bool // the step has started: what it waits for cannot change
	Observables       []Choice
	Now               *PlannedStep // what a form that was too late ran into
}
