package transcript

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Line is one line of a run's output, made readable. Kind chooses its
// colour: text, think, tool, result, error, note, signal, done, quiet for what
// nobody needs to read, or raw for what is not stream-json (ward's output,
// garbage, a future type).
type Line struct {
	Kind, Head, Text string
	Nested           bool   // a sub-agent (a minion) did it
	Call             string // the id of the tool's call that this is
	Of               string // the id of the call whose result this is
	At               time.Time
}

// said is a line that is nothing but its words.
func said(kind, head, text string) Line { return Line{Kind: kind, Head: head, Text: text} }

// Read says what a line of output says.
func Read(line []byte) Line {
	if len(line) == 0 || line[0] != '{' || !gjson.ValidBytes(line) {
		return Line{Kind: "raw", Text: string(line)}
	}
	event := gjson.ParseBytes(line)
	switch event.Get("type").Str {
	case "assistant":
		return placed(event, assistantLine(event))
	case "user":
		return placed(event, userLine(event))
	case "system":
		return systemLine(event)
	case "result":
		return resultLine(event)
	case "ward", "setup":
		return wardLine(event)
	case "note":
		return said("note", "Note", event.Get("text").Str)
	case "rate_limit_event":
		return said("note", "Limit", event.Get("rate_limit_info.status").Str)
	default:
		return Line{Kind: "raw", Text: string(line)}
	}
}

// placed says when a line was written and whose it is.
func placed(event gjson.Result, l Line) Line {
	l.Nested = event.Get("parent_tool_use_id").Str != ""
	if at, err := time.Parse(time.RFC3339Nano, event.Get("timestamp").Str); err == nil {
		l.At = at
	}
	return l
}

func assistantLine(event gjson.Result) Line {
	block := event.Get("message.content.0")
	switch block.Get("type").Str {
	case "text":
		return said("text", "Says", block.Get("text").Str)
	case "thinking":
		return said("think", "Thinks", block.Get("thinking").Str)
	case "tool_use":
		return toolLine(block)
	default:
		return said("note", "Says", block.Raw)
	}
}

func userLine(event gjson.Result) Line {
	content := event.Get("message.content")
	if content.Type == gjson.String {
		return said("note", "Told", content.Str)
	}
	block := content.Get("0")
	if block.Get("type").Str == "text" {
		return said("note", "Told", block.Get("text").Str)
	}
	l := said("result", "Result", resultText(block))
	if block.Get("is_error").Bool() {
		l.Kind, l.Head = "error", "Failed"
	}
	l.Of = block.Get("tool_use_id").Str
	return l
}

// resultText is what a tool answered, all of it.
func resultText(block gjson.Result) string {
	content := block.Get("content")
	if !content.IsArray() {
		return content.Str
	}
	var texts []string
	for _, part := range content.Array() {
		if text := part.Get("text"); text.Exists() {
			texts = append(texts, text.Str)
		} else {
			texts = append(texts, "("+part.Get("type").Str+")")
		}
	}
	return strings.Join(texts, "\n")
}

func systemLine(event gjson.Result) Line {
	switch subtype := event.Get("subtype").Str; subtype {
	case "init":
		return said("note", "Session", event.Get("session_id").Str+"  "+event.Get("model").Str)
	case "api_retry":
		delay := time.Duration(event.Get("retry_delay_ms").Float()) * time.Millisecond
		return said("error", "Retry", fmt.Sprintf("%s (%s), attempt %d of %d, in %s", event.Get("error").Str,
			event.Get("error_status").String(), event.Get("attempt").Int(), event.Get("max_retries").Int(), delay.Round(100*time.Millisecond)))
	case "permission_denied":
		return said("error", "Denied", event.Get("tool_name").Str+"  "+event.Get("message").Str)
	case "thinking_tokens", "task_started", "task_progress", "task_updated", "task_notification", "hook_started", "hook_progress", "hook_response":
		return said("quiet", "System", strings.TrimSpace(subtype+"  "+event.Get("description").Str))
	default:
		text := event.Get("description").Str
		if text == "" {
			text = event.Get("summary").Str
		}
		return said("note", "System", strings.TrimSpace(subtype+"  "+text))
	}
}

func resultLine(event gjson.Result) Line {
	figures := fmt.Sprintf("%d turns, %s, $%.4f", event.Get("num_turns").Int(),
		(time.Duration(event.Get("duration_ms").Int()) * time.Millisecond).Round(100*time.Millisecond), event.Get("total_cost_usd").Float())
	words := event.Get("result").Str
	if words == "" {
		words = event.Get("errors.0").Str
	}
	if event.Get("is_error").Bool() {
		return said("error", "Ended", figures+"  "+words)
	}
	return said("done", "Ended", figures+"  "+words)
}
