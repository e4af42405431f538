package transcript_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"questboard/agents/transcript"
	"questboard/orchestration"
)

// ended returns how a recorded exchange ends. The exit code of a program that waits for more
// says nothing. denied: we refused a call.
func ended(t *testing.T, name, session string, denied bool) (orchestration.End, orchestration.Exit) {
	t.Helper()
	s := &transcript.ACP{Session: session, Login: "sign in"}
	if denied {
		s.Denied(orchestration.DeniedCall{Tool: "Bash"})
	}
	feedACP(s, recordedOf(t, name))
	return transcript.Classify(transcript.Ending{Facts: s.Facts(), Tokens: s.Tokens(), Code: 143})
}

func TestEveryRecordedEndingOfCodexHasItsRow(t *testing.T) {
	t.Parallel()
	const old = "01a212e3-bf45-72c3-95ea-b66a70592897"
	turn := orchestration.Tokens{Input: 180, Output: 60, CacheRead: 120}
	for name, want := range map[string]struct {
		session string
		end     orchestration.End
		why     string
		tokens  orchestration.Tokens
	}{
		"work":            {"", orchestration.EndClean, "ended its turn", turn},
		"loaded":          {old, orchestration.EndClean, "ended its turn", turn},
		"resumed":         {old, orchestration.EndClean, "ended its turn", turn},
		"refused":         {"", orchestration.EndClean, "ended its turn", orchestration.Tokens{Input: 60, Output: 20, CacheRead: 40}},
		"login":           {"", orchestration.EndLogin, "the agent is not logged in: sign in, then try again", orchestration.Tokens{}},
		"key":             {"", orchestration.EndLogin, "the agent is not logged in", orchestration.Tokens{}},
		"usage-limit":     {"", orchestration.EndOverloaded, "the account's usage limit is reached: You", orchestration.Tokens{}},
		"rate-limit":      {"", orchestration.EndOverloaded, "limits the rate", orchestration.Tokens{}},
		"overload":        {"", orchestration.EndOverloaded, "at capacity", orchestration.Tokens{}},
		"down":            {"", orchestration.EndOverloaded, "high demand", orchestration.Tokens{}},
		"context":         {"", orchestration.EndContext, "context window", orchestration.Tokens{}},
		"unknown-session": {old, orchestration.EndUnknownSession, "not there any more", orchestration.Tokens{}},
	} {
		end, exit := ended(t, "codex-"+name, want.session, name == "refused")
		if end != want.end || !strings.Contains(exit.Why, want.why) || exit.Tokens != want.tokens {
			t.Errorf("%s: ended %s, %q, %+v; want %s, %q, %+v", name, end, exit.Why, exit.Tokens, want.end, want.why, want.tokens)
		}
	}
}

func TestEveryRecordedEndingOfGeminiHasItsRow(t *testing.T) {
	t.Parallel()
	turn := orchestration.Tokens{Input: 300, Output: 60}
	for name, want := range map[string]struct {
		session string
		end     orchestration.End
		why     string
		tokens  orchestration.Tokens
	}{
		"work":            {"", orchestration.EndClean, "ended its turn", turn},
		"loaded":          {"b231cf19-2486-4697-962e-2a9e8764da64", orchestration.EndClean, "ended its turn", turn},
		"refused":         {"", orchestration.EndClean, "ended its turn", turn},
		"key":             {"", orchestration.EndLogin, "the agent is not logged in", orchestration.Tokens{}},
		"unauthorized":    {"", orchestration.EndLogin, "the agent is not logged in", orchestration.Tokens{}},
		"limit":           {"", orchestration.EndOverloaded, "the account's usage limit is reached: You have exhausted", orchestration.Tokens{}},
		"context":         {"", orchestration.EndContext, "context window", orchestration.Tokens{}},
		"unknown-session": {"dd9118b4-2b49-40c8-8e45-000053d361d0", orchestration.EndUnknownSession, "not there any more", orchestration.Tokens{}},
	} {
		end, exit := ended(t, "gemini-"+name, want.session, name == "refused")
		if end != want.end || !strings.Contains(exit.Why, want.why) || exit.Tokens != want.tokens {
			t.Errorf("%s: ended %s, %q, %+v; want %s, %q, %+v", name, end, exit.Why, exit.Tokens, want.end, want.why, want.tokens)
		}
	}
}

// What an agent writes of the end of a limit is read at the time of its machine.
func TestALimitOfAnotherAgentEndsWhenItsWordsSay(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("there", 2*60*60)
	now := time.Date(2026, time.September, 20, 10, 30, 0, 0, zone)
	limit := recordedOf(t, "codex-usage-limit")
	const at = "Sep 21st, 2026 2:13 PM"
	for words, want := range map[string]string{
		"":                             "2026-09-21T12:13:00Z", // as it was recorded
		"2:13 PM":                      "2026-09-20T12:13:00Z",
		"9:13 AM":                      "", // it is over
		"Sep 19th, 2026 2:13 PM":       "",
		"Foo 99th, 2026 2:13 PM":       "",
		"Dec 1st, 2026 12:00 AM":       "2026-11-30T22:00:00Z",
		"a time. reset after 3h12m5s":  "2026-09-20T11:42:05Z", // Gemini's service
		"a time. retry after 11520s.":  "2026-09-20T11:42:00Z", // Gemini
		"a time. Quota: retry after .": "",
	} {
		s := &transcript.ACP{}
		for _, line := range limit {
			if words != "" {
				line = bytes.Replace(line, []byte(at), []byte(words), 1)
			}
			s.Feed(line)
		}
		end, exit := transcript.Classify(transcript.Ending{Facts: s.Facts(), Code: 143, At: now})
		got := ""
		if !exit.ResetsAt.IsZero() {
			got = exit.ResetsAt.Format(time.RFC3339)
		}
		if got != want || (end == orchestration.EndUsageLimit) != (want != "") || (want == "") != (end == orchestration.EndOverloaded) {
			t.Errorf("%q: ended %s until %q, want %q: %s", words, end, got, want, exit.Why)
		}
	}
	s := &transcript.ACP{}
	feedACP(s, limit)
	if end, exit := transcript.Classify(transcript.Ending{Facts: s.Facts()}); end != orchestration.EndOverloaded || !exit.ResetsAt.IsZero() {
		t.Errorf("without a clock it ended %s until %s", end, exit.ResetsAt)
	}
}
