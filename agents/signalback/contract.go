package signalback

import (
	"slices"
	"strings"

	"questboard/agents"
	"questboard/orchestration"
)

// contract says who a run is and what it may do. The first message said it, too, but a
// compaction may have lost that.
type contract struct {
	Role    orchestration.Role         `json:"role"`
	StepID  string                     `json:"stepId"`
	Signals []orchestration.SignalKind `json:"signals"`
	// Walls are the only things about which it may ask the user; empty: it may ask anything.
	Walls      []orchestration.Wall `json:"walls,omitempty"`
	HandOverTo []orchestration.Role `json:"handOverTo,omitempty"`
	// Evidence lists the observables for which its complete needs evidence.
	Evidence []orchestration.Observable `json:"evidenceFor,omitempty"`
	MCPTools []string                   `json:"mcpTools"`
	// Tools are those of its program, by the names that its model has for them; none: nobody
	// knows them.
	Tools    []string `json:"tools,omitempty"`
	Commands string   `json:"commands"`
	// Allowed and Forbidden are the user's changes.
	Allowed   []string `json:"allowedToo,omitempty"`
	Forbidden []string `json:"forbidden,omitempty"`
}

func (e *endpoint) contract(c caller) string {
	may := agents.RightsOf(c.run.Role)
	out := contract{
		Role: c.run.Role, StepID: c.run.Step, Signals: c.quest.SignalsFor(c.run), Evidence: c.quest.ToProve(c.run),
		MCPTools: may.Own, Commands: "every command",
	}
	out.Allowed, out.Forbidden = e.quests.ToolsOf(c.run)
	out.Tools = agents.ToolNames(c.run.Agent, slices.DeleteFunc(may.Tools,
		func(tool string) bool { return slices.Contains(out.Forbidden, tool) }))
	if may.Commands != nil {
		out.Commands = "only those that read, such as " + strings.Join(may.Commands, ", ")
	}
	if slices.Contains(out.Signals, orchestration.NeedsRoleFollowup) {
		out.HandOverTo = orchestration.TargetsOf(c.run.Role)
	}
	if c.run.Role.AsksAtWallsAlone() {
		out.Walls = orchestration.Walls
	}
	return encode(out)
}
