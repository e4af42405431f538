package handlers_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
)

func toolCall(id, name, input, at string) string {
	return fmt.Sprintf(`{"type":"assistant","timestamp":%q,"message":{"content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}}`, at, id, name, input)
}

func toolResult(id, text, at string, failed bool) string {
	return fmt.Sprintf(`{"type":"user","timestamp":%q,"message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":%q,"is_error":%v}]}}`, at, id, text, failed)
}

const begun, ended = "2026-11-21T14:02:09.000Z", "2026-11-21T14:02:09.810Z"

// Some programs tell a call first without its input, and again while it is at work. It has
// one row, with its input and its result.
func TestACallThatIsToldAgainHasOneRow(t *testing.T) {
	t.Parallel()
	s := newSite()
	run := s.quest(t, handlerstest.Busy(s.engine)).Step("form").Run
	told := func(status, more string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","kind":"execute","status":%q%s}}}`, status, more)
	}
	const input = `,"rawInput":{"command":"ls"}`
	s.output.Write(run, told("pending", `,"rawInput":{}`), told("in_progress", input), told("in_progress", input),
		told("failed", `,"content":[{"type":"content","content":{"type":"text","text":"no"}}]`))
	lines := s.output500(t, run, 0).Lines
	if got := row(t, lines[1]); got != "tool failed|Run|ls failed" {
		t.Errorf("the call is %q", got)
	}
	for i, want := range map[int]string{0: "[-1]", 2: "[-1]", 3: "[1]"} {
		if got := string(lines[i]); got != want {
			t.Errorf("line %d is %q, want %s", i+1, got, want)
		}
	}
}

// A result is part of its call, even if they are on different pages. The call says how
// long it took and whether it failed.
func TestAResultIsWithinItsCall(t *testing.T) {
	t.Parallel()
	s := newSite()
	run := s.quest(t, handlerstest.Busy(s.engine)).Step("form").Run
	s.output.Write(run, toolCall("t1", "Bash", `{"command":"ls"}`, begun), toolResult("t1", "a b", ended, false),
		toolCall("t2", "Read", `{"file_path":"x.go"}`, begun))
	for range 700 {
		s.output.Write(run, `{"type":"note","text":"between"}`)
	}
	s.output.Write(run, toolResult("t2", "no such file", ended, true), toolResult("lost", "whose?", ended, false))
	first, second := s.output500(t, run, 0), s.output500(t, run, 500)
	if got := row(t, first.Lines[0]); got != "tool|Bash|ls 0.8s" {
		t.Errorf("the call is %q", got)
	}
	if got := string(first.Lines[1]); got != "[0]" {
		t.Errorf("its result is %q", got)
	}
	const failed = "tool failed|Read|x.go 0.8s failed"
	if got := row(t, first.Lines[2]); got != failed {
		t.Errorf("the call whose result is on another page is %q", got)
	}
	var pair []json.RawMessage
	if err := json.Unmarshal(second.Lines[203], &pair); err != nil || string(pair[0]) != "2" || row(t, pair[1]) != failed {
		t.Errorf("a result brings %q to its call, %v", second.Lines[203], err)
	}
	if got := row(t, second.Lines[204]); got != "result|Result|whose?" {
		t.Errorf("a result without a call is %q", got)
	}
	text := words(parsed(t, call(t, s.pages.OutputLine, nil, "run", run, "line", "3")), ".detail")
	if !strings.Contains(text, "x.go") || !strings.Contains(text, "It failed") || !strings.Contains(text, "no such file") {
		t.Errorf("the opened call says %q", text)
	}
}

func TestAnEditIsADifference(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"file_path":"a.go","old_string":"one\ntwo\n","new_string":"one\n2 <b>\n"}`:                            "same:one del:two add:2 <b>",
		`{"file_path":"a.go","edits":[{"old_string":"x","new_string":"y"},{"old_string":"","new_string":"z"}]}`: "del:x add:y add:z",
		`{"file_path":"a.go","content":"all\nnew\n"}`:                                                           "add:all add:new",
	} {
		name := map[bool]string{true: "MultiEdit", false: "Edit"}[strings.Contains(input, "edits")]
		if strings.Contains(input, "content") {
			name = "Write"
		}
		s := newSite()
		run := s.quest(t, handlerstest.Busy(s.engine)).Step("form").Run
		s.output.Write(run, toolCall("t1", name, input, begun))
		page := parsed(t, call(t, s.pages.OutputLine, nil, "run", run, "line", "1"))
		var got []string
		for _, e := range page.Find(".detail td.code").EachIter() {
			kind, _, _ := strings.Cut(strings.TrimPrefix(e.AttrOr("class", ""), "code "), " ")
			got = append(got, kind+":"+e.Find("span").Last().Text())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	s := newSite()
	run := s.quest(t, handlerstest.Busy(s.engine)).Step("form").Run
	huge := strings.Repeat("line\n", 20_000)
	s.output.Write(run, toolCall("t1", "Edit", fmt.Sprintf(`{"file_path":"a","old_string":%q,"new_string":%q}`, huge, huge+"x"), begun))
	if text := words(parsed(t, call(t, s.pages.OutputLine, nil, "run", run, "line", "1")), ".detail"); !strings.Contains(text, "too large to compare") {
		t.Error("a huge edit does not say that it is not compared")
	}
}

// look searches a run's output.
func (s *site) look(t *testing.T, run, query string) (found struct {
	Hits        []int
	Rows        []json.RawMessage
	Next, Total int
}) {
	t.Helper()
	w := httptest.NewRecorder()
	c := echo.New().NewContext(httptest.NewRequest("GET", "/?"+query, nil), w)
	c.SetParamNames("run")
	c.SetParamValues(run)
	if err := s.pages.FindInOutput(c); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTheWholeOutputIsSearched(t *testing.T) {
	t.Parallel()
	s := newSite()
	run := s.quest(t, handlerstest.Busy(s.engine)).Step("form").Run
	lines := make([]string, 30_000)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i)
	}
	lines[7], lines[29_000] = "A Needle", "another needle"
	lines[100], lines[101] = toolCall("t1", "Bash", `{"command":"false"}`, begun), toolResult("t1", "exit 1", ended, true)
	s.output.Write(run, lines...)
	first := s.look(t, run, "q=needle")
	if fmt.Sprint(first.Hits) != "[7]" || first.Next != 20_000 || first.Total != 30_000 || len(first.Rows) != 0 {
		t.Errorf("the first part: %+v", first)
	}
	if rest := s.look(t, run, "q=needle&from=20000"); fmt.Sprint(rest.Hits) != "[29000]" || rest.Next != 30_000 {
		t.Errorf("the rest: %+v", rest)
	}
	wrong := s.look(t, run, "errors=1")
	if fmt.Sprint(wrong.Hits) != "[100]" || row(t, wrong.Rows[0]) != "tool failed|Bash|false 0.8s failed" {
		t.Errorf("what went wrong: %v %s", wrong.Hits, wrong.Rows)
	}
	if none := s.look(t, run, ""); len(none.Hits) != 0 || none.Next != 0 {
		t.Errorf("nothing was asked for, and %+v is the answer", none)
	}
}

// Colours of a terminal become classes. All other control sequences are removed.
func TestColoursOfATerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\x1b[31mred\x1b[0m plain":                                 `<span class="c1">red</span> plain`,
		"\x1b[1;32mok\x1b[22m still\x1b[m no":                      `<span class="c2 bold">ok</span><span class="c2"> still</span> no`,
		"\x1b[38;5;9mbright\x1b[39m":                               `<span class="c1">bright</span>`,
		"\x1b[38;2;1;2;3mtrue\x1b[48;5;1mback":                     `trueback`,
		"\x1b[2K\x1b[1Gmoved\x1b]0;title\x07":                      `moved`,
		"\x1b[31\"><script>m":                                      `⟨␛⟩`,
		"\x1b[99999999999999999999mx\x1b[38;5mx\x1b[38mx\x1b[;;mx": `xxxx`,
	} {
		line, err := json.Marshal(map[string]string{"type": "ward", "stream": "output", "text": text})
		if err != nil {
			t.Fatal(err)
		}
		var html string
		if err := json.Unmarshal(outputOf(t, string(line)).Lines[0], &html); err != nil {
			t.Fatal(err)
		}
		if want == "⟨␛⟩" {
			if strings.Contains(html, "<script") || strings.Contains(html, "\x1b") {
				t.Errorf("%q makes %s", text, html)
			}
			continue
		}
		if !strings.Contains(strings.Join(strings.Fields(html), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%q makes %s\nwant %s", text, html, want)
		}
	}
}
