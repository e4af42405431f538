package handlers

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// logLine is one line of a run's output, made readable. Kind chooses its
// colour: text, think, tool, result, error, note, signal, done, or raw for what
// is not stream-json (ward's output, garbage, a future type).
type logLine struct {
	Kind, Head, Text string
}

// rowText is how much of a line the log shows; the line's own page shows all.
const rowText = 600

// row is the line as <log-view> wants it: [kind, head, text].
func (l logLine) row() json.RawMessage {
	text := l.Text
	if len(text) > rowText*4 {
		text = strings.ToValidUTF8(text[:rowText*4], "")
	}
	text = clean(strings.Join(strings.Fields(text), " "))
	if l.Kind == "raw" { // columns and indentation mean something there
		text = clean(strings.ReplaceAll(stripANSI(l.Text), "\t", "    "))
	}
	if r := []rune(text); len(r) > rowText {
		text = string(r[:rowText]) + " …"
	}
	row, err := json.Marshal([]string{l.Kind, clean(l.Head), text})
	if err != nil {
		return json.RawMessage(`["raw","",""]`) // strings cannot fail to marshal
	}
	return row
}

// readable says what a line of output says.
func readable(line []byte) logLine {
	if len(line) == 0 || line[0] != '{' || !gjson.ValidBytes(line) {
		return logLine{Kind: "raw", Text: string(line)}
	}
	event := gjson.ParseBytes(line)
	switch event.Get("type").Str {
	case "assistant":
		return indent(event, assistantLine(event))
	case "user":
		return indent(event, userLine(event))
	case "system":
		return systemLine(event)
	case "result":
		return resultLine(event)
	case "ward", "setup":
		return wardLine(event)
	case "note":
		return logLine{"note", "Note", event.Get("text").Str}
	case "rate_limit_event":
		return logLine{"note", "Limit", event.Get("rate_limit_info.status").Str}
	default:
		return logLine{Kind: "raw", Text: string(line)}
	}
}

// indent marks what a sub-agent (a minion) did.
func indent(event gjson.Result, l logLine) logLine {
	if event.Get("parent_tool_use_id").Str != "" {
		l.Text = "↳ " + l.Text
	}
	return l
}

func assistantLine(event gjson.Result) logLine {
	block := event.Get("message.content.0")
	switch block.Get("type").Str {
	case "text":
		return logLine{"text", "Says", block.Get("text").Str}
	case "thinking":
		return logLine{"think", "Thinks", block.Get("thinking").Str}
	case "tool_use":
		return toolLine(block)
	default:
		return logLine{"note", "Says", block.Raw}
	}
}

func toolLine(block gjson.Result) logLine {
	name, input := block.Get("name").Str, block.Get("input")
	if short, ours := strings.CutPrefix(name, "mcp__quest__"); ours {
		text := short
		input.ForEach(func(key, value gjson.Result) bool {
			text += fmt.Sprintf("  %s: %s", key.Str, value.String())
			return len(text) < rowText*4
		})
		return logLine{"signal", "Signals", text}
	}
	for _, key := range []string{"command", "file_path", "notebook_path", "pattern", "description", "url", "query", "path"} {
		if value := input.Get(key); value.Type == gjson.String && value.Str != "" {
			return logLine{"tool", name, value.Str}
		}
	}
	return logLine{"tool", name, input.Raw}
}

func userLine(event gjson.Result) logLine {
	content := event.Get("message.content")
	if content.Type == gjson.String {
		return logLine{"note", "Told", content.Str}
	}
	block := content.Get("0")
	if block.Get("type").Str == "text" {
		return logLine{"note", "Told", block.Get("text").Str}
	}
	text := block.Get("content")
	words := text.Str
	if text.IsArray() {
		words = text.Get("0.text").Str
	}
	if block.Get("is_error").Bool() {
		return logLine{"error", "Failed", words}
	}
	return logLine{"result", "Result", words}
}

func systemLine(event gjson.Result) logLine {
	switch subtype := event.Get("subtype").Str; subtype {
	case "init":
		return logLine{"note", "Session", event.Get("session_id").Str + "  " + event.Get("model").Str}
	case "api_retry":
		delay := time.Duration(event.Get("retry_delay_ms").Float()) * time.Millisecond
		return logLine{"error", "Retry", fmt.Sprintf("%s (%s), attempt %d of %d, in %s", event.Get("error").Str,
			event.Get("error_status").String(), event.Get("attempt").Int(), event.Get("max_retries").Int(), delay.Round(100*time.Millisecond))}
	default:
		text := event.Get("description").Str
		if text == "" {
			text = event.Get("summary").Str
		}
		return logLine{"note", "System", strings.TrimSpace(subtype + "  " + text)}
	}
}

func resultLine(event gjson.Result) logLine {
	figures := fmt.Sprintf("%d turns, %s, $%.4f", event.Get("num_turns").Int(),
		(time.Duration(event.Get("duration_ms").Int()) * time.Millisecond).Round(100*time.Millisecond), event.Get("total_cost_usd").Float())
	words := event.Get("result").Str
	if words == "" {
		words = event.Get("errors.0").Str
	}
	if event.Get("is_error").Bool() {
		return logLine{"error", "Ended", figures + "  " + words}
	}
	return logLine{"done", "Ended", figures + "  " + words}
}
