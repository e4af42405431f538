package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// A budget that is none is refused at its field, and nothing changes. What is close to nothing
// is not taken for 0, which is no budget.
func TestWrongBudgetsAreRefusedByField(t *testing.T) {
	t.Parallel()
	s := begun(t)
	const usd, tokens, hours = "from 0 (no budget) to 1000000 USD", "from 0 (no budget) to 1000000000000 tokens", "0 (no budget) or 0.01 to 1000000 hours"
	before := s.get("/quests").text + s.get("/settings").text
	for _, c := range []struct{ body, field, says string }{
		{`"budgetUsd":-1`, "budgetUsd", usd},
		{`"budgetUsd":1e7`, "budgetUsd", usd},
		{`"budgetTokens":-1`, "budgetTokens", tokens},
		{`"budgetTokens":10000000000000`, "budgetTokens", tokens},
		{`"budgetHours":-1`, "budgetHours", hours},
		{`"budgetHours":1e-15`, "budgetHours", hours},
		{`"budgetHours":0.009`, "budgetHours", hours},
		{`"budgetHours":1e300`, "budgetHours", hours},
		{`"dayBudget":{"usd":-1}`, "dayBudget.usd", usd},
		{`"dayBudget":{"hours":1e-15}`, "dayBudget.hours", hours},
		{`"serverBudget":{"tokens":-1}`, "serverBudget.tokens", tokens},
		{`"serverBudget":{"hours":1e-15}`, "serverBudget.hours", hours},
	} {
		to := []struct{ method, path, body string }{{http.MethodPatch, "/settings", `{` + c.body + `}`}}
		if strings.HasPrefix(c.field, "budget") {
			to = append(to, struct{ method, path, body string }{http.MethodPatch, "/quests/q01", `{` + c.body + `}`},
				struct{ method, path, body string }{http.MethodPost, "/quests", `{"request":"Greet","repo":"/repo",` + c.body + `}`})
		}
		for _, r := range to {
			fields := s.send(r.method, r.path, r.body).fields(http.StatusUnprocessableEntity)
			if words, _ := fields[c.field].(string); !strings.Contains(words, c.says) {
				t.Errorf("%s %s %s: fields %v", r.method, r.path, r.body, fields)
			}
		}
	}
	if now := s.get("/quests").text + s.get("/settings").text; now != before {
		t.Errorf("a refusal changed something: %s", now)
	}
	s.send(http.MethodPatch, "/quests/q01", `{"budgetHours":0.01}`).want(http.StatusOK)
	if got := s.get("/quests/q01").want(http.StatusOK)["budgetHours"]; got != 0.01 {
		t.Errorf("0.01 hours are told as %v", got)
	}
}
