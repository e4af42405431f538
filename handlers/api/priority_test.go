package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestPriority_isToldAndChanged_andUnknownOnesAreRefusedByField(t *testing.T) {
	t.Parallel()
	s := begun(t)
	q := s.get("/quests/q01").want(http.StatusOK)
	step := func(q object, n int) object { return q["steps"].([]any)[n].(object) }
	if q["priority"] != "normal" || step(q, 0)["priority"] != "normal" {
		t.Errorf("without the field: %v, %v", q["priority"], step(q, 0)["priority"])
	}
	low := strings.Replace(twoSteps, `"request"`, `"priority":"low","request"`, 1)
	if q := s.post("/quests", low).want(http.StatusCreated); q["priority"] != "low" {
		t.Errorf("begun with %v", q["priority"])
	}
	if q := s.send(http.MethodPatch, "/quests/q01", `{"priority":"high"}`).want(http.StatusOK); q["priority"] != "high" {
		t.Errorf("changed to %v", q["priority"])
	}
	two := step(s.send(http.MethodPatch, "/quests/q01/steps/two", `{"priority":"high"}`).want(http.StatusOK), 1)
	if two["priority"] != "high" || !slices.Contains(two["controls"].([]any), any("priority")) {
		t.Errorf("step two: %v", two)
	}
	before := s.get("/quests/q01").text
	for path, method := range map[string]string{"/quests": http.MethodPost, "/drafts": http.MethodPost,
		"/quests/q01": http.MethodPatch, "/quests/q01/steps/two": http.MethodPatch} {
		for _, bad := range []string{"urgent", ""} {
			body := `{"priority":"` + bad + `"}`
			if path == "/quests" {
				body = `{"request":"Greet","repo":"/repo","priority":"` + bad + `"}`
			}
			fields := s.send(method, path, body).fields(http.StatusUnprocessableEntity)
			if words, _ := fields["priority"].(string); !strings.Contains(words, "must be high, normal or low") {
				t.Errorf("%s %s: fields %v", path, body, fields)
			}
		}
	}
	if now := s.get("/quests/q01").text; now != before {
		t.Errorf("a refused change changed something: %s", now)
	}
}

func TestPriority_ofAStepThatHasStarted_isRefused(t *testing.T) {
	t.Parallel()
	s := begun(t)
	refusal := s.send(http.MethodPatch, "/quests/q01/steps/one", `{"priority":"low"}`).want(http.StatusConflict)["error"].(object)
	words := refusal["message"].(string)
	if !strings.Contains(words, "one has started") || !strings.Contains(words, "its priority counted only until then") {
		t.Errorf("it says %q", words)
	}
}

func TestPriority_ofADraft_isThatOfItsQuest(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	d := s.post("/drafts", `{"request":"Greet","repo":"/repo"}`).want(http.StatusCreated)
	if d["priority"] != "normal" {
		t.Errorf("a new draft: %v", d["priority"])
	}
	id := d["id"].(string)
	if d := s.send(http.MethodPatch, "/drafts/"+id, `{"version":1,"priority":"high"}`).want(http.StatusOK); d["priority"] != "high" {
		t.Errorf("changed: %v", d["priority"])
	}
	if q := s.post("/drafts/"+id+"/start", "").want(http.StatusCreated); q["priority"] != "high" {
		t.Errorf("its quest: %v", q["priority"])
	}
}
