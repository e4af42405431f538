package transcript_test

import (
	"strings"
	"testing"
	"time"

	"questboard/agents/transcript"
	"questboard/orchestration"
)

// Each recorded run ended in a known way
// (docs/state-machine.md#a-run-that-ends-without-a-signal), as if no signal had been
// accepted.
func TestEndingOfEveryRecordedRun(t *testing.T) {
	t.Parallel()
	want := map[string]struct {
		ending transcript.Ending
		end    orchestration.End
		why    string
	}{
		"complete":              {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"resumed-with-answer":   {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"no-signal":             {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"bad-signal":            {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"minion":                {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"tools":                 {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"denied":                {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"approve":               {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"rate-limit-once":       {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"killed-after-question": {transcript.Ending{Signal: "SIGKILL"}, orchestration.EndCrashed, "killed by SIGKILL"},
		"overloaded":            {transcript.Ending{Code: 1}, orchestration.EndOverloaded, "overloaded"},
		"auth":                  {transcript.Ending{Cut: transcript.CutLogin, Signal: "SIGTERM"}, orchestration.EndLogin, "not logged in"},
		"context":               {transcript.Ending{Code: 1}, orchestration.EndContext, "context window"},
		"cut":                   {transcript.Ending{Code: 1}, orchestration.EndOverloaded, "could not be reached"},
		"mcp-down":              {transcript.Ending{}, orchestration.EndInfrastructure, "MCP server (failed)"},
		"bad-resume": {transcript.Ending{Code: 1, Stderr: "No conversation found with session ID: 0"},
			orchestration.EndUnknownSession, "not there any more"},
		"2.1.329-auth":             {transcript.Ending{Cut: transcript.CutLogin, Signal: "SIGTERM"}, orchestration.EndLogin, "not logged in"},
		"2.1.329-bad-resume":       {transcript.Ending{Code: 1}, orchestration.EndUnknownSession, "not there any more"},
		"2.1.329-context":          {transcript.Ending{Code: 1}, orchestration.EndContext, "context window"},
		"2.1.329-cut":              {transcript.Ending{Code: 1}, orchestration.EndOverloaded, "could not be reached"},
		"2.1.329-mcp-down":         {transcript.Ending{Cut: transcript.CutServer, Signal: "SIGTERM"}, orchestration.EndInfrastructure, "MCP server (failed)"},
		"2.1.329-minion":           {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"2.1.329-no-login":         {transcript.Ending{Code: 1}, orchestration.EndLogin, "not logged in"},
		"2.1.329-no-signal":        {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"2.1.329-overloaded":       {transcript.Ending{Code: 1}, orchestration.EndOverloaded, "overloaded"},
		"2.1.329-rate-limit-once":  {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"2.1.329-resumed":          {transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		"2.1.329-signal-forbidden": {transcript.Ending{Cut: transcript.CutServer, Signal: "SIGTERM"}, orchestration.EndInfrastructure, "not given"},
	}
	for name, data := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, ok := want[name]
			if !ok {
				t.Fatal("no expectation for this recording")
			}
			s := feed(data)
			w.ending.Facts, w.ending.Tokens = s.Facts(), s.Tokens()
			end, exit := transcript.Classify(w.ending)
			if end != w.end || !strings.Contains(exit.Why, w.why) {
				t.Errorf("%s (%s), want %s (… %s …)", end, exit.Why, w.end, w.why)
			}
		})
	}
}

const initLine = `{"type":"system","subtype":"init","session_id":"s","mcp_servers":[{"name":"quest","status":"connected"}],"tools":["mcp__quest__signal-back"]}` + "\n"

func TestEndingClassification(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule   string
		lines  string
		ending transcript.Ending
		end    orchestration.End
		why    string
	}{
		{"exit 0 without a result proves nothing", initLine, transcript.Ending{}, orchestration.EndCrashed, "without a result"},
		{"exit 0 without any output", "", transcript.Ending{}, orchestration.EndCrashed, "without any output"},
		{"signal-back was denied", initLine + `{"type":"result","subtype":"success","is_error":false,"permission_denials":[{"tool_name":"mcp__quest__signal-back"}]}`,
			transcript.Ending{}, orchestration.EndInfrastructure, "not allowed"},
		{"the cap is reached", initLine + `{"type":"result","subtype":"error_max_budget_usd","is_error":true,"total_cost_usd":0.0016,"errors":["Reached maximum budget ($0.001)"]}`,
			transcript.Ending{Code: 1}, orchestration.EndCapped, "share of the budget"},
		{"another tool was denied", initLine + `{"type":"result","subtype":"success","is_error":false,"permission_denials":[{"tool_name":"WebFetch"}]}`,
			transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		{"our server is not listed", `{"type":"system","subtype":"init","session_id":"s","mcp_servers":[]}`,
			transcript.Ending{Cut: transcript.CutServer}, orchestration.EndInfrastructure, "did not load"},
		{"our server came without its tool", `{"type":"system","subtype":"init","session_id":"s","mcp_servers":[{"name":"quest","status":"connected"}],"tools":["Bash"]}`,
			transcript.Ending{Cut: transcript.CutServer}, orchestration.EndInfrastructure, "not given"},
		{"our server is still connecting", `{"type":"system","subtype":"init","session_id":"s","mcp_servers":[{"name":"quest","status":"pending"}]}`,
			transcript.Ending{Code: 2}, orchestration.EndCrashed, "exit code 2"},
		{"an agent's own words are no fault", initLine + `{"type":"result","subtype":"success","is_error":false,"result":"Please run /login: prompt is too long, 529 overloaded"}`,
			transcript.Ending{Stderr: "Not logged in"}, orchestration.EndClean, "ended its turn"},
		{"not logged in, as text", initLine + `{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login"}`,
			transcript.Ending{Code: 1}, orchestration.EndLogin, "log in"},
		{"401", initLine + `{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"API Error"}`,
			transcript.Ending{Code: 1}, orchestration.EndLogin, "log in"},
		{"429 to the end", initLine + `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error"}`,
			transcript.Ending{Code: 1}, orchestration.EndOverloaded, "rate"},
		{"killed while it retried", initLine + `{"type":"system","subtype":"api_retry","error_status":529,"error":"overloaded"}`,
			transcript.Ending{Signal: "SIGTERM", Cut: transcript.CutAsked}, orchestration.EndOverloaded, "overloaded"},
		{"a usage limit with its time", initLine + `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795230000,"rateLimitType":"five_hour"}}` + "\n" +
			`{"type":"result","subtype":"success","is_error":true,"result":"You've hit your limit · resets 3pm"}`,
			transcript.Ending{Code: 1}, orchestration.EndUsageLimit, "five hour"},
		{"a usage limit of older releases", initLine + `{"type":"result","subtype":"success","is_error":true,"result":"Claude AI usage limit reached|1795230000"}`,
			transcript.Ending{Code: 1}, orchestration.EndUsageLimit, "until 2026"},
		{"a usage limit without a time", initLine + `{"type":"result","subtype":"success","is_error":true,"result":"Claude usage limit reached"}`,
			transcript.Ending{Code: 1}, orchestration.EndOverloaded, "account's usage limit is reached"},
		{"a limit that only warns", initLine + `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1795230000}}` + "\n" +
			`{"type":"result","subtype":"success","is_error":false}`,
			transcript.Ending{}, orchestration.EndClean, "ended its turn"},
		{"hung after its result", initLine + `{"type":"result","subtype":"success","is_error":false}`,
			transcript.Ending{Signal: "SIGKILL", Cut: transcript.CutAfterResult}, orchestration.EndClean, "did not exit"},
		{"ended by us", initLine, transcript.Ending{Signal: "SIGTERM", Cut: transcript.CutAsked}, orchestration.EndInterrupted, "by the server"},
		{"killed from outside", initLine, transcript.Ending{Signal: "SIGKILL"}, orchestration.EndCrashed, "SIGKILL"},
		{"a bad flag", "", transcript.Ending{Code: 1, Stderr: "error: unknown option '--x'\n"}, orchestration.EndCrashed, "unknown option"},
		{"too many turns", initLine + `{"type":"result","subtype":"error_max_turns","is_error":true}`,
			transcript.Ending{}, orchestration.EndCrashed, "error_max_turns"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			s := feed([]byte(tt.lines))
			tt.ending.Facts, tt.ending.At = s.Facts(), time.Unix(1795220000, 0)
			end, exit := transcript.Classify(tt.ending)
			if end != tt.end || !strings.Contains(exit.Why, tt.why) {
				t.Errorf("%s (%s), want %s (… %s …)", end, exit.Why, tt.end, tt.why)
			}
			if (end == orchestration.EndUsageLimit) != exit.ResetsAt.Equal(time.Unix(1795230000, 0)) {
				t.Errorf("resets at %v", exit.ResetsAt)
			}
		})
	}
}

func TestEndingHandsOnWhatTheCardNeeds(t *testing.T) {
	t.Parallel()
	s := feed(fixtures(t)["denied"])
	_, exit := transcript.Classify(transcript.Ending{Facts: s.Facts(), Tokens: s.Tokens()})
	if len(exit.Denied) != 1 || exit.Denied[0] != "WebFetch" {
		t.Errorf("denied %v, want WebFetch", exit.Denied)
	}
	want := orchestration.Tokens{Input: 3600, Output: 60, CacheRead: 15000, CacheWrite: 900}
	if exit.Tokens != want || exit.SessionCost != 0.032625 || exit.LastText != "end" {
		t.Errorf("exit %+v", exit)
	}
}

// What a result counts by model includes all requests of sub-agents. The stream does not
// show the last one of each.
func TestEndingTellsWhatTheModelReadAndWhatWasSeenOfIt(t *testing.T) {
	t.Parallel()
	s := feed(fixtures(t)["minion"])
	_, exit := transcript.Classify(transcript.Ending{Facts: s.Facts(), Tokens: s.Tokens()})
	if exit.Counted != 26000 || exit.Seen != 19500 {
		t.Errorf("counted %d, seen %d", exit.Counted, exit.Seen)
	}
	if exit.Context == 0 || exit.Context > exit.Tokens.Read() {
		t.Errorf("the conversation has %d tokens", exit.Context)
	}
}

// A run that the server ends has no result, so the refused tools must be known before.
func TestEndingKnowsWhatWasDeniedWithoutAResult(t *testing.T) {
	t.Parallel()
	s := feed([]byte(initLine + `{"type":"system","subtype":"permission_denied","tool_name":"WebFetch"}` + "\n" +
		`{"type":"system","subtype":"permission_denied","tool_name":"WebFetch"}`))
	_, exit := transcript.Classify(transcript.Ending{Facts: s.Facts(), Cut: transcript.CutAsked})
	if len(exit.Denied) != 1 || exit.Denied[0] != "WebFetch" {
		t.Errorf("denied %q, want WebFetch once", exit.Denied)
	}
}
