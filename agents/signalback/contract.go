package signalback

import (
	"strings"

	"questboard/agents"
	"questboard/orchestration"
)

// contract says who a run is and what it may do. The first message said it, too, but a
// compaction may have lost that.
type contract struct {
	Role       orchestration.Role         `json:"role"`
	StepID     string                     `json:"stepId"`
	Signals    []orchestration.SignalKind `json:"signals"`
	HandOverTo []orchestration.Role       `json:"handOverTo,omitempty"`
	// Evidence lists the observables for which its complete needs evidence.
	Evidence []orchestration.Observable `json:"evidenceFor,omitempty"`
	MCPTools []string                   `json:"mcpTools"`
	Tools    []string                   `json:"tools"`
	Commands string                     `json:"commands"`
	// Allowed and Forbidden are the user's changes.
	Allowed   []string `json:"allowedToo,omitempty"`
	Forbidden []string `json:"forbidden,omitempty"`
}

func (e *endpoint) contract(c caller) string {
	may := agents.RightsOf(c.run.Role)
	out := contract{
		Role: c.run.Role, StepID: c.run.Step, Signals: orchestration.SignalsOf(c.run.Role), Evidence: c.quest.ToProve(c.run),
		MCPTools: may.Own, Tools: may.Tools, Commands: "every command",
	}
	out.Allowed, out.Forbidden = e.quests.ToolsOf(c.run.Role)
	if may.Commands != nil {
		out.Commands = "only those that read, such as " + strings.Join(may.Commands, ", ")
	}
	for _, kind := range out.Signals {
		if kind == orchestration.NeedsRoleFollowup {
			out.HandOverTo = orchestration.TargetsOf(c.run.Role)
		}
	}
	if c.quest.Looks(c.run) && c.quest.OnlyComplete() {
		out.Signals, out.HandOverTo = []orchestration.SignalKind{orchestration.Complete}, nil
	}
	return encode(out)
}
