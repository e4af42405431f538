package agents

import (
	"encoding/json"
	"slices"
	"strings"

	"questboard/orchestration"
)

// PermitTool is the tool by which the agent's program asks whether a call is permitted.
// The model does not see it.
const PermitTool = "permit"

// Refusal answers the agent's program, which asks before a call that nothing allows, and
// before every command of a role that only reads. It says why the role may not make the
// call, and what it may do instead; "": it may. allow is what the person chose for the
// role. What the person forbids, the program refuses without asking.
func Refusal(role orchestration.Role, allow []string, tool string, input json.RawMessage) string {
	reads := RightsOf(role).Commands != nil
	switch {
	case strings.HasPrefix(tool, ToolPrefix) && slices.Contains(MCPTools(), strings.TrimPrefix(tool, ToolPrefix)):
		// A server named quest__x begins alike. The endpoint refuses a tool of another role.
		return ""
	case reads && tool == "Bash":
		var fields map[string]any          // a struct would also read "COMMAND", which the program ignores
		_ = json.Unmarshal(input, &fields) // on an error there is no command
		line, _ := fields["command"].(string)
		return commandRefusal(line, allow)
	case reads && slices.ContainsFunc(allow, func(rule string) bool { return ofServer(rule, tool) }):
		return ""
	}
	may := RightsOf(role)
	if slices.Contains(may.Tools, tool) {
		return "Refused, nothing ran: this call of " + tool + " needs the word of a person, because of where it goes or " +
			"by the person's settings, and nobody is asked here. Do without it, or say in your summary what it was for."
	}
	return "Refused, nothing ran: " + tool + " is not yours. You may use " + listed(slices.Concat(may.Tools, may.Own, allow)) + "."
}

// ofServer reports whether a rule names this tool of an MCP server, or all of that server.
func ofServer(rule, tool string) bool {
	server := strings.TrimSuffix(strings.TrimSuffix(rule, "*"), "__") + "__"
	return strings.HasPrefix(tool, "mcp__") && (rule == tool || strings.HasPrefix(tool, server))
}

// commandRefusal says why a role that only reads may not run this command line; "": it may.
func commandRefusal(line string, allow []string) string {
	why := readsOnly(line, commandRules(allow))
	if why == "" {
		return ""
	}
	text := "Refused, nothing ran: " + why + ". You may run only what reads: " + listed(readingCommands()) +
		"; also several, joined by |, && or ;, and with 2>&1 or >/dev/null."
	if rules := commandRules(allow); len(rules) > 0 {
		text += " The person also allows " + codes(rules) + "."
	}
	return text + " To read a part of a file use Read."
}

// commandRules returns the commands that rules such as Bash(npm view *) allow.
func commandRules(allow []string) []string {
	var all []string
	for _, rule := range allow {
		if uses, is := strings.CutPrefix(rule, "Bash("); is {
			all = append(all, strings.TrimSuffix(uses, ")"))
		}
	}
	return all
}
