package acp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"questboard/agents"
	"questboard/agents/transcript"
)

// maxID is how long the id of a request may be, in bytes.
const maxID = 1 << 10

// answerable reports whether an answer can repeat the id of a request.
func answerable(id gjson.Result) bool {
	return (id.Type == gjson.String || id.Type == gjson.Number) && len(id.Raw) <= maxID && json.Valid([]byte(id.Raw))
}

// asked answers a request of the program. It offers nothing but permissions.
func (t *talk) asked(m transcript.Message, keep func([]byte)) bool {
	if !answerable(m.ID) {
		return true
	}
	answer := object{"id": json.RawMessage(m.ID.Raw)}
	if m.Method != "session/request_permission" {
		answer["error"] = object{"code": -32601, "message": "Questboard does not offer " + m.Method}
		return t.out.answer(encode(answer))
	}
	about := t.calls.complete(m.Params.Get("toolCall"))
	call := callOf(about)
	outcome, want := object{"outcome": "cancelled"}, []string{"allow_once"}
	if why, waits := agents.RefusalOf(t.spec, call); why != "" {
		want = []string{"reject_once", "reject_always"}
		if !waits {
			t.stream.Denied(call.Denied())
		}
		denied(keep, call.Tool, why)
	} else if !strings.HasPrefix(call.Tool, agents.ToolPrefix) {
		// A signal whose answer is told ends the run at once. Programs that ask about it may
		// keep their session only when the turn is over (seen in Gemini).
		t.stream.Began(about)
	}
	for _, kind := range want {
		if option := optionOf(m.Params.Get("options"), kind); option != "" {
			outcome = object{"outcome": "selected", "optionId": option}
			break
		}
	}
	answer["result"] = object{"outcome": outcome}
	return t.out.answer(encode(answer))
}

// toolsByKind are our names of tools for the protocol's kinds.
var toolsByKind = map[string]string{
	"read": "Read", "edit": "Edit", "delete": "Edit", "move": "Edit", "search": "Grep",
	"execute": "Bash", "fetch": "WebFetch",
}

// callOf returns what a program asks about.
func callOf(tool gjson.Result) agents.Asked {
	title, input := tool.Get("title").Str, tool.Get("rawInput")
	call := agents.Asked{Tool: toolsByKind[tool.Get("kind").Str], Input: json.RawMessage(input.Raw)}
	if server, name := serverTool(input); name != "" { // Codex calls its kind execute, too
		if call.Tool = "mcp__" + server + "__" + name; transcript.OwnTool(server+"."+name) != "" {
			call.Tool = agents.ToolPrefix + transcript.OwnTool(server+"."+name)
		}
		return call
	}
	if call.Tool == "" {
		call.Tool = title
		// A title in Gemini's form may be words of a model. The id then has the tool's name, too.
		own, words := transcript.OwnTool(title), strings.HasSuffix(title, ")")
		if own != "" && (!words || strings.Contains(tool.Get("toolCallId").Str, "_"+own+"__")) {
			call.Tool = agents.ToolPrefix + own
		}
	}
	if call.Tool == "Bash" && input.Get("command").Type != gjson.String {
		// Without its input, the title is all that is known of a command.
		call.Input, _ = json.Marshal(object{"command": title})
	}
	if call.Tool == "WebFetch" && !strings.HasSuffix(strings.TrimRight(title, `"`), "...") {
		call.Title = title // Gemini tells no input, and cuts what it was asked for after 100 characters
	}
	for _, place := range tool.Get("locations.#.path").Array() {
		call.Files = append(call.Files, place.Str)
	}
	if patched := slices.Concat(input.Get("files.#.filePath").Array(), input.Get("files.#.movePath").Array()); len(patched) > 0 {
		for _, file := range patched { // of several files, the other fields are a list in one text
			call.Files = append(call.Files, file.Str)
		}
		return call
	}
	for _, field := range []string{"filePath", "filepath", "file_path", "path"} {
		if file := input.Get(field); file.Type == gjson.String {
			call.Files = append(call.Files, file.Str)
		}
	}
	return call
}

// serverTool returns which tool of an MCP server an input is for; "": it is for none.
func serverTool(input gjson.Result) (server, name string) {
	server, name = input.Get("server").Str, input.Get("tool").Str
	if server == "" || name == "" || input.Get("command").Exists() {
		return "", ""
	}
	return server, name
}

func optionOf(options gjson.Result, kind string) string {
	for _, option := range options.Array() {
		if option.Get("kind").Str == kind {
			return option.Get("optionId").Str
		}
	}
	return ""
}

// denied keeps a refusal, in the form that Claude Code has for it.
func denied(keep func([]byte), tool, why string) {
	line, err := json.Marshal(object{"type": "system", "subtype": "permission_denied", "tool_name": tool, "message": why})
	if err == nil {
		keep(line)
	}
}
