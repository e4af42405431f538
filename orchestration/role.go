package orchestration

import "slices"

// Role says what a run does for its quest. An agent plays every role except Ward, which
// is the project's own check command. Role is a string, because the database, the API
// and the prompts use its id.
type Role string

const (
	// ChaosWhisperer writes the BDD requirements and locks them.
	ChaosWhisperer Role = "chaoswhisperer"
	// PathSeeker finds the files that matter and writes the steps of the plan. It also
	// splits a step again.
	PathSeeker Role = "pathseeker"
	// Codeweaver implements one step with its unit tests.
	Codeweaver Role = "codeweaver"
	// Ward runs the project's check command.
	Ward Role = "ward"
	// Siegemaster tests the edge cases of a step that passed ward.
	Siegemaster Role = "siegemaster"
	// Spiritmender fixes what ward or a reviewer found.
	Spiritmender Role = "spiritmender"
	// Lawbringer reviews the whole work.
	Lawbringer Role = "lawbringer"
)

// roleRow holds everything that the rules know about a role, except when it works: that
// is in route.go (after a signal) and apply_ward.go (after a check).
type roleRow struct {
	role   Role
	name   string       // the display name
	agent  bool         // an agent plays the role
	writes bool         // its runs may change the working tree
	called int          // its place in the list of roles that others may hand over to; 0: not in the list
	sends  []SignalKind // the signals that it may send
	walled bool         // it may ask the user only at a wall of the environment
	tools  []string     // the MCP tools that only this role has
	counts duty         // what the signal complete means for the verdict
}

// duty says what a role's signal complete means for the verdict on its step, provided
// that no other run waits for this one. Zero: the verdict stays as it is.
type duty int

const (
	builds       duty = iota + 1 // a step of the plan has changed: it needs a new verdict
	judgesSteps                  // a step of the plan is good
	judgesReview                 // the review found the whole work good
)

// roles is the table of roles, in the order in which a quest meets them. Two more tables
// hold what only pages and only agents need: handlers/present/roles.go and
// agents/roles.go.
var roles = []roleRow{
	{role: ChaosWhisperer, name: "ChaosWhisperer", agent: true, sends: []SignalKind{Complete, NeedsUserInput},
		tools: []string{"set-size", "set-requirements"}},
	{role: PathSeeker, name: "PathSeeker", agent: true, called: 1, sends: SignalKinds, tools: []string{"plan-steps"}},
	{role: Codeweaver, name: "Codeweaver", agent: true, writes: true, called: 2, sends: SignalKinds, counts: builds},
	// Ward does not count as writing: what a check leaves behind, such as build output,
	// is ignored.
	{role: Ward, name: "Ward"},
	{role: Siegemaster, name: "Siegemaster", agent: true, writes: true, called: 3,
		sends: SignalKinds, walled: true, counts: judgesSteps},
	{role: Spiritmender, name: "Spiritmender", agent: true, writes: true, called: 5, sends: SignalKinds},
	{role: Lawbringer, name: "Lawbringer", agent: true, writes: true, called: 4,
		sends: []SignalKind{Complete, NeedsUserInput, NeedsRoleFollowup}, walled: true, counts: judgesReview},
}

// Roles lists every role, in the order in which a quest meets them.
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

// row returns the role's row. It is empty for an unknown role.
func (r Role) row() roleRow {
	for _, row := range roles {
		if row.role == r {
			return row
		}
	}
	return roleRow{}
}

// Name returns the role's display name, or the id of an unknown role.
func (r Role) Name() string {
	if name := r.row().name; name != "" {
		return name
	}
	return string(r)
}

// Agent reports whether an agent plays the role. That is so for every role but Ward.
func (r Role) Agent() bool { return r.row().agent }

// Writes reports whether a run of this role may change the working tree.
func (r Role) Writes() bool { return r.row().writes }

// Builds reports whether this role does the work of a step. Other roles then test it
// and fix it.
func (r Role) Builds() bool { return r.row().counts == builds }

// Tools returns the MCP tools that only this role has.
func (r Role) Tools() []string { return slices.Clone(r.row().tools) }

// ToolOwner returns the only role that has an MCP tool, or "" if every agent has it.
func ToolOwner(tool string) Role {
	for _, row := range roles {
		if slices.Contains(row.tools, tool) {
			return row.role
		}
	}
	return ""
}

// SignalsOf returns the signals that a role may send.
func SignalsOf(r Role) []SignalKind { return slices.Clone(r.row().sends) }

// SignalsFor returns the signals that a run may send. In the look after the last round of
// a review nobody can be sent to mend.
func (q *Quest) SignalsFor(r *Run) []SignalKind {
	signals := SignalsOf(r.Role)
	if q.Looks(r) && q.OnlyComplete() {
		signals = slices.DeleteFunc(signals, func(k SignalKind) bool { return k == NeedsRoleFollowup })
	}
	return signals
}

// targets lists the roles that an agent may hand over to, in the order in which prompts
// name them.
var targets = slices.SortedFunc(slices.Values(rolesWith(func(row roleRow) bool { return row.called > 0 })),
	func(a, b Role) int { return a.row().called - b.row().called })

// TargetsOf returns the roles that a role may hand over to: all targets but itself.
func TargetsOf(r Role) []Role {
	return slices.DeleteFunc(slices.Clone(targets), func(t Role) bool { return t == r })
}

// judges reports whether this role gives the verdict on the step, with its signal
// complete.
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
