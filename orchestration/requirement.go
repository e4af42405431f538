package orchestration

// Requirement is one BDD requirement: given Context, when Trigger (optional),
// then Observables. Written by ChaosWhisperer, locked when it completes (or
// when the user approves, where the gate is on).
type Requirement struct {
	ID          string       `json:"id"`
	Context     string       `json:"context"`
	Trigger     string       `json:"trigger,omitempty"`
	Observables []Observable `json:"observables"`
}

// Observable is one thing that can be seen when a requirement holds.
type Observable struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}
