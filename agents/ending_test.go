package agents_test

import (
	"strings"
	"testing"
	"time"

	"questboard/agents"
	"questboard/orchestration"
)

// How each recorded run ended
// (docs/state-machine.md#a-run-that-ends-without-a-signal), as if no signal had
// been accepted.
func TestEndingOfEveryRecordedRun(t *testing.T) {
	t.Parallel()
	want := map[string]struct {
		ending agents.Ending
		end    orchestration.End
		why    string
	}{
		"complete":              {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"resumed-with-answer":   {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"no-signal":             {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"bad-signal":            {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"minion":                {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"tools":                 {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"denied":                {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"approve":               {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"rate-limit-once":       {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"killed-after-question": {agents.Ending{Signal: "SIGKILL"}, orchestration.EndCrashed, "killed by SIGKILL"},
		"overloaded":            {agents.Ending{Code: 1}, orchestration.EndOverloaded, "overloaded"},
		"auth":                  {agents.Ending{Cut: agents.CutLogin, Signal: "SIGTERM"}, orchestration.EndLogin, "not logged in"},
		"context":               {agents.Ending{Code: 1}, orchestration.EndContext, "context window"},
		"cut":                   {agents.Ending{Code: 1}, orchestration.EndOverloaded, "could not be reached"},
		"mcp-down":              {agents.Ending{}, orchestration.EndInfrastructure, "MCP server (failed)"},
		"bad-resume": {agents.Ending{Code: 1, Stderr: "No conversation found with session ID: 0"},
			orchestration.EndUnknownSession, "not there any more"},
		"2.1.329-auth":             {agents.Ending{Cut: agents.CutLogin, Signal: "SIGTERM"}, orchestration.EndLogin, "not logged in"},
		"2.1.329-bad-resume":       {agents.Ending{Code: 1}, orchestration.EndUnknownSession, "not there any more"},
		"2.1.329-context":          {agents.Ending{Code: 1}, orchestration.EndContext, "context window"},
		"2.1.329-cut":              {agents.Ending{Code: 1}, orchestration.EndOverloaded, "could not be reached"},
		"2.1.329-mcp-down":         {agents.Ending{Cut: agents.CutServer, Signal: "SIGTERM"}, orchestration.EndInfrastructure, "MCP server (failed)"},
		"2.1.329-minion":           {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"2.1.329-no-login":         {agents.Ending{Code: 1}, orchestration.EndLogin, "not logged in"},
		"2.1.329-no-signal":        {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"2.1.329-overloaded":       {agents.Ending{Code: 1}, orchestration.EndOverloaded, "overloaded"},
		"2.1.329-rate-limit-once":  {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"2.1.329-resumed":          {agents.Ending{}, orchestration.EndClean, "ended its turn"},
		"2.1.329-signal-forbidden": {agents.Ending{Cut: agents.CutServer, Signal: "SIGTERM"}, orchestration.EndInfrastructure, "not given"},
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
			end, exit := agents.Classify(w.ending)
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
		ending agents.Ending
		end    orchestration.End
		why    string
	}{
		{"exit 0 without a result proves nothing", initLine, agents.Ending{}, orchestration.EndCrashed, "without a result"},
		{"exit 0 without any output", "", agents.Ending{}, orchestration.EndCrashed, "without any output"},
		{"signal-back was denied", initLine + `{"type":"result","subtype":"success","is_error":false,"permission_denials":[{"tool_name":"mcp__quest__signal-back"}]}`,
			agents.Ending{}, orchestration.EndInfrastructure, "not allowed"},
		{"another tool was denied", initLine + `{"type":"result","subtype":"success","is_error":false,"permission_denials":[{"tool_name":"WebFetch"}]}`,
			agents.Ending{}, orchestration.EndClean, "ended its turn"},
		{"our server is not listed", `{"type":"system","subtype":"init","session_id":"s","mcp_servers":[]}`,
			agents.Ending{Cut: agents.CutServer}, orchestration.EndInfrastructure, "did not load"},
		{"our server came without its tool", `{"type":"system","subtype":"init","session_id":"s","mcp_servers":[{"name":"quest","status":"connected"}],"tools":["Bash"]}`,
			agents.Ending{Cut: agents.CutServer}, orchestration.EndInfrastructure, "not given"},
		{"our server is still connecting", `{"type":"system","subtype":"init","session_id":"s","mcp_servers":[{"name":"quest","status":"pending"}]}`,
			agents.Ending{Code: 2}, orchestration.EndCrashed, "exit code 2"},
		{"an agent's own words are no fault", initLine + `{"type":"result","subtype":"success","is_error":false,"result":"Please run /login: prompt is too long, 529 overloaded"}`,
			agents.Ending{Stderr: "Not logged in"}, orchestration.EndClean, "ended its turn"},
		{"not logged in, as text", initLine + `{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login"}`,
			agents.Ending{Code: 1}, orchestration.EndLogin, "log in"},
		{"401", initLine + `{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"API Error"}`,
			agents.Ending{Code: 1}, orchestration.EndLogin, "log in"},
		{"429 to the end", initLine + `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error"}`,
			agents.Ending{Code: 1}, orchestration.EndOverloaded, "rate"},
		{"killed while it retried", initLine + `{"type":"system","subtype":"api_retry","error_status":529,"error":"overloaded"}`,
			agents.Ending{Signal: "SIGTERM", Cut: agents.CutAsked}, orchestration.EndOverloaded, "overloaded"},
		{"a usage limit with its time", initLine + `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795230000,"rateLimitType":"five_hour"}}` + "\n" +
			`{"type":"result","subtype":"success","is_error":true,"result":"You've hit your limit · resets 3pm"}`,
			agents.Ending{Code: 1}, orchestration.EndUsageLimit, "five hour"},
		{"a usage limit of older releases", initLine + `{"type":"result","subtype":"success","is_error":true,"result":"Claude AI usage limit reached|1795230000"}`,
			agents.Ending{Code: 1}, orchestration.EndUsageLimit, "until 2026"},
		{"a usage limit without a time", initLine + `{"type":"result","subtype":"success","is_error":true,"result":"Claude usage limit reached"}`,
			agents.Ending{Code: 1}, orchestration.EndOverloaded, "could not be reached"},
		{"a limit that only warns", initLine + `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1795230000}}` + "\n" +
			`{"type":"result","subtype":"success","is_error":false}`,
			agents.Ending{}, orchestration.EndClean, "ended its turn"},
		{"hung after its result", initLine + `{"type":"result","subtype":"success","is_error":false}`,
			agents.Ending{Signal: "SIGKILL", Cut: agents.CutAfterResult}, orchestration.EndClean, "did not leave"},
		{"ended by us", initLine, agents.Ending{Signal: "SIGTERM", Cut: agents.CutAsked}, orchestration.EndInterrupted, "by the server"},
		{"killed from outside", initLine, agents.Ending{Signal: "SIGKILL"}, orchestration.EndCrashed, "SIGKILL"},
		{"a bad flag", "", agents.Ending{Code: 1, Stderr: "error: unknown option '--x'\n"}, orchestration.EndCrashed, "unknown option"},
		{"too many turns", initLine + `{"type":"result","subtype":"error_max_turns","is_error":true}`,
			agents.Ending{}, orchestration.EndCrashed, "error_max_turns"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			s := feed([]byte(tt.lines))
			tt.ending.Facts = s.Facts()
			end, exit := agents.Classify(tt.ending)
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
	_, exit := agents.Classify(agents.Ending{Facts: s.Facts(), Tokens: s.Tokens()})
	if len(exit.Denied) != 1 || exit.Denied[0] != "WebFetch" {
		t.Errorf("denied %v, want WebFetch", exit.Denied)
	}
	want := orchestration.Tokens{Input: 3600, Output: 60, CacheRead: 15000, CacheWrite: 900}
	if exit.Tokens != want || exit.SessionCost != 0.032625 || exit.LastText != "end" {
		t.Errorf("exit %+v", exit)
	}
}

// A run that we end has no result, so what was refused is told on the way.
func TestEndingKnowsWhatWasDeniedWithoutAResult(t *testing.T) {
	t.Parallel()
	s := feed([]byte(initLine + `{"type":"system","subtype":"permission_denied","tool_name":"WebFetch"}` + "\n" +
		`{"type":"system","subtype":"permission_denied","tool_name":"WebFetch"}`))
	_, exit := agents.Classify(agents.Ending{Facts: s.Facts(), Cut: agents.CutAsked})
	if len(exit.Denied) != 1 || exit.Denied[0] != "WebFetch" {
		t.Errorf("denied %q, want WebFetch once", exit.Denied)
	}
}
