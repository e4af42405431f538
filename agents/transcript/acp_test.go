package transcript_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/transcript"
	"questboard/orchestration"
)

// recorded returns what opencode 1.18.33 sent in one exchange, against a model of our own.
func recorded(t *testing.T, name string) [][]byte {
	t.Helper()
	return recordedOf(t, "opencode-"+name)
}

// recordedOf returns what an agent's program sent: Codex is that of its adapter 2.6.0,
// Gemini that of 0.61.0.
func recordedOf(t *testing.T, name string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "acp", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

func feedACP(s *transcript.ACP, lines [][]byte) (seen []transcript.Seen) {
	for _, line := range lines {
		seen = append(seen, s.Feed(line))
	}
	return seen
}

func TestEveryRecordedEndingOfAnotherAgentHasItsRow(t *testing.T) {
	t.Parallel()
	const old = "ses_def79f3e8ffeXvYcK5Eb8Xvpzy"
	for name, want := range map[string]struct {
		session string
		end     orchestration.End
		why     string
		cost    float64
	}{
		"work":            {"", orchestration.EndClean, "ended its turn", 0.0005},
		"refused":         {"", orchestration.EndClean, "ended its turn", 0.0005},
		"loaded":          {old, orchestration.EndClean, "ended its turn", 0.0015},
		"login":           {"", orchestration.EndLogin, "the agent is not logged in: sign in, then try again", 0},
		"rate-limit":      {"", orchestration.EndOverloaded, "limits the rate", 0},
		"context":         {"", orchestration.EndContext, "context window", 0},
		"unknown-session": {old + "z", orchestration.EndUnknownSession, "not there any more", 0},
	} {
		s := &transcript.ACP{Session: want.session, Login: "sign in"}
		feedACP(s, recorded(t, name))
		// The exit code of a program that waits for more says nothing.
		end, exit := transcript.Classify(transcript.Ending{Facts: s.Facts(), Tokens: s.Tokens(), Code: 143})
		if end != want.end || !strings.Contains(exit.Why, want.why) || exit.SessionCost-want.cost > 1e-9 || want.cost-exit.SessionCost > 1e-9 {
			t.Errorf("%s: ended %s, %q, $%g; want %s, %q, $%g", name, end, exit.Why, exit.SessionCost, want.end, want.why, want.cost)
		}
	}
}

func TestAnAgentThatWasToldToEndItsTurnWasInterrupted(t *testing.T) {
	t.Parallel()
	s := &transcript.ACP{}
	feedACP(s, recorded(t, "work")[:4])
	s.Feed([]byte(`{"jsonrpc":"2.0","id":"session/prompt","result":{"stopReason":"cancelled"}}`))
	if end, exit := transcript.Classify(transcript.Ending{Facts: s.Facts(), Cut: transcript.CutAsked}); end != orchestration.EndInterrupted || !s.Facts().Cancelled() {
		t.Errorf("ended %s: %s", end, exit.Why)
	}
}

// Codex ends its turn by itself when a call is refused, and says "cancelled" then, too.
func TestARefusedCallMakesNoCleanEndOfATurnThatWasCancelled(t *testing.T) {
	t.Parallel()
	for cut, want := range map[transcript.Cut]orchestration.End{transcript.CutAsked: orchestration.EndInterrupted, transcript.CutNot: orchestration.EndClean} {
		s := &transcript.ACP{}
		feedACP(s, recorded(t, "work")[:4])
		s.Denied(orchestration.DeniedCall{Tool: "Bash"})
		s.Feed([]byte(`{"jsonrpc":"2.0","id":"session/prompt","result":{"stopReason":"cancelled"}}`))
		if end, exit := transcript.Classify(transcript.Ending{Facts: s.Facts(), Cut: cut}); end != want {
			t.Errorf("cut %v: ended %s: %s", cut, end, exit.Why)
		}
	}
}

func TestAnAgentThatCannotWorkWithUsSaysWhy(t *testing.T) {
	t.Parallel()
	for line, why := range map[string]string{
		`{"jsonrpc":"2.0","id":"initialize","result":{"protocolVersion":2,"agentCapabilities":{"mcpCapabilities":{"http":true}}}}`: "speaks version 2",
		`{"jsonrpc":"2.0","id":"initialize","result":{"protocolVersion":1,"agentCapabilities":{}}}`:                                "no MCP server over HTTP",
		`{"jsonrpc":"2.0","id":"session/new","result":{}}`:                                                                         "without an id",
	} {
		s := &transcript.ACP{}
		seen := s.Feed([]byte(line))
		if end, exit := transcript.Classify(transcript.Ending{Facts: s.Facts()}); !seen.Result || end != orchestration.EndNotStarted || !strings.Contains(exit.Why, why) {
			t.Errorf("%s: ended %s: %s", line, end, exit.Why)
		}
	}
}

// What a program calls its error is a word of a stranger.
func TestAWordOfAProgramIsNoReasonOfOurs(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"unfit", "protocol", "capped"} {
		if end, exit := transcript.Classify(transcript.Ending{Facts: transcript.Facts{Fault: word}, Code: 1}); end != orchestration.EndCrashed {
			t.Errorf("%s: ended %s: %s", word, end, exit.Why)
		}
	}
}

func TestWhatALoadedSessionTellsAgainIsNoProgress(t *testing.T) {
	t.Parallel()
	s := &transcript.ACP{Session: "ses_def79f3e8ffeXvYcK5Eb8Xvpzy"}
	replayed, opened := 0, false
	for _, seen := range feedACP(s, recorded(t, "loaded")) {
		if seen.Opened {
			opened = true
		}
		if seen.Replayed {
			replayed++
			if opened || seen.Progress || seen.Line != "" {
				t.Errorf("replayed as %+v", seen)
			}
		}
	}
	if replayed != 22 || s.OpenTools() != 0 {
		t.Errorf("%d lines were replayed, %d tools are open", replayed, s.OpenTools())
	}
}

func TestTheCardShowsWhatAnotherAgentDoes(t *testing.T) {
	t.Parallel()
	s := &transcript.ACP{}
	var lines []string
	answered := 0
	for _, seen := range feedACP(s, recorded(t, "work")) {
		if seen.Line != "" && (len(lines) == 0 || lines[len(lines)-1] != seen.Line) {
			lines = append(lines, seen.Line)
		}
		if seen.SignalAnswered {
			answered++
		}
	}
	want := "I will|I will look around.|Run echo hi > out.txt|Edit /repo/a.txt|todowrite 0 of 1 done: one|Reports: done|Done."
	if got := strings.Join(lines, "|"); got != want || answered != 1 {
		t.Errorf("the card showed\n%s\nwant\n%s\nanswered %d times", got, want, answered)
	}
	if f := s.Facts(); f.LastText != "Done." || f.Context != 100 || f.Version != "1.18.33" || f.NoWayToSignal() {
		t.Errorf("facts %+v", f)
	}
}

func TestLinesOfAnotherAgentAreReadable(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, line := range recorded(t, "work") {
		if l := transcript.Read(line); l.Kind != transcript.KindQuiet {
			fmt.Fprintf(&got, "%s|%s|%s|%s%s\n", l.Kind, l.Head, strings.ReplaceAll(l.Text, "\n", "/"), l.Call, l.Of)
		}
	}
	const want = `note|Agent|OpenCode  1.18.33|
note|Session|ses_def79f3e8ffeXvYcK5Eb8Xvpzy|
text|Says|I will |
text|Says|look around. |
tool|Run|echo hi > out.txt|call_0
tool|Run|echo hi > out.txt|call_0
result|Result|(no output)|call_0
tool|Edit|/repo/a.txt|call_1
tool|Edit|/repo/a.txt|call_1
result|Result|Edit applied successfully.//repo/a.txt|call_1
tool|todowrite|0 of 1 done: one|call_2
result|Result|[/  {/    "content": "one",/    "status": "in_progress",/    "priority": "high"/  }/]|call_2
signal|Reports: done||call_3
result|Result|accepted|call_3
text|Says|Done.|
note|Context|100 of 100000 tokens, 0.0005 USD so far|
done|Ended|its turn|
`
	if got.String() != want {
		t.Errorf("read\n%s\nwant\n%s", got.String(), want)
	}
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"plan","entries":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"}]}}}`: "tool|Plan|1 of 2 done: b",
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":"1","title":"Read a.go","kind":"read"}}}`:                                 "tool|Read|Read a.go",
		`{"jsonrpc":"2.0","id":"session/prompt","error":{"code":1,"message":"broken","data":"more"}}`:                                                                                      "error|Failed|broken  more",
		`{"jsonrpc":"2.0","id":"session/prompt","result":{"stopReason":"refusal"}}`:                                                                                                        "error|Ended|refusal",
	} {
		l := transcript.Read([]byte(line))
		if got := fmt.Sprintf("%s|%s|%s", l.Kind, l.Head, l.Text); got != want {
			t.Errorf("%s reads as %q, want %q", line, got, want)
		}
	}
}

func TestACallOfAnotherAgentShowsItsDiff(t *testing.T) {
	t.Parallel()
	for _, line := range recorded(t, "work") {
		call, is := transcript.ReadCall(line)
		if l := transcript.Read(line); l.Call != "call_1" || l.Kind == transcript.KindQuiet {
			continue
		}
		if want := (transcript.Edit{Path: "/repo/a.txt", Before: "old", After: "new"}); !is || len(call.Parts) != 1 || call.Parts[0] != want {
			t.Errorf("%s reads as %+v", line, call)
		}
	}
}

func TestWhatATurnOfAnotherAgentCost(t *testing.T) {
	t.Parallel()
	const opened = `{"id":"session/new","result":{"sessionId":"a"}}`
	ended := func(meta string) string {
		return `{"id":"session/prompt","result":{"stopReason":"end_turn","usage":{"inputTokens":9,"outputTokens":9},"_meta":` + meta + `}}`
	}
	cost := func(usd string) string {
		return `{"method":"session/update","params":{"update":{"sessionUpdate":"usage_update","used":1,"cost":{"amount":` + usd + `,"currency":"USD"}}}}`
	}
	for name, c := range map[string]struct {
		lines  []string
		tokens orchestration.Tokens
		usd    float64
	}{
		"the answer of the turn has its tokens": {[]string{opened, ended(`{"quota":{"token_count":{"totalTokens":17,"inputTokens":5,"cachedInputTokens":7,"cacheWriteInputTokens":1,"outputTokens":4}}}`)},
			orchestration.Tokens{Input: 5, Output: 4, CacheRead: 7, CacheWrite: 1}, 0},
		"a program has other names for them":            {[]string{opened, ended(`{"quota":{"token_count":{"input_tokens":5,"output_tokens":4}}}`)}, orchestration.Tokens{Input: 5, Output: 4}, 0},
		"a program does not say of what its tokens are": {[]string{opened, ended(`{}`)}, orchestration.Tokens{}, 0},
		"no tokens are less than nothing":               {[]string{opened, ended(`{"quota":{"token_count":{"inputTokens":-5,"outputTokens":"x"}}}`)}, orchestration.Tokens{}, 0},
		"the last cost counts, even after the turn":     {[]string{opened, cost("0.5"), ended(`{}`), cost("0.75")}, orchestration.Tokens{}, 0.75},
	} {
		s := &transcript.ACP{}
		for _, line := range c.lines {
			s.Feed([]byte(line))
		}
		told := s.Facts().Told(s.Tokens(), true)
		_, exit := transcript.Classify(transcript.Ending{Facts: s.Facts(), Tokens: s.Tokens()})
		if exit.Tokens != c.tokens || exit.SessionCost != c.usd || told.Tokens != c.tokens || told.SessionCost != c.usd {
			t.Errorf("%s: ended with %+v and $%g, told %+v", name, exit.Tokens, exit.SessionCost, told)
		}
	}
}
