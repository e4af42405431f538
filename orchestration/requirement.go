package orchestration

// Requirement is one BDD requirement: given Context, when Trigger (optional), then
// Observables. ChaosWhisperer writes it. It is locked when ChaosWhisperer completes or,
// with a gate, when the user approves.
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
