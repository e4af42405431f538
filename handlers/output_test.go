package handlers_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
)

// rows renders lines of output as <log-view> gets them.
func rows(t *testing.T, lines ...string) [][]string {
	t.Helper()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	run := s.quest(t, p).Line("form").Run
	s.output.Write(run, lines...)
	r := httptest.NewRequest("GET", "/?"+url.Values{"from": {"0"}, "n": {"500"}}.Encode(), nil)
	w := httptest.NewRecorder()
	c := echo.New().NewContext(r, w)
	c.SetParamNames("run")
	c.SetParamValues(run)
	if err := s.pages.OutputPage(c); err != nil {
		t.Fatal(err)
	}
	var page struct {
		Lines [][]string
		Total int
	}
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
		t.Fatal(err)
	}
	if page.Total != len(lines) || len(page.Lines) != len(lines) {
		t.Fatalf("%d of %d lines", len(page.Lines), page.Total)
	}
	return page.Lines
}

// Every line of output is one readable row, whatever it is.
func TestOutputIsReadable(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"type":"system","subtype":"init","session_id":"s1","model":"opus"}`:                                                                "note|Session|s1 opus",
		`{"type":"assistant","message":{"content":[{"type":"text","text":"one\ntwo"}]}}`:                                                     "text|Says|one two",
		`{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"}]}}`:                                                   "think|Thinks|hm",
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"go test ./..."}}]}}`:                 "tool|Bash|go test ./...",
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"mcp__quest__signal-back","input":{"signal":"complete"}}]}}`:    "signal|Signals|signal-back signal: complete",
		`{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":[{"type":"text","text":"no such file"}]}]}}`:   "error|Failed|no such file",
		`{"type":"assistant","parent_tool_use_id":"t1","message":{"content":[{"type":"text","text":"minion"}]}}`:                             "text|Says|↳ minion",
		`{"type":"result","is_error":false,"num_turns":3,"duration_ms":1500,"total_cost_usd":0.01,"result":"done"}`:                          "done|Ended|3 turns, 1.5s, $0.0100 done",
		`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":1000,"error_status":429,"error":"rate_limit"}`: "error|Retry|rate_limit (429), attempt 1 of 10, in 1s",
		"\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07link\x1b]8;;\x07":                                                                 "raw||red link",
		`{"type":"from the future","x":1}`:                                                              `raw||{"type":"from the future","x":1}`,
		`{"type":"note","text":"not committed: \"x\""}`:                                                 "note|Note|not committed: \"x\"",
		`{"type":"setup","subtype":"start","command":"npm ci","cwd":"/w"}`:                              "tool|Set-up|npm ci",
		`{"type":"setup","stream":"output","text":"added  120 packages"}`:                               "raw||added  120 packages",
		`{"type":"setup","subtype":"end","exit_code":1,"duration_ms":1500,"why":"the set-up … exit 1"}`: "error|Failed|the set-up … exit 1, after 1.5s",
		`{"type":"setup","subtype":"end","exit_code":0,"duration_ms":1500,"why":"passed"}`:              "done|Ready|after 1.5s",
		`{"type":"assistant"`:                  `raw||{"type":"assistant"`,
		"":                                     "raw||",
		"a\x00b\u202ec\xff":                    "raw||a␀b⟨U+202E⟩c\ufffd",
		`{"type":"assistant","message":{}}`:    "note|Says|",
		`{"type":"user","message":"nonsense"}`: "result|Result|",
	} {
		if got := strings.Join(rows(t, line)[0], "|"); got != want {
			t.Errorf("%s\n  is %q\nwant %q", line, got, want)
		}
	}
}

func TestLongLinesAreCutInTheLogAndWholeOnTheirPage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 200_000)
	if row := rows(t, long)[0]; len([]rune(row[2])) > 700 {
		t.Errorf("the row has %d characters", len([]rune(row[2])))
	}
	s := newSite()
	p := handlerstest.Busy(s.engine)
	run := s.quest(t, p).Line("form").Run
	s.output.Write(run, "first", long, `{"type":"x","deep":{"a":[1,2]}}`)
	if got := words(parsed(t, call(t, s.pages.OutputLine, nil, "run", run, "line", "2")), "pre"); !strings.Contains(got, long) {
		t.Error("the line's page does not show all of it")
	}
	third := parsed(t, call(t, s.pages.OutputLine, nil, "run", run, "line", "3"))
	if got := third.Find("pre").Last().Text(); !strings.Contains(got, "\n  \"deep\": {\n") {
		t.Errorf("the JSON is not laid out: %q", got)
	}
	text := call(t, s.pages.OutputText, nil, "run", run).Body.String()
	if lines := strings.Split(strings.TrimRight(text, "\n"), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], "     1 ") {
		t.Errorf("the plain text has %d lines", len(lines))
	}
}
