package acp

import (
	"cmp"
	"os"
	"path/filepath"

	"questboard/agents"
	"questboard/agents/process"
)

// Codex returns Codex behind its adapter (npm @agentclientprotocol/codex-acp) as a program.
// Path is the adapter: a path, or a name to look up in PATH.
func Codex(path string) Program {
	return Program{
		// it tells by its clock when a limit ends
		Path: path, Variables: []string{"CODEX_", "OPENAI_", "MODEL_PROVIDER", "DEFAULT_AUTH_REQUEST", "TZ"},
		Env: codexEnv, Refusal: codexRefusal,
		// Without this a turn that failed ends like one that is done (seen in 2.6.0).
		Meta:  map[string]any{"jetbrains": object{"air": object{"version": 1, "capabilities": []string{"sessionFailure"}}}},
		Least: "2.6.0", Update: "run `npm install -g @agentclientprotocol/codex-acp`",
		Install: "Install Codex and its adapter (npm install -g @agentclientprotocol/codex-acp), or put codex-acp on PATH.",
		Login:   "run `codex-acp login` once in a terminal",
	}
}

// codexEnv returns what Codex is told by its environment (seen in 2.6.0). Its own sandbox does
// not work in ours, which is the wall then.
func codexEnv(_ []string, spec agents.Spec, confined bool) map[string]string {
	mode := "workspace-write"
	switch {
	case !spec.Role.Writes():
		mode = "read-only"
	case confined:
		mode = "agent-full-access"
	}
	return map[string]string{"INITIAL_AGENT_MODE": mode, "NO_BROWSER": "1"}
}

// codexRefusal refuses a tree with configuration of Codex, which names programs to start. The
// adapter trusts every folder in which a session begins, and nothing turns that off.
func codexRefusal(environ []string, spec agents.Spec) string {
	own := cmp.Or(process.Variable(environ, "CODEX_HOME"), filepath.Join(process.Variable(environ, "HOME"), ".codex"))
	return refused("Codex", configuration(spec.Dir, ".codex", own))
}

// configuration returns where a tree has configuration of this name; "": nowhere. Own is the
// user's own, which may be in a folder above.
func configuration(tree, name, own string) string {
	for dir := filepath.Clean(tree); ; dir = filepath.Dir(dir) {
		if path := filepath.Join(dir, name); path != filepath.Clean(own) {
			if _, err := os.Lstat(path); err == nil {
				return path
			}
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// refused says why a run does not start beside this configuration; "": there is none.
func refused(program, configuration string) string {
	if configuration == "" {
		return ""
	}
	return "there is a folder " + configuration + ", whose configuration " + program +
		" would load, and it may start programs: remove it, or choose another agent"
}
