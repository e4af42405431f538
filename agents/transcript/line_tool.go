package transcript

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// toolTargets are the fields of a tool's input that say what it works on, the
// most telling first.
func toolTargets() []string {
	return []string{"command", "file_path", "notebook_path", "pattern", "description", "url", "query", "path"}
}

// toolLine is a tool's call in one line: its name and its target.
func toolLine(block gjson.Result) Line {
	name, input := block.Get("name").Str, block.Get("input")
	l := said("tool", name, input.Raw)
	switch short, ours := strings.CutPrefix(name, "mcp__quest__"); {
	case short == "signal-back":
		l = signalLine(input)
	case ours:
		l = said("signal", "Calls "+short, flat(input))
	case name == "TodoWrite":
		l.Head, l.Text = "Todo", todoLine(input)
	default:
		for _, key := range toolTargets() {
			if value := input.Get(key); value.Type == gjson.String && value.Str != "" {
				l.Text = value.Str
				break
			}
		}
	}
	l.Call = block.Get("id").Str
	return l
}

// signalLine: what an agent reports is worth reading in full.
func signalLine(input gjson.Result) Line {
	var texts []string
	for _, key := range []string{"summary", "question", "progress", "continuationPoint", "reason", "context"} {
		if text := strings.TrimSpace(input.Get(key).String()); text != "" {
			texts = append(texts, text)
		}
	}
	return said("signal", "Signals "+input.Get("signal").String(), strings.Join(texts, "\n\n"))
}

// flatText is about how much of an object is written out, in bytes.
const flatText = 2400

// flat is an object as "name: value  name: value".
func flat(object gjson.Result) string {
	var text strings.Builder
	object.ForEach(func(key, value gjson.Result) bool {
		fmt.Fprintf(&text, "%s: %s  ", key.Str, value.String())
		return text.Len() < flatText
	})
	return strings.TrimSpace(text.String())
}

// todoLine says how far a list of tasks is, and what is in hand.
func todoLine(input gjson.Result) string {
	done, now, list := 0, "", input.Get("todos").Array()
	for _, todo := range list {
		switch todo.Get("status").Str {
		case "completed":
			done++
		case "in_progress":
			now = ": " + todo.Get("content").Str
		}
	}
	return fmt.Sprintf("%d of %d done%s", done, len(list), now)
}
