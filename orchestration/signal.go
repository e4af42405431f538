package orchestration

// SignalKind names one of the four signals of the MCP tool signal-back.
type SignalKind string

const (
	// Complete: the run did its job.
	Complete SignalKind = "complete"
	// PartiallyComplete: the context window is exhausted; a fresh session goes on.
	PartiallyComplete SignalKind = "partially-complete"
	// NeedsUserInput: only the human can decide; the answer resumes the session.
	NeedsUserInput SignalKind = "needs-user-input"
	// NeedsRoleFollowup: another role must act first (or instead).
	NeedsRoleFollowup SignalKind = "needs-role-followup"
)

// SignalKinds lists the four signals in the order of workflow-plan.md.
var SignalKinds = []SignalKind{Complete, PartiallyComplete, NeedsUserInput, NeedsRoleFollowup}

// Signal is the payload of one call of signal-back, as sent. Which fields a
// kind needs is listed in workflow-plan.md and enforced by Apply; the MCP
// endpoint has already refused unknown fields and fields of other kinds.
type Signal struct {
	Kind   SignalKind `json:"signal"`
	StepID string     `json:"stepId"`

	Summary           string `json:"summary,omitempty"`
	Progress          string `json:"progress,omitempty"`
	ContinuationPoint string `json:"continuationPoint,omitempty"`
	Question          string `json:"question,omitempty"`
	Context           string `json:"context,omitempty"`
	TargetRole        Role   `json:"targetRole,omitempty"`
	Reason            string `json:"reason,omitempty"`
	// Resume is sent with needs-role-followup only; nil means it was left out.
	Resume *bool `json:"resume,omitempty"`
}
