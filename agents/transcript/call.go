package transcript

import (
	"bytes"
	"encoding/json"

	"github.com/tidwall/gjson"
)

// Call is the complete input of a tool call.
type Call struct {
	Parts []Part
	Prose bool // a sub-agent was called, so the result is text for readers
}

// Part is a piece of a call: an Edit, a Command, a Prompt, Todos or a Field.
type Part any

// Edit replaces a part of a file with another text.
type Edit struct{ Path, Before, After string }

// Command is a shell command line and its purpose.
type Command struct{ Title, Line string }

// Prompt is what a sub-agent is told.
type Prompt struct{ Title, Text string }

// Todos is an agent's list of tasks.
type Todos []Todo

// Todo is one task. State is "done", "now" or empty.
type Todo struct{ State, Text string }

// Field is a field of the input of any other tool. If the value is JSON, it is indented.
type Field struct{ Name, Value string }

// maxFields limits how many of a tool's fields are read.
const maxFields = 50

// ReadCall reads a tool call. It returns false if the line is something else.
func ReadCall(line []byte) (Call, bool) {
	if update := gjson.GetBytes(line, "params.update"); update.Exists() {
		return readACPCall(update)
	}
	b := readBlock(gjson.GetBytes(line, "message.content.0"))
	if b.kind != "tool_use" {
		return Call{}, false
	}
	field := func(name string) string { return b.input.Get(name).Str }
	if callsMinion(b.name) {
		return Call{Parts: []Part{Prompt{field("description"), field("prompt")}}, Prose: true}, true
	}
	switch b.name {
	case "Edit":
		return Call{Parts: []Part{Edit{field("file_path"), field("old_string"), field("new_string")}}}, true
	case "MultiEdit":
		var edits []Part
		for _, e := range b.input.Get("edits").Array() {
			edits = append(edits, Edit{field("file_path"), e.Get("old_string").Str, e.Get("new_string").Str})
		}
		return Call{Parts: edits}, true
	case "Write":
		return Call{Parts: []Part{Edit{Path: field("file_path"), After: field("content")}}}, true
	case "TodoWrite":
		return Call{Parts: []Part{todos(b.input)}}, true
	case "Bash":
		return Call{Parts: []Part{Command{field("description"), field("command")}}}, true
	default:
		return Call{Parts: fields(b.input)}, true
	}
}

func todos(input gjson.Result) Todos {
	states := map[string]string{"completed": "done", "in_progress": "now"}
	var list Todos
	for _, todo := range input.Get("todos").Array() {
		list = append(list, Todo{states[todo.Get("status").Str], todo.Get("content").Str})
	}
	return list
}

func fields(input gjson.Result) []Part {
	var parts []Part
	input.ForEach(func(key, value gjson.Result) bool {
		text := value.String()
		if value.IsObject() || value.IsArray() {
			text = Indent([]byte(value.Raw))
		}
		parts = append(parts, Field{key.Str, text})
		return len(parts) < maxFields
	})
	return parts
}

// Indent formats JSON; any other text stays as it is.
func Indent(text []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, text, "", "  ") != nil {
		return string(text)
	}
	return out.String()
}
