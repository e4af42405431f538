package signalback

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"questboard/agents"
	"questboard/orchestration"
)

// permit answers the agent's program in its own form.
func (e *endpoint) permit(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := callerFrom(ctx)
	var call struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"input"`
	}
	no := "Refused, nothing ran: the question cannot be read."
	if c.over() {
		no = "Refused, nothing ran: this run is over; stop now."
	} else if err := json.Unmarshal(req.Params.RawArguments, &call); err == nil && call.Tool != "" && len(call.Input) > 0 {
		no = e.refusal(ctx, c, call.Tool, call.Input)
	}
	if no != "" {
		return mcp.NewToolResultText(encode(map[string]any{"behavior": "deny", "message": no})), nil
	}
	return mcp.NewToolResultText(encode(map[string]any{"behavior": "allow", "updatedInput": call.Input})), nil
}

// refusal says why a call may not be made now; "": it may. A role that
// only reads runs what reads, so no person is asked about anything else.
func (e *endpoint) refusal(ctx context.Context, c caller, tool string, input json.RawMessage) string {
	allow, _ := e.quests.ToolsOf(c.run)
	rules, dir := e.quests.AsksOf(c.quest, c.run)
	asks := agents.AsksAbout(rules, dir, tool, input)
	no := agents.Refusal(c.run.Role, allow, tool, input)
	reads := tool == "Bash" && agents.RightsOf(c.run.Role).Commands != nil
	switch {
	case reads && no != "":
		return no
	case len(asks.Rules) == 0 && no != "" && asks.Doubt != "":
		return asks.Doubt
	case len(asks.Rules) == 0:
		return no
	case asks.Text == "":
		return agents.TooLong
	}
	call := orchestration.Call{Tool: tool, Text: asks.Text, Rules: asks.Rules}
	q, err := e.quests.Submit(ctx, c.quest.ID, string(c.run.Role), orchestration.PermissionAsked{Run: c.run.ID, Call: call})
	words, _ := agents.PermitWords(q, c.run.ID, call, err)
	return words
}
