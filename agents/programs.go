package agents

import (
	"cmp"
	"slices"
	"strings"
)

// programRow is what prompts need to know about an agent's program: what its model calls the
// tools that they speak of. The names on the left are ours, which are those of Claude Code.
type programRow struct {
	signal string            // signal-back, as it stands in the model's list; SERVER: ServerOf
	images string            // the tool that shows an image
	tools  map[string]string // missing: there is none, and its commands do the same
}

// programs is the prompts' table of programs, as seen in the releases that docs/agents.md
// names. Nobody knows the tools of any other program.
var programs = map[string]programRow{
	"claude": {signal: SignalTool, images: "Read", tools: map[string]string{
		"Read": "Read", "Glob": "Glob", "Grep": "Grep", "Agent": "Agent",
		"Edit": "Edit", "Write": "Write", "NotebookEdit": "NotebookEdit", "Bash": "Bash", "WebFetch": "WebFetch", "WebSearch": "WebSearch",
	}},
	"codex": {signal: "mcp__SERVER.signal_back", images: "view_image", tools: map[string]string{
		"Agent": "spawn_agent", "Edit": "apply_patch", "Write": "apply_patch", "Bash": "exec_command", "WebSearch": "web_search",
	}},
	"gemini": {signal: "mcp_SERVER_signal-back", images: "read_file", tools: map[string]string{
		"Read": "read_file", "Glob": "glob", "Grep": "grep_search", "Agent": "invoke_agent",
		"Edit": "replace", "Write": "write_file", "Bash": "run_shell_command", "WebFetch": "web_fetch", "WebSearch": "google_web_search",
	}},
	"opencode": {signal: "SERVER_signal-back", images: "read", tools: map[string]string{
		"Read": "read", "Glob": "glob", "Grep": "grep", "Agent": "task", "Edit": "edit", "Write": "write", "Bash": "bash", "WebFetch": "webfetch",
	}},
}

// rowOf returns the row of a program; "": of Claude Code.
func rowOf(program string) (row programRow, known bool) {
	row, known = programs[cmp.Or(program, "claude")]
	return row, known
}

// ToolNames returns what the model of a program calls these tools of ours; nil: nobody knows.
func ToolNames(program string, ours []string) []string {
	row, _ := rowOf(program)
	var names []string
	for _, tool := range ours {
		if name := row.tools[tool]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// toolWords lists what a model may use of the tools of its program; "": none.
func toolWords(program string, ours []string) string {
	if _, known := rowOf(program); known {
		if names := ToolNames(program, ours); len(names) > 0 {
			return listed(names)
		}
		return ""
	}
	words := "what your program has to read, to search"
	if slices.Contains(ours, "Edit") {
		words += ", to edit"
	}
	return words + " and to start sub-agents"
}

// ruleWords lists rules of the user, which are written in the names of Claude Code.
func ruleWords(program string, rules []string) string {
	row, _ := rowOf(program)
	words := make([]string, len(rules))
	for i, rule := range rules {
		command, is := strings.CutPrefix(rule, "Bash(")
		if words[i] = cmp.Or(row.tools[rule], rule); is && row.tools["Bash"] != "Bash" {
			words[i] = strings.TrimSuffix(command, ")")
		}
	}
	return codes(words)
}
