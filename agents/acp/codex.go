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
		Path: path, Variables: []string{"CODEX_", "OPENAI_", "MODEL_PROVIDER", "DEFAULT_AUTH_REQUEST"},
		Env: codexEnv, Refusal: codexRefusal,
		// Without this a turn that failed ends like one that is done (seen in 2.6.0).
		Meta:    map[string]any{"jetbrains": object{"air": object{"version": 1, "capabilities": []string{"sessionFailure"}}}},
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
	home := process.Variable(environ, "HOME")
	own := cmp.Or(process.Variable(environ, "CODEX_HOME"), filepath.Join(home, ".codex"))
	for dir := filepath.Clean(spec.Dir); ; dir = filepath.Dir(dir) {
		if config := filepath.Join(dir, ".codex"); config != filepath.Clean(own) {
			if _, err := os.Lstat(config); err == nil {
				return "there is a folder " + config + ", whose configuration Codex would load, and it may start programs: remove it, or choose another agent"
			}
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return ""
		}
	}
}
