package handlers_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
)

// logPage is a page of output as <log-view> reads it.
type logPage struct {
	Lines []json.RawMessage
	Total int
}

// outputOf renders lines of output.
func outputOf(t *testing.T, lines ...string) logPage {
	t.Helper()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	run := s.quest(t, p).Step("form").Run
	s.output.Write(run, lines...)
	return s.output500(t, run, 0)
}

func (s *site) output500(t *testing.T, run string, from int) logPage {
	t.Helper()
	r := httptest.NewRequest("GET", "/?"+url.Values{"from": {strconv.Itoa(from)}, "n": {"500"}}.Encode(), nil)
	w := httptest.NewRecorder()
	c := echo.New().NewContext(r, w)
	c.SetParamNames("run")
	c.SetParamValues(run)
	if err := s.pages.OutputPage(c); err != nil {
		t.Fatal(err)
	}
	var page logPage
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
		t.Fatal(err)
	}
	return page
}

// row returns what a row shows: its kind, its head and its text.
func row(t *testing.T, line json.RawMessage) string {
	t.Helper()
	var html string
	if json.Unmarshal(line, &html) != nil {
		return string(line)
	}
	page, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	if err != nil {
		t.Fatal(err)
	}
	e := page.Find(".row")
	kind := e.AttrOr("data-kind", "") + strings.TrimPrefix(e.AttrOr("class", ""), "row")
	head := e.Find("b").First().Remove().Text()
	e.Find(".ln, time").Remove()
	return kind + "|" + head + "|" + strings.Join(strings.Fields(e.Text()), " ")
}

// Every line of output is one readable row.
func TestOutputIsReadable(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"type":"system","subtype":"init","session_id":"s1","model":"opus"}`:                                                                                        "note|Session|s1 opus",
		`{"type":"assistant","message":{"content":[{"type":"text","text":"one\ntwo"}]}}`:                                                                             "text||one two",
		`{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"}]}}`:                                                                           "think|Thinks|hm",
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"go test ./..."}}]}}`:                                         "tool|Bash|go test ./...",
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"mcp__quest__signal-back","input":{"signal":"complete"}}]}}`:                            "signal|Reports: done|",
		`{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":[{"type":"text","text":"no such file"}]}]}}`:                           "error|Failed|no such file",
		`{"type":"assistant","parent_tool_use_id":"t1","message":{"content":[{"type":"text","text":"minion"}]}}`:                                                     "text nested||minion",
		`{"type":"assistant","parent_tool_use_id":"t1","task_description":"look \u202e around","message":{"content":[{"type":"text","text":"x"}]}}`:                  "text nested||minion look ⟨U+202E⟩ around x",
		`{"type":"assistant","parent_tool_use_id":"t1","task_description":"map","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"ls"}}]}}`: "tool nested|Bash|minion map ls",
		`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Agent","input":{"description":"map","prompt":"Map it.\nAll."}}]}}`:                     "tool|Minion|map: Map it.",
		`{"type":"result","is_error":false,"num_turns":3,"duration_ms":1500,"total_cost_usd":0.01,"result":"done"}`:                                                  "done|Ended|3 turns, 1.5s, $0.0100 done",
		`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":1000,"error_status":429,"error":"rate_limit"}`:                         "error|Retry|rate_limit (429), attempt 1 of 10, in 1s",
		"\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07link\x1b]8;;\x07":                                                                                         "raw||red link",
		`{"type":"from the future","x":1}`:                                                              `raw||{"type":"from the future","x":1}`,
		`{"type":"note","text":"not committed: \"x\""}`:                                                 "note|Note|not committed: \"x\"",
		`{"type":"setup","subtype":"start","command":"npm ci","cwd":"/w"}`:                              "tool|Set-up|npm ci",
		`{"type":"setup","stream":"output","text":"added  120 packages"}`:                               "raw||added 120 packages",
		`{"type":"setup","subtype":"end","exit_code":1,"duration_ms":1500,"why":"the set-up … exit 1"}`: "error|Failed|the set-up … exit 1, after 1.5s",
		`{"type":"setup","subtype":"end","exit_code":0,"duration_ms":1500,"why":"passed"}`:              "done|Ready|after 1.5s",
		`{"type":"assistant"`:                  `raw||{"type":"assistant"`,
		"":                                     "raw||",
		"a\x00b\u202ec\xff":                    "raw||a␀b⟨U+202E⟩c\ufffd",
		"ad\u200bmin\u00ad\U000e0041\u2069":    "raw||ad⟨U+200B⟩min⟨U+00AD⟩⟨U+E0041⟩⟨U+2069⟩",
		"👩\u200d👧 می\u200cخواهم":               "raw||👩\u200d👧 می\u200cخواهم",
		`{"type":"assistant","message":{}}`:    "note|Says|",
		`{"type":"user","message":"nonsense"}`: "result|Result|",
	} {
		if got := row(t, outputOf(t, line).Lines[0]); got != want {
			t.Errorf("%s\n  is %q\nwant %q", line, got, want)
		}
	}
}

func TestLongLinesAreCutInTheLogAndWholeOnTheirPage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 200_000)
	if got := row(t, outputOf(t, long).Lines[0]); len([]rune(got)) > 700 {
		t.Errorf("the row has %d characters", len([]rune(got)))
	}
	blank := `{"type":"note","text":"ab` + strings.Repeat(" ", 5000) + `cd"}`
	if got := row(t, outputOf(t, blank).Lines[0]); got != "note|Note|ab …" {
		t.Errorf("of a line with 5,000 blanks %q is shown", got)
	}
	s := newSite()
	p := handlerstest.Busy(s.engine)
	run := s.quest(t, p).Step("form").Run
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
