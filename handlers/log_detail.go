package handlers

import (
	"encoding/json"
	"fmt"
	"strings"

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
	call, is := transcript.ReadCall(line)
	switch {
	case t.Text == redact.Hidden:
		return []views.LinePart{d.plain("", redact.Hidden)}
	case t.Kind == transcript.KindText || t.Kind == transcript.KindThink:
		return []views.LinePart{{Prose: d.text(t.Text)}}
	case t.Call == "" || !is:
		return []views.LinePart{d.terminal("", t.Text)}
	}
	parts := make([]views.LinePart, len(call.Parts))
	for i, part := range call.Parts {
		parts[i] = d.asked(part)
	}
	if t.result == nil {
		return parts
	}
	name := "Result"
	if t.result.Kind == transcript.KindError {
		name = "It failed"
	}
	if call.Prose {
		return append(parts, views.LinePart{Name: name, Prose: d.text(t.result.Text)})
	}
	return append(parts, d.terminal(name, t.result.Text))
}

// asked is a piece of what a tool was called with.
func (d detail) asked(part transcript.Part) views.LinePart {
	switch part := part.(type) {
	case transcript.Edit:
		return d.difference(part.Path, part.Before, part.After)
	case transcript.Command:
		return d.plain(part.Title, "$ "+part.Line)
	case transcript.Prompt:
		return views.LinePart{Name: d.text(part.Title), Prose: d.text(part.Text)}
	case transcript.Todos:
		var list []views.Pair
		for _, todo := range part {
			list = append(list, views.Pair{Name: todo.State, Value: d.text(todo.Text)})
		}
		return views.LinePart{Todos: list}
	case transcript.Field:
		value := part.Value
		if d.redactor != nil { // it is shown beside its name, not in one text with it
			value = d.redactor.Value(part.Name, value)
		}
		return d.plain(part.Name, value)
	default:
		return views.LinePart{}
	}
}

// text is safe to look at, for whoever looks.
func (d detail) text(s string) string {
	if d.redactor != nil {
		s = d.redactor.Text(s)
	}
	s, _ = upTo(clean(s), detailText)
	return s
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
		text = transcript.Indent([]byte(trimmed))
	}
	text, cut := upTo(text, detailText)
	if cut {
		part.Note = fmt.Sprintf("Only the first %d characters are shown here.", detailText)
	}
	part.Pieces = coloured(text)
	return part
}
