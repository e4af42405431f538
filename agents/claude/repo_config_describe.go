package claude

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"questboard/agents"
)

// Kinds of wants, for people.
const (
	wantHook       = "hook"
	serverEntry    = "MCP server"
	wantCommand    = "command"
	wantVariable   = "variable"
	wantPermission = "permission"
	settingEntry   = "setting"
	wantFile       = "file"
)

// folderKinds names what the folders of .claude contain.
var folderKinds = map[string]string{"skills": "skill", "agents": "agent", "commands": "slash command", "plugins": "plugin",
	"hooks": "script", "output-styles": "output style", "rules": "rule"}

// commandSettings are settings whose value is a command line.
var commandSettings = []string{"apiKeyHelper", "statusLine", "subagentStatusLine", "fileSuggestion", "awsAuthRefresh",
	"awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper"}

// describe lists what one file asks for.
func (r *configReader) describe(name string, data []byte) {
	switch {
	case path.Base(name) == ".mcp.json":
		r.servers(name, data)
	case name == ".claude/settings.json", name == ".claude/settings.local.json":
		r.settings(name, data)
	default:
		kind := wantFile
		_, within, _ := strings.Cut("/"+name, "/.claude/")
		if folder, _, deeper := strings.Cut(within, "/"); deeper && folderKinds[folder] != "" {
			kind = folderKinds[folder]
		}
		r.want(name, kind, strings.TrimSuffix(path.Base(name), path.Ext(name)), shown(data))
	}
}

func (r *configReader) servers(name string, data []byte) {
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if json.Unmarshal(data, &file) != nil {
		r.want(name, wantFile, "no JSON", shown(data))
		return
	}
	for _, server := range slices.Sorted(maps.Keys(file.Servers)) {
		if server == agents.MCPServer {
			r.fault("%s sets an MCP server %q, but that is the name of Questboard's own: give it another name", name, server)
		}
		r.want(name, serverEntry, server, oneLine(file.Servers[server]))
	}
}

func (r *configReader) settings(name string, data []byte) {
	var file map[string]json.RawMessage
	if json.Unmarshal(data, &file) != nil {
		r.want(name, wantFile, "no JSON", shown(data))
		return
	}
	for _, key := range slices.Sorted(maps.Keys(file)) {
		value := file[key]
		switch {
		case key == "hooks":
			r.hooks(name, value)
		case key == "env":
			r.each(name, wantVariable, key, value)
		case key == "permissions":
			r.each(name, wantPermission, key, value)
		case slices.Contains(commandSettings, key):
			r.want(name, wantCommand, key, commandOf(value))
		default:
			r.want(name, settingEntry, key, oneLine(value))
		}
	}
}

// each lists the members of an object one by one.
func (r *configReader) each(name, kind, key string, value json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil {
		r.want(name, kind, key, oneLine(value))
		return
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		r.want(name, kind, member, textOf(members[member]))
	}
}

func (r *configReader) hooks(name string, value json.RawMessage) {
	var events map[string][]struct {
		Matcher string            `json:"matcher"`
		Hooks   []json.RawMessage `json:"hooks"`
	}
	if json.Unmarshal(value, &events) != nil {
		r.want(name, wantHook, "hooks", oneLine(value))
		return
	}
	for _, event := range slices.Sorted(maps.Keys(events)) {
		for _, group := range events[event] {
			title := event
			if group.Matcher != "" {
				title += " (" + group.Matcher + ")"
			}
			for _, hook := range group.Hooks {
				r.want(name, wantHook, title, commandOf(hook))
			}
		}
	}
}

// commandOf returns the command line of a hook or a setting, or the whole value if it
// has more than a command.
func commandOf(value json.RawMessage) string {
	var hook map[string]any
	if json.Unmarshal(value, &hook) == nil && hook["type"] == "command" {
		if command, is := hook["command"].(string); is && len(hook) == 2 {
			return command
		}
	}
	return textOf(value)
}

// textOf returns a string as it is and everything else as JSON.
func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return shown([]byte(text))
	}
	return oneLine(value)
}

func oneLine(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return shown(value)
	}
	return shown(b.Bytes())
}
