package e2e_test

import (
	"strings"
	"testing"
	"time"
)

// faulty is a scenario in which one step after the other meets each fault of the service.
const faulty = `
- {role: codeweaver, step: overloaded, visit: 1, do: [{say: I begin.}, {api-error: overloaded}]}
- {role: codeweaver, step: limited, visit: 1, do: [{say: I begin.}, {api-error: rate-limit}]}
- {role: codeweaver, step: full, visit: 1, do: [{say: I got to the third file.}, {api-error: context}]}
- {role: codeweaver, step: stranger, visit: 1, do: [{api-error: auth}]}
- {role: codeweaver, step: stranger, visit: 2, do: [{api-error: auth}]}
- {role: codeweaver, do: [{tool: {name: signal-back, input: {signal: complete, summary: done}}}]}
`

// A fault of the service does not count as an attempt. The work waits and goes on.
func TestAFaultOfTheServiceIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := startAPI(t, faulty, "-backoff", "1s")
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"overloaded","title":"O"},{"id":"limited","title":"R","dependsOn":["overloaded"]},
  {"id":"full","title":"F","dependsOn":["limited"]}]}`)
	s.until(quest, "the backoff is shown", func(q object) bool {
		runs := ofStep(q, "codeweaver", "overloaded")
		if len(runs) == 2 && runs[1]["startedAt"] != nil {
			return true // the test did not look during the second of the wait
		}
		return len(runs) == 2 && runs[1]["notBefore"] != nil && strings.Contains(named(q["steps"], "overloaded")["why"].(string), "the service is overloaded: resumes in")
	})
	q := s.untilStatus(quest, "complete")
	for step, says := range map[string]string{"overloaded": "overloaded", "limited": "limits the rate"} {
		runs := ofStep(q, "codeweaver", step)
		if len(runs) != 2 || !strings.Contains(runs[0]["why"].(string), says) || runs[1]["resumedFrom"] != runs[0]["id"] {
			t.Fatalf("the runs of %s: %s", step, jsonText(runs))
		}
		if waited := moment(t, runs[1]["startedAt"]).Sub(moment(t, runs[0]["endedAt"])); waited < time.Second {
			t.Errorf("%s was tried again after %v", step, waited)
		}
	}
	// A full context is never resumed: a fresh session is told how far it went.
	full := ofStep(q, "codeweaver", "full")
	if len(full) != 2 || full[1]["start"] != "continuation" || full[1]["resumedFrom"] != nil || full[1]["sessionId"] == full[0]["sessionId"] {
		t.Errorf("after the full context: %s", jsonText(full))
	}
}

// If nobody is logged in, everything waits and says what to do. "Try again" starts one
// probe. If it fails, everything waits again.
func TestALoginThatIsMissingWaitsForTheUser(t *testing.T) {
	t.Parallel()
	s := startAPI(t, faulty)
	quest := s.begin(apiRepo(t), `,"plan":{"steps":[{"id":"stranger","title":"S"},{"id":"other","title":"O","dependsOn":["stranger"]}]}`)
	for n := 1; n <= 2; n++ {
		q := s.until(quest, "the quest waits", func(q object) bool {
			return len(ofStep(q, "codeweaver", "stranger")) == n+1 && q["status"] == "waiting"
		})
		runs := ofStep(q, "codeweaver", "stranger")
		if !strings.Contains(q["why"].(string), "log in") || runs[n-1]["outcome"] != "crashed" || runs[n]["state"] != "queued" {
			t.Errorf("it waits with %q; runs %s", q["why"], jsonText(runs))
		}
		if counts := named(q["steps"], "stranger")["counts"].(object); counts["crash"] != 0.0 {
			t.Errorf("a missing login counts as an attempt: %s", jsonText(counts))
		}
		s.post("/quests/"+quest+"/resume", "").want(200)
	}
	if q := s.untilStatus(quest, "complete"); len(ofStep(q, "codeweaver", "stranger")) != 3 {
		t.Errorf("the runs: %s", jsonText(ofStep(q, "codeweaver", "stranger")))
	}
}
