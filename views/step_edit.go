package views

// StepEdit is the form for a step's text and its dependencies.
type StepEdit struct {
	Frame             Frame
	Quest, QuestTitle string
	ID, Was           string // Was identifies the version that the form was made from
	Error             string
	Title             string
	Description       string
	Files             string // one in each line
	After             []Choice
	FixedAfter        bool // the step has started, so its dependencies cannot change
	Observables       []Choice
	Risks             []Choice
	RiskReason        string
	Now               *PlannedStep // the current step, if it changed while the form was open
}
