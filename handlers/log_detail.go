package handlers

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"questboard/agents/transcript"
	"questboard/handlers/redact"
	"questboard/views"
)

// detailText is how much of one text an opened row shows; the file has all.
const detailText = 256 << 10

// detail makes what an opened row shows. Its redactor is nil for the owner.
type detail struct {
	redactor *redact.Redactor
}

// of is all there is to a turn: line is as it was written.
func (d detail) of(t *turn, line []byte) []views.LinePart {
	block := gjson.GetBytes(line, "message.content.0")
	switch {
	case t.Text == redact.Hidden:
		return []views.LinePart{d.plain("", redact.Hidden)}
	case t.Kind == "text" || t.Kind == "think":
		return []views.LinePart{{Prose: d.text(t.Text)}}
	case t.Call == "" || block.Get("type").Str != "tool_use":
		return []views.LinePart{d.terminal("", t.Text)}
	}
	parts := d.asked(block.Get("name").Str, block.Get("input"))
	if t.result == nil {
		return parts
	}
	name := "Result"
	if t.result.Kind == "error" {
		name = "It failed"
	}
	if tool := block.Get("name").Str; tool == "Task" || tool == "Agent" { // a sub-agent writes prose
		return append(parts, views.LinePart{Name: name, Prose: d.text(t.result.Text)})
	}
	return append(parts, d.terminal(name, t.result.Text))
}

// asked is what a tool was called with.
func (d detail) asked(name string, input gjson.Result) []views.LinePart {
	switch name {
	case "Edit":
		return []views.LinePart{d.diff(input.Get("file_path").Str, input)}
	case "MultiEdit":
		var parts []views.LinePart
		for _, edit := range input.Get("edits").Array() {
			parts = append(parts, d.diff(input.Get("file_path").Str, edit))
		}
		return parts
	case "Write":
		return []views.LinePart{d.difference(input.Get("file_path").Str, "", input.Get("content").Str)}
	case "TodoWrite":
		return []views.LinePart{{Todos: d.todos(input)}}
	case "Bash":
		return []views.LinePart{d.plain(input.Get("description").Str, "$ "+input.Get("command").Str)}
	case "Task", "Agent":
		return []views.LinePart{{Name: d.text(input.Get("description").Str), Prose: d.text(input.Get("prompt").Str)}}
	}
	var parts []views.LinePart
	input.ForEach(func(key, value gjson.Result) bool {
		text := value.String()
		if value.IsObject() || value.IsArray() {
			text = pretty([]byte(value.Raw))
		}
		parts = append(parts, d.named(key.Str, text))
		return len(parts) < 50
	})
	return parts
}

func (d detail) todos(input gjson.Result) []views.Pair {
	names := map[string]string{"completed": "done", "in_progress": "now"}
	var list []views.Pair
	for _, todo := range input.Get("todos").Array() {
		list = append(list, views.Pair{Name: names[todo.Get("status").Str], Value: d.text(todo.Get("content").Str)})
	}
	return list
}

// text is safe to look at, for whoever looks.
func (d detail) text(s string) string {
	if d.redactor != nil {
		s = d.redactor.Text(s)
	}
	s, _ = upTo(clean(s), detailText)
	return s
}

// named is a value that is shown beside its name, and not in one text with it.
func (d detail) named(name, value string) views.LinePart {
	if d.redactor != nil {
		value = d.redactor.Value(name, value)
	}
	return d.plain(name, value)
}

func (d detail) plain(name, text string) views.LinePart {
	return views.LinePart{Name: d.text(name), Pieces: []views.Piece{{Text: d.text(text)}}}
}

// terminal is what a program printed: with its colours, and JSON laid out.
func (d detail) terminal(name, text string) views.LinePart {
	part := views.LinePart{Name: name}
	if d.redactor != nil {
		text = d.redactor.Text(transcript.Plain(text))
	}
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") && json.Valid([]byte(trimmed)) {
		text = pretty([]byte(trimmed))
	}
	text, cut := upTo(text, detailText)
	if cut {
		part.Note = fmt.Sprintf("Only the first %d characters are shown here.", detailText)
	}
	part.Pieces = coloured(text)
	return part
}
