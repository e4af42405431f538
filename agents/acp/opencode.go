package acp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"questboard/agents"
)

// OpenCode returns opencode (npm opencode-ai) as a program. Path is the program: a path, or
// a name to look up in PATH.
func OpenCode(path string) Program {
	return Program{
		Path: path, Args: []string{"acp"}, Variables: []string{"OPENCODE_"}, Env: openCodeEnv,
		Install: "Install opencode (npm install -g opencode-ai), or put it on PATH.",
		Login:   "run `opencode auth login` once in a terminal",
	}
}

const (
	openCodeConfig      = "OPENCODE_CONFIG_CONTENT"
	openCodePermissions = "OPENCODE_PERMISSION"
)

// openCodeEnv returns what opencode is told by its environment (seen in 1.18.33).
func openCodeEnv(environ []string, spec agents.Spec) map[string]string {
	ask := map[string]string{"webfetch": "ask", "websearch": "ask", "external_directory": "ask", "doom_loop": "ask"}
	if !spec.Role.Writes() || len(spec.Deny) > 0 {
		ask["edit"], ask["bash"] = "ask", "ask"
	}
	permissions, _ := json.Marshal(ask) // of strings: it does not fail
	return map[string]string{
		openCodePermissions: string(permissions),
		// Without this a refused call ends the turn, and the agent never reports.
		openCodeConfig: withContinue(variable(environ, openCodeConfig)),
		// A repository's own configuration names programs to start.
		"OPENCODE_DISABLE_PROJECT_CONFIG": "1",
		// A full context ends the run, and a fresh session goes on. Where the model refuses a
		// summary, too, opencode asked for it without an end.
		"OPENCODE_DISABLE_AUTOCOMPACT": "1",
		"OPENCODE_DISABLE_AUTOUPDATE":  "1",
		"OPENCODE_DISABLE_SHARE":       "1",
	}
}

// withContinue adds one setting to a configuration, which is kept as it is if it is no JSON:
// opencode says what is wrong with it.
func withContinue(config string) string {
	all := map[string]json.RawMessage{}
	experimental := map[string]json.RawMessage{}
	if config != "" && json.Unmarshal([]byte(config), &all) != nil {
		return config
	}
	if raw, ok := all["experimental"]; ok && json.Unmarshal(raw, &experimental) != nil {
		return config
	}
	experimental["continue_loop_on_deny"] = json.RawMessage("true")
	all["experimental"], _ = json.Marshal(experimental)
	data, err := json.Marshal(all)
	if err != nil {
		return config
	}
	return string(data)
}

// places returns what the program must see in the sandbox: its file, and npm's folder with
// its parts.
func (r *Runner) places() []string {
	path := r.cfg.Program.Path
	if filepath.Base(path) == path {
		for _, dir := range filepath.SplitList(variable(r.cfg.Environ, "PATH")) {
			if info, err := os.Stat(filepath.Join(dir, path)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				path = filepath.Join(dir, path)
				break
			}
		}
	}
	if !filepath.IsAbs(path) {
		return nil
	}
	places := []string{path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		places = append(places, real)
		const modules = "/node_modules/"
		if at := strings.LastIndex(real, modules); at >= 0 {
			places = append(places, real[:at+len(modules)-1])
		}
	}
	return places
}

func variable(environ []string, name string) string {
	value := ""
	for _, entry := range environ {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			value = text
		}
	}
	return value
}
