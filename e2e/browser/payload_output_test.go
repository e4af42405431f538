package browser_test

import (
	"fmt"
	"regexp"
	"strings"
)

// outputs are the lines that agents and checks write, by what of them is
// hostile. %s is a text within JSON; a line without JSON is the text itself.
var outputs = []struct{ place, line string }{
	{"output.text", `{"type":"assistant","message":{"content":[{"type":"text","text":%s}]}}`},
	{"output.thinking", `{"type":"assistant","message":{"content":[{"type":"thinking","thinking":%s}]}}`},
	{"output.tool name", `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"name","name":%s,"input":{"command":"x"}}]}}`},
	{"output.tool input", `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"input","name":"Bash","input":{"command":%s}}]}}`},
	{"output.tool path", `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"path","name":"Edit","input":{"file_path":%s,"old_string":%[1]s,"new_string":%[1]s}}]}}`},
	{"output.signal", `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"signal","name":"mcp__quest__signal-back","input":{"signal":"complete","summary":%s}}]}}`},
	{"output.tool result", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"of none","content":%s}]}}`},
	{"output.tool error", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"input","is_error":true,"content":[{"type":"text","text":%s}]}]}}`},
	{"output.sub-agent", `{"type":"assistant","parent_tool_use_id":"input","message":{"content":[{"type":"text","text":%s}]}}`},
	{"output.told", `{"type":"user","message":{"content":%s}}`},
	{"output.system", `{"type":"system","subtype":"status","description":%s}`},
	{"output.session", `{"type":"system","subtype":"init","session_id":%s,"model":"m"}`},
	{"output.note", `{"type":"note","text":%s}`},
	{"output.retry", `{"type":"system","subtype":"api_retry","error":%s,"attempt":1}`},
	{"output.result", `{"type":"result","is_error":true,"result":%s}`},
	{"output.ward", `{"type":"ward","subtype":"line","text":%s}`},
	{"output.ward command", `{"type":"ward","subtype":"start","command":%s}`},
	{"output.ward end", `{"type":"ward","subtype":"end","exit_code":1,"why":%s}`},
	{"output.set-up", `{"type":"setup","subtype":"note","text":%s}`},
	{"output.limit", `{"type":"rate_limit_event","rate_limit_info":{"status":%s}}`},
	{"output.plain", ""},
}

// calls finds the ids of tool calls, of which the log has one row each.
var calls = regexp.MustCompile(`(use_id|"tool_use","id)":"`)

// lines returns the payloads as output, each one in every kind of line.
func (p *poisoner) lines() []string {
	var all []string
	for n := range p.payloads {
		for _, o := range outputs {
			if o.line == "" {
				all = append(all, p.one(o.place, n, "\n", " ")) // otherwise it would be two lines
				continue
			}
			line := calls.ReplaceAllString(o.line, fmt.Sprintf("${0}%d-", n))
			all = append(all, fmt.Sprintf(line, jsonString(p.one(o.place, n))))
		}
	}
	return all
}

// jsonString quotes a text and leaves bytes that are no text as they are, which
// encoding/json does not.
func jsonString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
