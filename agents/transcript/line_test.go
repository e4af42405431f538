package transcript_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"questboard/agents/transcript"
)

// What an agent wrote for readers is in the log, whatever field it is in.
func TestAReportIsShownWithAllItsProse(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"signal":"needs-role-followup","targetRole":"codeweaver","reason":"gaps","context":"c","resume":false,"findings":[{"what":"no test","where":"a.go:1"}]}`: "gaps\n\nc\n\na.go:1: no test",
		`{"signal":"complete","summary":{"text":"no report"}}`:                     "signal: complete  summary: …",
		`{"signal":"needs-user-input","question":" which? ","context":"two ways"}`: "which?\n\ntwo ways",
	} {
		l := transcript.Read([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"mcp__quest__signal-back","input":` + input + `}]}}`))
		if l.Text != want {
			t.Errorf("%s: %q, want %q", input, l.Text, want)
		}
	}
}

// Every line of output becomes readable, whatever it is.
func TestReadSaysWhatALineSays(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"type":"system","subtype":"init","session_id":"s1","model":"opus"}`:                                                                                                                     "note|Session|s1  opus",
		`{"type":"assistant","message":{"content":[{"type":"text","text":"one\ntwo"}]}}`:                                                                                                          "text|Says|one\ntwo",
		`{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"}]}}`:                                                                                                        "think|Thinks|hm",
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"description":"test","command":"go test ./..."}}]}}`:                                                 "tool|Bash|go test ./...",
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Odd","input":{"n":1}}]}}`:                                                                                           "tool|Odd|n: 1",
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"mcp__quest__plan-steps","input":{"steps":[{"title":"One","files":["a"]},{"title":"Two"}],"of":{"x":1},"n":[1]}}]}}`: "signal|Writes the plan|steps: 2 (One; Two)  of: …  n: 1",
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"mcp__quest__get-quest","input":{"part":"plan"}}]}}`:                                                                 "signal|Calls get-quest|part: plan",
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"mcp__quest__signal-back","input":{"signal":"complete","summary":"It works."}}]}}`:                                   "signal|Reports: done|It works.",
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"TodoWrite","input":{"todos":[{"status":"completed","content":"a"},{"status":"in_progress","content":"b"}]}}]}}`:     "tool|Todo|1 of 2 done: b",
		`{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":[{"type":"text","text":"no such file"},{"type":"image"}]}]}}`:                                       "error|Failed|no such file\n(image)",
		`{"type":"user","message":{"content":"go on"}}`:                                                                                      "note|Told|go on",
		`{"type":"result","is_error":false,"num_turns":3,"duration_ms":1500,"total_cost_usd":0.01,"result":"done"}`:                          "done|Ended|3 turns, 1.5s, $0.0100  done",
		`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":1000,"error_status":429,"error":"rate_limit"}`: "error|Retry|rate_limit (429), attempt 1 of 10, in 1s",
		`{"type":"system","subtype":"thinking_tokens"}`:                                                                                      "quiet|System|thinking_tokens",
		`{"type":"note","text":"not committed"}`:                                                                                             "note|Note|not committed",
		`{"type":"ward","subtype":"end","exit_code":0,"none":true,"why":"no check"}`:                                                         "note|Ward|no check",
		`{"type":"setup","subtype":"end","exit_code":1,"duration_ms":1500,"why":"the set-up … exit 1"}`:                                      "error|Failed|the set-up … exit 1, after 1.5s",
		`{"type":"setup","stream":"output","text":"added  120 packages"}`:                                                                    "raw||added  120 packages",
		`{"type":"from the future","x":1}`:                                                                                                   `raw||{"type":"from the future","x":1}`,
		`{"type":"assistant"`:                                                                                                                `raw||{"type":"assistant"`,
		`{"type":"assistant","message":{}}`:                                                                                                  "note|Says|",
		`{"type":"user","message":"nonsense"}`:                                                                                               "result|Result|",
		"":                                                                                                                                   "raw||",
	} {
		l := transcript.Read([]byte(line))
		if got := fmt.Sprint(l.Kind, "|", l.Head, "|", l.Text); got != want {
			t.Errorf("%s\n  is %q\nwant %q", line, got, want)
		}
	}
}

// A tool call can be read in full, and nothing else can.
// A line that is nested without end must not fill the stack: that ends the whole server.
func TestALineThatIsNestedTooDeepIsShownAsItIs(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, line := range map[string]string{
		"whole":    `{"type":"note","text":"x","of":` + deep(20_000) + `}`,
		"cut off":  `{"type":"note","text":"x","of":` + strings.Repeat("[", 16<<20),
		"in a key": `{"type":"note","text":"x","of":` + strings.Repeat(`{"a":`, 3<<20),
	} {
		if got := transcript.Read([]byte(line)); got.Kind != transcript.KindRaw || got.Text != line {
			t.Errorf("%s: it is read as %s, %.40q", name, got.Kind, got.Text)
		}
	}
}

func TestACallIsReadInFull(t *testing.T) {
	t.Parallel()
	calls := 0
	for name, data := range fixtures(t) {
		for line := range bytes.Lines(data) {
			_, is := transcript.ReadCall(line)
			if l := transcript.Read(line); is != (l.Call != "") {
				t.Errorf("%s: %.200s is a call: %v, and of the call %q", name, line, is, l.Call)
			}
			if is {
				calls++
			}
		}
	}
	if calls < 20 {
		t.Errorf("only %d calls were found in the recorded runs", calls)
	}
	for input, want := range map[string]transcript.Call{
		`"MultiEdit","input":{"file_path":"a.go","edits":[{"old_string":"x","new_string":"y"},{"new_string":"z"}]}`: {
			Parts: []transcript.Part{transcript.Edit{Path: "a.go", Before: "x", After: "y"}, transcript.Edit{Path: "a.go", After: "z"}}},
		`"Bash","input":{"command":"ls","description":"look"}`: {Parts: []transcript.Part{transcript.Command{Title: "look", Line: "ls"}}},
		`"Task","input":{"prompt":"go","description":"map"}`:   {Parts: []transcript.Part{transcript.Prompt{Title: "map", Text: "go"}}, Prose: true},
		`"TodoWrite","input":{"todos":[{"status":"in_progress","content":"b"}]}`: {
			Parts: []transcript.Part{transcript.Todos{{State: "now", Text: "b"}}}},
		`"Odd","input":{"a":{"b":1},"n":2}`: {
			Parts: []transcript.Part{transcript.Field{Name: "a", Value: "{\n  \"b\": 1\n}"}, transcript.Field{Name: "n", Value: "2"}}},
	} {
		got, is := transcript.ReadCall([]byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","name":` + input + `}]}}`))
		if !is || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %+v, want %+v", input, got, want)
		}
	}
}
