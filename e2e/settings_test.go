package e2e_test

import (
	"strings"
	"testing"
)

const sowsAPea = `
- role: codeweaver
  do:
    - write: {path: pea.txt, content: "sown\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: sown}}
`

// A timeout that is changed while the server runs applies from the next run on, and
// changed limits apply to new quests.
func TestLimitsOfTheSettingsCountWithoutARestart(t *testing.T) {
	t.Parallel()
	s := startAPI(t, sowsAPea)
	s.send("PATCH", "/api/v1/settings", `{"timeouts":{"ward":"1s"},"limits":{"ward":1},"budgetUsd":4}`).want(200)
	quest := s.begin(apiRepo(t), `,"ward":"sleep 600","workspace":"shared","plan":{"steps":[{"id":"pea","title":"Pea"}]}`)
	q := s.until(quest, "the step is blocked", func(q object) bool { return named(q["steps"], "pea")["hold"] == "blocked" })
	if why := named(q["steps"], "pea")["why"].(string); !strings.Contains(why, "1s") || q["budgetUsd"] != 4.0 || q["limits"].(object)["ward"] != 1.0 {
		t.Errorf("blocked: %s; %s", why, jsonText(q["limits"]))
	}
}
