package claude

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"questboard/agents"
	"questboard/agents/confine"
	"questboard/agents/process"
)

// usersOwn lists what an agent in the sandbox sees of ~/.claude: the user's rules and
// settings, and what they name. Other conversations, their history and pasted texts
// stay hidden.
var usersOwn = [...]string{
	"CLAUDE.md", "rules", "settings.json", "agents", "commands", "skills", "plugins", "hooks", "output-styles",
}

const loginFile = ".credentials.json"

// confined reports whether agents run in a sandbox, and returns the user's home.
func (r *Runner) confined() (home string, is bool) {
	home = process.Variable(r.cfg.Environ, "HOME")
	return home, r.cfg.Sessions.Sandbox != nil && filepath.IsAbs(home)
}

// needs returns what the CLI must see in the sandbox.
func (r *Runner) needs(spec agents.Spec, files Files) (confine.Needs, error) {
	needs := confine.Needs{Read: confine.Program(r.cfg.Path, r.cfg.Environ, "/node_modules/@anthropic-ai")}
	for _, name := range []string{files.MCP, files.System, process.Variable(r.cfg.Environ, "NODE_EXTRA_CA_CERTS")} {
		if name != "" {
			needs.Read = append(needs.Read, name)
		}
	}
	home, is := r.confined()
	if !is {
		return needs, nil
	}
	folder := filepath.Join(home, ".claude")
	for _, name := range usersOwn {
		if real, ok := r.cfg.Sessions.Sandbox.Leads(filepath.Join(folder, name)); ok {
			needs.Binds = append(needs.Binds, confine.Bind{From: real, At: filepath.Join(folder, name)})
		}
	}
	if files.Login != "" {
		needs.Binds = append(needs.Binds, confine.Bind{From: files.Login, At: filepath.Join(folder, loginFile)})
	}
	// Where conversations are stored. The user's own CLI also finds them there.
	dir, kept, err := conversations(home, spec.Dir)
	if err != nil {
		return needs, err
	}
	needs.Binds = append(needs.Binds, confine.Bind{From: kept, At: kept, Write: true})
	const stateFile = ".claude.json"
	state := noState // also replaces what an earlier agent wrote
	if name, ok := r.cfg.Sessions.Sandbox.Leads(filepath.Join(home, stateFile)); ok {
		state = stateFor(name, dir, spec.Trusted)
	}
	needs.Files = map[string][]byte{stateFile: state}
	return needs, nil
}

// conversations returns the real path of a working directory and the folder where the CLI
// stores the conversations of sessions that work there. It makes that folder.
func conversations(home, dir string) (real, folder string, err error) {
	if real, err = filepath.EvalSymlinks(dir); err != nil {
		return "", "", fmt.Errorf("find the workspace: %w", err)
	}
	folder = filepath.Join(home, ".claude", "projects", projectFolder(real))
	if err = os.MkdirAll(folder, 0o700); err != nil {
		return "", "", fmt.Errorf("make the folder of conversations: %w", err)
	}
	return real, folder, nil
}

// login returns the user's login for a confined agent. It leaves out the right to renew
// the login: that can be used once, and if the renewal is not stored, the user is
// logged out everywhere.
func (r *Runner) login() []byte {
	home, is := r.confined()
	if !is {
		return nil
	}
	var all map[string]json.RawMessage
	data, err := os.ReadFile(filepath.Join(home, ".claude", loginFile))
	if err != nil || json.Unmarshal(data, &all) != nil {
		return nil
	}
	var login map[string]json.RawMessage
	const key = "claudeAiOauth"
	if json.Unmarshal(all[key], &login) != nil {
		return nil
	}
	delete(login, "refreshToken")
	out, err := json.Marshal(map[string]any{key: login}) // without logins to MCP servers
	if err != nil {
		return nil
	}
	return out
}

var noState = []byte("{}")

// stateFor returns the CLI's ~/.claude.json for a confined agent: only this one of the
// user's projects, and the user's MCP servers if they may load.
func stateFor(name, dir string, trusted bool) []byte {
	var state map[string]json.RawMessage
	data, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(data, &state) != nil || state == nil {
		return noState
	}
	var projects map[string]json.RawMessage
	_ = json.Unmarshal(state["projects"], &projects) // on an error there are none
	delete(state, "projects")
	if own, ok := projects[dir]; ok {
		state["projects"], _ = json.Marshal(map[string]json.RawMessage{dir: own})
	}
	if !trusted {
		delete(state, "mcpServers")
	}
	out, err := json.Marshal(state)
	if err != nil {
		return noState
	}
	return out
}
