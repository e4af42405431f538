package acp

import (
	"encoding/json"

	"questboard/agents"
	"questboard/agents/process"
)

// OpenCode returns opencode (npm opencode-ai) as a program. Path is the program: a path, or
// a name to look up in PATH.
func OpenCode(path string) Program {
	return Program{
		Path: path, Args: []string{"acp"}, Variables: []string{"OPENCODE_"}, Env: openCodeEnv,
		Least: "1.18.33", Update: "run `npm install -g opencode-ai`",
		Install: "Install opencode (npm install -g opencode-ai), or put it on PATH.",
		Login:   "run `opencode auth login` once in a terminal",
	}
}

const (
	openCodeConfig      = "OPENCODE_CONFIG_CONTENT"
	openCodePermissions = "OPENCODE_PERMISSION"
)

// openCodeEnv returns what opencode is told by its environment (seen in 1.18.33).
func openCodeEnv(environ []string, spec agents.Spec, _ bool) map[string]string {
	ask := map[string]string{"webfetch": "ask", "websearch": "ask", "external_directory": "ask", "doom_loop": "ask"}
	if !spec.Role.Writes() || len(spec.Deny)+len(spec.Ask) > 0 {
		ask["edit"], ask["bash"] = "ask", "ask"
	}
	permissions, _ := json.Marshal(ask) // of strings: it does not fail
	return map[string]string{
		openCodePermissions: string(permissions),
		// Without this a refused call ends the turn, and the agent never reports.
		openCodeConfig: withOurs(process.Variable(environ, openCodeConfig)),
		// A repository's own configuration names programs to start.
		"OPENCODE_DISABLE_PROJECT_CONFIG": "1",
		// A full context ends the run, and a fresh session goes on. Where the model refuses a
		// summary, too, opencode asked for it without an end.
		"OPENCODE_DISABLE_AUTOCOMPACT": "1",
		"OPENCODE_DISABLE_AUTOUPDATE":  "1",
		"OPENCODE_DISABLE_SHARE":       "1",
	}
}

// mcpTime is how long opencode may wait for our tools, in milliseconds. By itself it waits five
// seconds. On a busy machine a run then goes on without them, and cannot signal.
const mcpTime = "60000"

// withOurs adds two settings to a configuration, which is kept as it is if it is no JSON:
// opencode says what is wrong with it.
func withOurs(config string) string {
	all := map[string]json.RawMessage{}
	experimental := map[string]json.RawMessage{}
	if config != "" && json.Unmarshal([]byte(config), &all) != nil {
		return config
	}
	if raw, ok := all["experimental"]; ok && json.Unmarshal(raw, &experimental) != nil {
		return config
	}
	experimental["continue_loop_on_deny"] = json.RawMessage("true")
	if _, chosen := experimental["mcp_timeout"]; !chosen {
		experimental["mcp_timeout"] = json.RawMessage(mcpTime)
	}
	all["experimental"], _ = json.Marshal(experimental)
	data, err := json.Marshal(all)
	if err != nil {
		return config
	}
	return string(data)
}
