package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"questboard/agents"
	"questboard/orchestration"
)

// Line is one line of a run's output in readable form.
type Line struct {
	Kind       Kind
	Head, Text string
	Nested     bool   // a sub-agent (a minion) did it
	By         string // its name, if the line has one
	Call       string // the id of this tool call
	Of         string // the id of the call whose result this is
	At         time.Time
}

// Kind is the kind of a line. Pages choose its colour by it.
type Kind string

const (
	KindText   Kind = "text" // the agent's own words
	KindThink  Kind = "think"
	KindTool   Kind = "tool" // a tool is called, or a command starts
	KindResult Kind = "result"
	KindError  Kind = "error"
	KindNote   Kind = "note"
	KindSignal Kind = "signal" // a call of a tool of ours
	KindDone   Kind = "done"
	KindQuiet  Kind = "quiet" // nobody needs to read it
	// KindRaw is anything that is not stream-json (ward's output, garbage, a future
	// type).
	KindRaw Kind = "raw"
)

// said returns a line that has only a heading and a text.
func said(kind Kind, head, text string) Line { return Line{Kind: kind, Head: head, Text: text} }

// Read makes a line of output readable. encoding/json judges it first: unlike gjson, it
// refuses what is nested without end, whose reading would fill the stack and so end the server.
func Read(line []byte) Line {
	if len(line) == 0 || line[0] != '{' || !json.Valid(line) {
		return said(KindRaw, "", string(line))
	}
	event := gjson.ParseBytes(line)
	if event.Get("jsonrpc").Str == "2.0" {
		return acpLine(event)
	}
	switch event.Get("type").Str {
	case "assistant":
		return placed(event, assistantLine(event.Get("message.content.0")))
	case "user":
		return placed(event, userLine(event.Get("message.content")))
	case "system":
		return systemLine(event)
	case "result":
		return resultLine(event)
	case "ward":
		return commandLine(event, "Ward", "Green", "Red")
	case "setup":
		return commandLine(event, "Set-up", "Ready", "Failed")
	case "note":
		return said(KindNote, "Note", event.Get("text").Str)
	case "rate_limit_event":
		return said(KindNote, "Limit", event.Get("rate_limit_info.status").Str)
	default:
		return said(KindRaw, "", string(line))
	}
}

// placed adds when a line was written, and whether a sub-agent wrote it.
func placed(event gjson.Result, l Line) Line {
	if l.Nested = event.Get("parent_tool_use_id").Str != ""; l.Nested {
		l.By = event.Get(minionName).Str
	}
	if at, err := time.Parse(time.RFC3339Nano, event.Get("timestamp").Str); err == nil {
		l.At = at
	}
	return l
}

func assistantLine(content gjson.Result) Line {
	switch b := readBlock(content); b.kind {
	case "text":
		return said(KindText, "Says", b.text.Str)
	case "thinking":
		return said(KindThink, "Thinks", b.text.Str)
	case "tool_use":
		l := toolLine(b)
		l.Call = b.id
		return l
	default:
		return said(KindNote, "Says", content.Raw)
	}
}

// toolLine is a tool's call in one line: its name and its target.
func toolLine(b block) Line {
	short, ours := strings.CutPrefix(b.name, agents.ToolPrefix)
	switch {
	case b.name == agents.SignalTool:
		return signalLine(b.input)
	case ours:
		return said(KindSignal, callWords(short), flat(b.input))
	case callsMinion(b.name):
		return said(KindTool, "Minion", minionWords(b.input))
	case b.name == "TodoWrite":
		return said(KindTool, "Todo", todoLine(b.input))
	}
	if text := target(b.input); text != "" {
		return said(KindTool, b.name, text)
	}
	return said(KindTool, b.name, flat(b.input))
}

// signalLine shows all that an agent wrote for readers in its report. If it sent something
// else than a report, the line shows what that is.
func signalLine(input gjson.Result) Line {
	kind := input.Get("signal").String()
	if kind == "complete" {
		kind = "done"
	}
	head := "Reports: " + kind
	var sent orchestration.Signal
	if err := json.Unmarshal([]byte(input.Raw), &sent); err != nil {
		return said(KindSignal, head, flat(input))
	}
	var texts []string
	for _, field := range orchestration.SignalFields {
		if text := strings.TrimSpace(field.In(&sent)); field.Prose && text != "" {
			texts = append(texts, text)
		}
	}
	return said(KindSignal, head, strings.Join(texts, "\n\n"))
}

// callWords says what an agent does with one of our other tools.
func callWords(tool string) string {
	switch tool {
	case "set-size":
		return "Says the size"
	case "set-requirements":
		return "Writes the requirements"
	case "plan-steps":
		return "Writes the plan"
	default:
		return "Calls " + tool
	}
}

// flatText is about how much of an object is written out, in bytes.
const flatText = 2400

// flat formats an object as "name: value  name: value". Of a list it says how long it is,
// and the titles of what is in it. All of it is shown when the line is opened.
func flat(object gjson.Result) string {
	var text strings.Builder
	object.ForEach(func(key, value gjson.Result) bool {
		words := value.String()
		switch {
		case value.IsArray():
			words = listed(value)
		case value.IsObject():
			words = "…"
		}
		fmt.Fprintf(&text, "%s: %s  ", key.Str, words)
		return text.Len() < flatText
	})
	return strings.TrimSpace(text.String())
}

// listed returns the length of a list, and its texts or the titles of its objects.
func listed(list gjson.Result) string {
	var titles []string
	n, size := 0, 0
	list.ForEach(func(_, item gjson.Result) bool {
		n++
		title := item.Get("title").Str
		if item.Type == gjson.String {
			title = item.Str
		}
		if title != "" && size < flatText {
			titles = append(titles, title)
			size += len(title)
		}
		return true
	})
	if len(titles) == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (%s)", n, strings.Join(titles, "; "))
}

// todoLine returns the progress of a list of tasks and the current one.
func todoLine(input gjson.Result) string {
	done, now, list := 0, "", todos(input)
	for _, todo := range list {
		switch todo.State {
		case "done":
			done++
		case "now":
			now = ": " + todo.Text
		}
	}
	return fmt.Sprintf("%d of %d done%s", done, len(list), now)
}

func userLine(content gjson.Result) Line {
	if content.Type == gjson.String {
		return said(KindNote, "Told", content.Str)
	}
	b := content.Get("0")
	if b.Get("type").Str == "text" {
		return said(KindNote, "Told", b.Get("text").Str)
	}
	l := said(KindResult, "Result", resultText(b.Get("content")))
	if b.Get("is_error").Bool() {
		l.Kind, l.Head = KindError, "Failed"
	}
	l.Of = b.Get("tool_use_id").Str
	return l
}

// resultText returns a tool's complete answer.
func resultText(content gjson.Result) string {
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
		return said(KindNote, "Session", event.Get("session_id").Str+"  "+event.Get("model").Str)
	case "api_retry":
		return said(KindError, "Retry", fmt.Sprintf("%s (%s), attempt %d of %d, in %s",
			event.Get("error").Str, event.Get("error_status").String(),
			event.Get("attempt").Int(), event.Get("max_retries").Int(), span(event, "retry_delay_ms")))
	case "compact_boundary":
		return said(KindNote, "Compacted", compactWords(event.Get("compact_metadata")))
	case "permission_denied":
		return said(KindError, "Denied", event.Get("tool_name").Str+"  "+event.Get("message").Str)
	case "thinking_tokens", "task_started", "task_progress", "task_updated", "task_notification",
		"hook_started", "hook_progress", "hook_response":
		return said(KindQuiet, "System", strings.TrimSpace(subtype+"  "+event.Get("description").Str))
	default:
		text := event.Get("description").Str
		if text == "" {
			text = event.Get("summary").Str
		}
		return said(KindNote, "System", strings.TrimSpace(subtype+"  "+text))
	}
}

// compactWords says what a compaction is, and how much it summarised.
func compactWords(about gjson.Result) string {
	words := "the context was full, so the conversation was summarised"
	if n := about.Get("pre_tokens").Int(); n > 0 {
		words += fmt.Sprintf(" (%d tokens before)", n)
	}
	return words
}

func resultLine(event gjson.Result) Line {
	figures := fmt.Sprintf("%d turns, %s, $%.4f",
		event.Get("num_turns").Int(), span(event, "duration_ms"), event.Get("total_cost_usd").Float())
	words := event.Get("result").Str
	if words == "" {
		words = event.Get("errors.0").Str
	}
	if event.Get("is_error").Bool() {
		return said(KindError, "Ended", figures+"  "+words)
	}
	return said(KindDone, "Ended", figures+"  "+words)
}

// commandLine returns a line of a user's command, the check or a worktree's set-up. Its
// output stays as printed, including columns.
func commandLine(event gjson.Result, name, good, bad string) Line {
	switch event.Get("subtype").Str {
	case "start":
		return said(KindTool, name, event.Get("command").Str)
	case "note":
		return said(KindNote, name, event.Get("text").Str)
	case "end":
		took := span(event, "duration_ms")
		if event.Get("exit_code").Int() != 0 {
			return said(KindError, bad, fmt.Sprintf("%s, after %s", event.Get("why").Str, took))
		}
		if event.Get("none").Bool() || event.Get("reused").Bool() {
			return said(KindNote, name, event.Get("why").Str) // nothing ran
		}
		return said(KindDone, good, fmt.Sprintf("after %s", took))
	default:
		return said(KindRaw, "", event.Get("text").Str)
	}
}

// span returns a field of milliseconds as a duration for people.
func span(event gjson.Result, field string) time.Duration {
	return (time.Duration(event.Get(field).Float()) * time.Millisecond).Round(100 * time.Millisecond)
}
