package views

// Prompt is what the agent of a run was told.
type Prompt struct {
	Run  string // "Codeweaver, run 3"; empty: no agent has worked on the step
	None string // why there is no prompt to show
	// System is what was added to the system prompt of the agent's program; may be empty.
	System, Message string
	Cut             bool // one of them is longer than is shown
	// Diff is what the user's own text for the role changed; nil: nothing.
	Diff    *DiffFile
	Role    Link   // the role's settings
	Began   *Link  // a resumed session: the run that began it, which has the whole task
	Forked  *Link  // a session that began with a copy of another conversation: whose run's
	TextURL string // all as plain text
	Runs    []Link // the agents' runs of the step, newest first
}
