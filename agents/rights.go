package agents

import (
	"slices"
	"strings"

	"questboard/orchestration"
)

// Rights say what a role may use, besides the user's own choice for it.
type Rights struct {
	// Own are our MCP tools, by the names that the server has for them.
	Own []string
	// Tools are the tools of the agent's program, by our names (see ToolNames).
	Tools []string
	// Commands are examples of what a role may run that only reads; nil: it runs everything.
	Commands []string
}

// MCPTools lists our tools. Every agent sees all of them. The endpoint refuses a call of
// a tool that belongs to another role.
func MCPTools() []string {
	all := []string{"signal-back", "get-quest"}
	for _, role := range orchestration.Roles {
		all = append(all, role.Tools()...)
	}
	return all
}

// RightsOf returns what a role may use.
func RightsOf(role orchestration.Role) Rights {
	r := Rights{
		Own: slices.DeleteFunc(MCPTools(), func(tool string) bool {
			owner := orchestration.ToolOwner(tool)
			return owner != "" && owner != role
		}),
		Tools: []string{"Read", "Glob", "Grep", "Agent"},
	}
	if role.Writes() {
		r.Tools = append(r.Tools, "Edit", "Write", "NotebookEdit", "Bash")
		return r
	}
	r.Commands = []string{
		"git log", "git diff", "git show", "git status", "git blame",
		"ls", "cat", "head", "tail", "wc", "grep", "sort",
	}
	return r
}

// GitVariables return what the git of a role that only reads is told by its environment. A folder
// of the tree can be a bare repository, with a configuration that starts programs. git obeys no
// such folder, starts no monitor, and writes no index.
func GitVariables(role orchestration.Role) map[string]string {
	if role.Writes() {
		return nil
	}
	return map[string]string{
		"GIT_CONFIG_COUNT": "2",
		"GIT_CONFIG_KEY_0": "safe.bareRepository", "GIT_CONFIG_VALUE_0": "explicit",
		"GIT_CONFIG_KEY_1": "core.fsmonitor", "GIT_CONFIG_VALUE_1": "false",
		"GIT_OPTIONAL_LOCKS": "0",
	}
}

// rightsWords tells a role what it may use.
func rightsWords(role orchestration.Role, program string, allow, deny []string) string {
	r := RightsOf(role)
	tools := slices.DeleteFunc(slices.Clone(r.Tools), func(tool string) bool { return slices.Contains(deny, tool) })
	var b strings.Builder
	b.WriteString("You may use the MCP tools " + listed(r.Own))
	if words := toolWords(program, tools); words != "" {
		b.WriteString(", and " + words)
	}
	_, known := rowOf(program)
	switch {
	case r.Commands == nil && !slices.Contains(tools, "Bash"):
		b.WriteString(", and no command.")
	case r.Commands == nil && known:
		b.WriteString(" for every command.")
	case r.Commands == nil:
		b.WriteString(", and every command.")
	case slices.ContainsFunc(allow, func(rule string) bool { return strings.HasPrefix(rule, "Bash") }):
		b.WriteString("; of commands only those that read, such as " + listed(r.Commands) +
			", and what the person allows, as far as the person's own settings leave them.")
	default:
		b.WriteString("; of commands only those that read, such as " + listed(r.Commands) +
			", as far as the person's own settings leave them. So you change nothing, and cannot build, test or run the check.")
	}
	if len(allow) > 0 {
		b.WriteString(" The person also allows " + ruleWords(program, allow) + ".")
	}
	if len(deny) > 0 {
		b.WriteString(" The person forbids " + ruleWords(program, deny) + ".")
	}
	return b.String()
}

// listed lists names in a sentence: `a`, `b` and `c`.
func listed(names []string) string {
	if n := len(names) - 1; n > 0 {
		return codes(names[:n]) + " and " + code(names[n])
	}
	return codes(names)
}
