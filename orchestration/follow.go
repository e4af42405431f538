package orchestration

// Former is what a follow-up quest knows of the quest before it. It is a copy, because
// that quest may be deleted.
type Former struct {
	Quest        string        `json:"quest"` // its id
	Title        string        `json:"title"`
	Request      string        `json:"request"`
	Changes      []string      `json:"changes,omitempty"` // what the user changed later, oldest first
	Requirements []Requirement `json:"requirements,omitempty"`
	Steps        []FormerStep  `json:"steps,omitempty"`
}

// FormerStep is a step of the quest before, and what became of it.
type FormerStep struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Stage  Stage  `json:"stage"`
	Reason string `json:"reason,omitempty"` // skipped: the user's words
}

// MayFollowUp says why no follow-up of the quest can begin now; nil means that one can.
func (q *Quest) MayFollowUp() error {
	switch {
	case q.Damaged():
		return q.readable()
	case !q.Over():
		return conflict("the quest is not over: change its requirements instead")
	}
	return nil
}

// FollowUp returns the request for a quest that goes on where this one ended. Its base
// is the branch that has the result: the quest's own or, once it is delivered, the one
// that it was delivered to.
func (q *Quest) FollowUp(request, title string) NewQuest {
	n := q.settings()
	n.Title, n.Request, n.Former = title, request, q.asFormer()
	if q.Workspace == WorkspaceWorktree {
		n.Branch, _ = q.Branches()
	}
	if q.Delivered != nil {
		n.Branch = q.Delivered.Branch
	}
	return n
}

// Duplicate returns the request for a quest that is asked the same again, from the same
// base. It knows nothing of this one.
func (q *Quest) Duplicate() NewQuest {
	n := q.settings()
	n.Request, n.Size = q.Request, q.Size
	if !q.Untitled {
		n.Title = q.Title
	}
	if q.Workspace == WorkspaceWorktree {
		n.Branch = q.Branch
	}
	if q.SizedBy != "" { // an agent chose it
		n.Size = SizeAuto
	}
	return n
}

// settings returns what a new quest takes over from this one.
func (q *Quest) settings() NewQuest {
	n := NewQuest{Repo: q.Repo, Ward: q.Ward, Workspace: q.Workspace, Agent: q.Agent, Programs: q.Programs, Slots: q.Slots,
		Priority: q.Priority, BudgetUSD: q.BudgetUSD, BudgetTokens: q.BudgetTokens, BudgetTime: q.BudgetTime, Limits: q.Limits,
		ApproveReqs: q.GateRequirements != GateOff, ApprovePlan: q.GatePlan != GateOff,
		Siege: q.Siege, Asks: q.Asks, Workplace: Workplace{Labels: q.Workplace.Labels}}
	if q.File != nil { // what came from the repository's file is read from there again
		if n.Ward == q.File.Check {
			n.Ward = ""
		}
		n.Limits = n.Limits.Without(q.File.Limits)
	}
	return n
}

func (q *Quest) asFormer() *Former {
	f := &Former{Quest: q.ID, Title: q.Title, Request: q.Request, Requirements: copyRequirements(q.Requirements)}
	for _, c := range q.Wishes() {
		f.Changes = append(f.Changes, c.Text)
	}
	for _, s := range q.Steps.All() {
		if s.Stage != StageSuperseded {
			f.Steps = append(f.Steps, FormerStep{ID: s.ID, Title: s.Title, Stage: s.Stage, Reason: s.Reason})
		}
	}
	return f
}
