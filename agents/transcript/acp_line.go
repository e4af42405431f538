package transcript

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// acpLine makes a message of the Agent Client Protocol readable.
func acpLine(event gjson.Result) Line {
	switch method := event.Get("method").Str; {
	case method == acpUpdate:
		return acpNews(event.Get("params.update"))
	case method == "session/request_permission":
		return said(KindQuiet, "Asks", event.Get("params.toolCall.title").Str)
	case method != "":
		return said(KindQuiet, "Asks", method)
	case event.Get("error").Exists():
		return said(KindError, "Failed", strings.TrimSpace(event.Get("error.message").String()+"  "+event.Get("error.data").String()))
	}
	switch result := event.Get("result"); event.Get("id").Str {
	case ACPInitialize:
		return said(KindNote, "Agent", strings.TrimSpace(result.Get("agentInfo.name").Str+"  "+result.Get("agentInfo.version").Str))
	case ACPNew:
		return said(KindNote, "Session", result.Get("sessionId").Str)
	case ACPLoad, ACPResume:
		return said(KindNote, "Session", "goes on")
	case ACPPrompt:
		reason := result.Get("stopReason").Str
		if reason == "end_turn" {
			return said(KindDone, "Ended", "its turn")
		}
		return said(KindError, "Ended", reason)
	default:
		return said(KindQuiet, "Answer", event.Get("id").String())
	}
}

func acpNews(u gjson.Result) Line {
	switch kind := u.Get("sessionUpdate").Str; kind {
	case "agent_message_chunk":
		return said(KindText, "Says", u.Get("content.text").Str)
	case "agent_thought_chunk":
		return said(KindThink, "Thinks", u.Get("content.text").Str)
	case "user_message_chunk":
		return said(KindNote, "Told", u.Get("content.text").Str)
	case "tool_call", "tool_call_update":
		piece := u.Get("_meta.terminal_output_delta.data")
		switch status := u.Get("status").Str; {
		case status == "completed" || status == "failed":
			return acpResult(u)
		case piece.Exists():
			l := said(KindResult, "Output", piece.Str)
			l.Of = u.Get("toolCallId").Str
			return l
		default:
			return acpCall(u)
		}
	case "plan":
		return said(KindTool, "Plan", planWords(u))
	case "usage_update":
		words := fmt.Sprintf("%d of %d tokens", u.Get("used").Int(), u.Get("size").Int())
		if cost := u.Get("cost"); cost.Exists() {
			words += fmt.Sprintf(", %.4f %s so far", cost.Get("amount").Float(), cost.Get("currency").Str)
		}
		return said(KindNote, "Context", words)
	default:
		return said(KindQuiet, "System", kind)
	}
}

// acpHeads are the headings of tool calls, by the protocol's kinds.
var acpHeads = map[string]string{
	"read": "Read", "edit": "Edit", "delete": "Delete", "move": "Move", "search": "Search",
	"execute": "Run", "think": "Think", "fetch": "Fetch",
}

// acpCall is a tool's call in one line. Some programs tell a call first without its input:
// nobody needs to read that.
func acpCall(u gjson.Result) Line {
	input, title := u.Get("rawInput"), u.Get("title").Str
	var l Line
	switch own := OwnTool(title); {
	case own == "signal-back":
		l = signalLine(input)
	case own != "":
		l = said(KindSignal, callWords(own), flat(input))
	default:
		l = said(KindTool, cmp.Or(acpHeads[u.Get("kind").Str], title, "Tool"), acpTarget(u))
	}
	if input.Exists() && l.Kind != KindTool && len(input.Map()) == 0 || l.Kind == KindTool && l.Text == "" {
		l.Kind = KindQuiet
	}
	l.Call = u.Get("toolCallId").Str
	return l
}

// acpTarget returns what a tool works on; "": the input is not told yet.
func acpTarget(u gjson.Result) string {
	input := u.Get("rawInput")
	if text := cmp.Or(target(input), input.Get("filePath").Str); text != "" {
		return text
	}
	if list := input.Get("todos"); list.IsArray() {
		return todoLine(input)
	}
	if !input.Exists() || u.Get("content.0").Exists() {
		return cmp.Or(u.Get("locations.0.path").Str, u.Get("title").Str)
	}
	if u.Get("kind").Str == "execute" {
		return "" // its folder alone says nothing
	}
	return flat(input)
}

func acpResult(u gjson.Result) Line {
	var texts []string
	for _, part := range u.Get("content").Array() {
		switch part.Get("type").Str {
		case "content":
			texts = append(texts, cmp.Or(part.Get("content.text").Str, "("+part.Get("content.type").Str+")"))
		case "diff":
			texts = append(texts, part.Get("path").Str)
		}
	}
	if code := u.Get("_meta.terminal_exit.exit_code"); len(texts) == 0 && code.Exists() {
		texts = append(texts, "exit code "+code.String())
	} else if len(texts) == 0 {
		texts = append(texts, cmp.Or(u.Get("rawOutput.output").Str, u.Get("rawOutput").String()))
	}
	l := said(KindResult, "Result", strings.Join(texts, "\n"))
	if u.Get("status").Str == "failed" {
		l.Kind, l.Head = KindError, "Failed"
	}
	l.Of = u.Get("toolCallId").Str
	return l
}

// planWords returns the progress of a plan and its current entry.
func planWords(u gjson.Result) string {
	done, now, entries := 0, "", u.Get("entries").Array()
	for _, entry := range entries {
		switch entry.Get("status").Str {
		case "completed":
			done++
		case "in_progress":
			now = ": " + entry.Get("content").Str
		}
	}
	return fmt.Sprintf("%d of %d done%s", done, len(entries), now)
}

// readACPCall returns the complete input of a tool call, and its diffs.
func readACPCall(u gjson.Result) (Call, bool) {
	var call Call
	for _, part := range u.Get("content").Array() {
		if part.Get("type").Str == "diff" {
			call.Parts = append(call.Parts, Edit{part.Get("path").Str, part.Get("oldText").Str, part.Get("newText").Str})
		}
	}
	input := u.Get("rawInput")
	switch {
	case len(call.Parts) > 0:
	case input.Get("command").Type == gjson.String:
		call.Parts = []Part{Command{input.Get("description").Str, input.Get("command").Str}}
	case input.Get("todos").IsArray():
		call.Parts = []Part{todos(input)}
	case input.Get("oldString").Exists():
		call.Parts = []Part{Edit{input.Get("filePath").Str, input.Get("oldString").Str, input.Get("newString").Str}}
	case input.IsObject():
		call.Parts = fields(input)
	default:
		call.Parts = []Part{Field{"title", u.Get("title").Str}}
	}
	return call, u.Get("toolCallId").Exists()
}
