package agentstest

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Request is one body that the main loop of an agent sent.
type Request struct {
	Body []byte
	N    int // how many came before it
}

// Tools lists the names of the tools that the model may call.
func (r Request) Tools() []string {
	var names []string
	for _, name := range gjson.GetBytes(r.Body, "tools.#.name").Array() {
		names = append(names, name.String())
	}
	return names
}

// HasTool reports whether the model may call this tool.
func (r Request) HasTool(name string) bool {
	for _, have := range r.Tools() {
		if have == name {
			return true
		}
	}
	return false
}

// Text returns everything that the model reads, the system prompt and the whole
// conversation, as one text.
func (r Request) Text() string {
	var b strings.Builder
	collect(&b, gjson.GetBytes(r.Body, "system"))
	collect(&b, gjson.GetBytes(r.Body, "messages"))
	return b.String()
}

// System returns only the system prompt.
func (r Request) System() string {
	var b strings.Builder
	collect(&b, gjson.GetBytes(r.Body, "system"))
	return b.String()
}

// Beginning returns what comes before the conversation, as it was sent: the tools and the
// system prompt. It leaves out the line of the system prompt that the CLI makes for its
// bill, which differs between any two requests.
func (r Request) Beginning() (tools, system string) {
	var b strings.Builder
	for _, block := range gjson.GetBytes(r.Body, "system").Array() {
		if !strings.HasPrefix(block.Get("text").String(), "x-anthropic-billing-header:") {
			b.WriteString(block.Raw + "\n")
		}
	}
	return gjson.GetBytes(r.Body, "tools").Raw, b.String()
}

// Compacts reports whether the CLI asks for a summary, with which it replaces the
// conversation. The model must answer with a text.
func (r Request) Compacts() bool {
	said := r.Said()
	return len(said) > 0 && strings.Contains(said[len(said)-1], "<summary>")
}

// Said returns the texts of the user's messages, oldest first: prompts, and what the CLI
// adds to them.
func (r Request) Said() []string { return r.texts("user") }

// Answered returns the texts of the model's own messages so far.
func (r Request) Answered() []string { return r.texts("assistant") }

func (r Request) texts(role string) []string {
	var texts []string
	for _, m := range gjson.GetBytes(r.Body, "messages").Array() {
		if m.Get("role").String() == role {
			var b strings.Builder
			collect(&b, m.Get("content"))
			texts = append(texts, b.String())
		}
	}
	return texts
}

// Turn returns how many messages of the model the conversation already contains. A script
// can rely on that number, because it survives a resume.
func (r Request) Turn() int {
	n := 0
	for _, m := range gjson.GetBytes(r.Body, "messages").Array() {
		if m.Get("role").String() == "assistant" {
			n++
		}
	}
	return n
}

// Since finds the newest message of the user that contains the marker. It returns its
// text, and how many messages the model has sent after it. The first line of a prompt is
// a good marker, because a resumed session contains several prompts.
func (r Request) Since(marker string) (text string, turn int) {
	messages := gjson.GetBytes(r.Body, "messages").Array()
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Get("role").String() == "assistant" {
			turn++
			continue
		}
		var b strings.Builder
		collect(&b, messages[i].Get("content"))
		if strings.Contains(b.String(), marker) {
			return b.String(), turn
		}
	}
	return "", turn
}

// LastResult returns the text of the newest tool result, or "" if the newest message has
// none, and whether it was an error.
func (r Request) LastResult() (text string, isError bool) {
	messages := gjson.GetBytes(r.Body, "messages").Array()
	for i := len(messages) - 1; i >= 0; i-- {
		for _, block := range messages[i].Get("content").Array() {
			if block.Get("type").String() == "tool_result" {
				var b strings.Builder
				collect(&b, block.Get("content"))
				return b.String(), block.Get("is_error").Bool()
			}
		}
	}
	return "", false
}

// Model returns the name of the model that was asked for.
func (r Request) Model() string { return gjson.GetBytes(r.Body, "model").String() }

// collect gathers the texts of a message's content, tool calls as JSON.
func collect(b *strings.Builder, v gjson.Result) {
	switch {
	case v.Type == gjson.String:
		b.WriteString(v.Str + "\n")
	case v.IsArray():
		for _, item := range v.Array() {
			collect(b, item)
		}
	case v.IsObject():
		switch v.Get("type").String() {
		case "text":
			b.WriteString(v.Get("text").String() + "\n")
		case "tool_use":
			b.WriteString(v.Get("name").String() + " " + v.Get("input").Raw + "\n")
		default:
			collect(b, v.Get("content"))
		}
	}
}
