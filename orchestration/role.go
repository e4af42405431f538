package orchestration

import "slices"

// Role says what a run does for its quest. Ward is the project's own check
// command and no agent; every other role is one. A string type, because it is
// stored and spoken over every wire.
type Role string

const (
	// ChaosWhisperer writes the BDD requirements and locks them.
	ChaosWhisperer Role = "chaoswhisperer"
	// PathSeeker maps files and writes steps; it also re-splits a step.
	PathSeeker Role = "pathseeker"
	// Codeweaver implements one step with its unit tests.
	Codeweaver Role = "codeweaver"
	// Ward runs the project's check command.
	Ward Role = "ward"
	// Siegemaster tests the edges of a step that passed ward.
	Siegemaster Role = "siegemaster"
	// Spiritmender mends what ward or a reviewer found.
	Spiritmender Role = "spiritmender"
	// Lawbringer reviews the whole work.
	Lawbringer Role = "lawbringer"
)

// roleRow is all that the rules know of a role. Which role works when is in
// the rules themselves: route.go for signals, apply_ward.go for the check.
type roleRow struct {
	role   Role
	name   string       // what people call it
	agent  bool         // an agent plays it
	writes bool         // its runs may change the working tree
	called int          // its place among those that may be handed to; 0: it may not
	sends  []SignalKind // the signals that it may send
	tool   string       // the MCP tool that is this role's alone; "": none
	counts duty         // what its complete counts for
}

// duty is what a role's complete counts for in its own step, where nobody waits
// for the run. The complete of any other role changes no verdict.
type duty int

const (
	builds       duty = iota + 1 // a step of the plan: it has no verdict any more
	judgesSteps                  // a step of the plan: it is good
	judgesReview                 // the review: the whole is good
)

// roles is the one table of roles, in the order of a quest's life. Pages and
// agents have a table each for what they add: handlers/present/roles.go and
// agents/roles.go.
var roles = []roleRow{
	{role: ChaosWhisperer, name: "ChaosWhisperer", agent: true, sends: []SignalKind{Complete, NeedsUserInput}, tool: "set-requirements"},
	{role: PathSeeker, name: "PathSeeker", agent: true, called: 1, sends: SignalKinds, tool: "plan-steps"},
	{role: Codeweaver, name: "Codeweaver", agent: true, writes: true, called: 2, sends: SignalKinds, counts: builds},
	// What the check leaves behind (build output) is ignored, so Ward writes nothing.
	{role: Ward, name: "Ward"},
	{role: Siegemaster, name: "Siegemaster", agent: true, writes: true, called: 3,
		sends: []SignalKind{Complete, PartiallyComplete, NeedsRoleFollowup}, counts: judgesSteps},
	{role: Spiritmender, name: "Spiritmender", agent: true, writes: true, called: 5, sends: SignalKinds},
	{role: Lawbringer, name: "Lawbringer", agent: true, writes: true, called: 4,
		sends: []SignalKind{Complete, NeedsRoleFollowup}, counts: judgesReview},
}

// Roles lists every role in the order of a quest's life.
var Roles = rolesWith(func(roleRow) bool { return true })

func rolesWith(has func(roleRow) bool) []Role {
	var list []Role
	for _, row := range roles {
		if has(row) {
			list = append(list, row.role)
		}
	}
	return list
}

// row is empty for a role that nobody knows.
func (r Role) row() roleRow {
	for _, row := range roles {
		if row.role == r {
			return row
		}
	}
	return roleRow{}
}

// Name is the role's display name. An unknown role is called by its id.
func (r Role) Name() string {
	if name := r.row().name; name != "" {
		return name
	}
	return string(r)
}

// Agent reports whether the role is played by an agent, that is, not by ward.
func (r Role) Agent() bool { return r.row().agent }

// Writes reports whether a run of this role may change the working tree.
func (r Role) Writes() bool { return r.row().writes }

// Builds reports whether this role does the work of a step, which others then
// test and mend.
func (r Role) Builds() bool { return r.row().counts == builds }

// Tool returns the MCP tool that is this role's alone, or "".
func (r Role) Tool() string { return r.row().tool }

// ToolOwner returns the one role that an MCP tool is for, or "": every agent has it.
func ToolOwner(tool string) Role {
	for _, row := range roles {
		if row.tool == tool && tool != "" {
			return row.role
		}
	}
	return ""
}

// SignalsOf returns the signals that a role may send.
func SignalsOf(r Role) []SignalKind { return slices.Clone(r.row().sends) }

// targets lists the roles that a hand-over may ask for, in the order in which
// agents are told of them.
var targets = slices.SortedFunc(slices.Values(rolesWith(func(row roleRow) bool { return row.called > 0 })),
	func(a, b Role) int { return a.row().called - b.row().called })

// TargetsOf returns the roles that a role may ask for: all but itself.
func TargetsOf(r Role) []Role {
	return slices.DeleteFunc(slices.Clone(targets), func(t Role) bool { return t == r })
}

// judges reports whether the role's own complete is the verdict on a step.
func (r Role) judges(s *Step) bool {
	switch r.row().counts {
	case judgesSteps:
		return !s.Whole()
	case judgesReview:
		return s.ID == StepReview
	case builds:
	}
	return false
}
