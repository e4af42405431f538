package api_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestADecisionAboutAnEarlierStateIsAConflict(t *testing.T) {
	t.Parallel()
	s := begun(t)
	stepOne := func() object { return s.get("/quests/q01").want(http.StatusOK)["steps"].([]any)[0].(object) }
	s.post("/runs/q01-r1/stop", "").want(http.StatusOK)
	for path, fields := range map[string]string{"take-over": "", "mark-done": "", "retry": "", "skip": `"reason":"no",`, "resplit": `"reason":"no",`} {
		body := "{" + fields + `"state":"` + strings.ReplaceAll(stepOne()["state"].(string), "blocked", "") + `"}`
		a := s.post("/quests/q01/steps/one/"+path, body)
		if path == "mark-done" { // the process is still alive, which is said first
			a.want(http.StatusConflict)
			continue
		}
		if fields := a.fields(http.StatusConflict); !strings.Contains(fields["state"].(string), "codeweaver/blocked/q01-r1") {
			t.Errorf("%s: %v", path, fields)
		}
	}
	s.post("/quests/q01/steps/one/retry", `{"state":"`+stepOne()["state"].(string)+`"}`).want(http.StatusOK)
}

func TestARetryWithInstructionsKeepsThemWithTheStep(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.post("/runs/q01-r1/stop", "").want(http.StatusOK)
	long := `{"instructions":"` + strings.Repeat("x", 1<<19) + `"}`
	if fields := s.post("/quests/q01/steps/one/retry", long).fields(http.StatusUnprocessableEntity); !strings.Contains(fields["instructions"].(string), "20,000 characters") {
		t.Errorf("too long: %v", fields)
	}
	// A text of 1 MiB makes a body that is not read at all.
	huge := `{"instructions":"` + strings.Repeat("x", 1<<20) + `"}`
	s.post("/quests/q01/steps/one/retry", huge).want(http.StatusRequestEntityTooLarge)
	q := s.post("/quests/q01/steps/one/retry", `{"instructions":"use blue"}`).want(http.StatusOK)
	one := q["steps"].([]any)[0].(object)
	kept := one["instructions"].([]any)
	if len(kept) != 1 || kept[0].(object)["text"] != "use blue" || kept[0].(object)["by"] != "user" || one["hold"] != nil {
		t.Errorf("step one: %v", one)
	}
}
