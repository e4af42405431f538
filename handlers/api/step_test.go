package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestAStepIsSkippedRetriedAndSplit(t *testing.T) {
	t.Parallel()
	s := begun(t)
	for _, action := range []string{"skip", "resplit"} {
		for _, body := range []string{``, `{}`, `{"reason":" "}`} {
			if fields := s.post("/quests/q01/steps/two/"+action, body).fields(http.StatusUnprocessableEntity); fields["reason"] == nil {
				t.Errorf("%s %s: fields %v", action, body, fields)
			}
		}
	}
	// Step one is not blocked, so there is nothing to retry.
	if q := s.post("/quests/q01/steps/one/retry", `{"fresh":true}`).want(http.StatusConflict)["quest"].(object); q["id"] != "q01" {
		t.Errorf("beside the conflict: %v", q)
	}
	s.post("/runs/q01-r1/stop", "").want(http.StatusOK)
	q := s.post("/quests/q01/steps/two/skip", `{"reason":"not needed"}`).want(http.StatusOK)
	if two := q["steps"].([]any)[1].(object); two["stage"] != "skipped" || two["reason"] != "not needed" {
		t.Errorf("step two: %v", two)
	}
	s.post("/quests/q01/steps/review/skip", `{"reason":"no"}`).refused(t)
}

func TestASkipIsUndone_untilItIsTooLate(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.post("/quests/q01/steps/two/undo-skip", "").want(http.StatusOK) // it waits: a repeat
	s.post("/quests/q01/steps/two/skip", `{"reason":"not needed"}`).want(http.StatusOK)
	q := s.post("/quests/q01/steps/two/undo-skip", "").want(http.StatusOK)
	if two := q["steps"].([]any)[1].(object); two["stage"] == "skipped" || two["reason"] != nil && two["reason"] != "" {
		t.Errorf("step two: %v", two)
	}
	s.post("/quests/q01/steps/one/undo-skip", "").want(http.StatusConflict) // it is at work
	s.post("/quests/q01/steps/nobody/undo-skip", "").want(http.StatusNotFound)
}

// refused is any 4xx with a message.
func (a answer) refused(t testing.TB) {
	t.Helper()
	if a.status < 400 || a.status >= 500 || a.json()["error"].(object)["message"] == "" {
		t.Errorf("status %d: %s", a.status, a.text)
	}
}

func TestAStepIsTakenOverGivenBackAndMarkedDone(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.post("/quests/q01/steps/one/mark-done", "").want(http.StatusConflict) // it is at work
	q := s.post("/quests/q01/steps/one/take-over", "").want(http.StatusOK)
	one := q["steps"].([]any)[0].(object)
	if one["hold"] != "yours" || one["why"] != "taken over by you" || !slices.Contains(one["controls"].([]any), any("retry")) {
		t.Errorf("step one: %v", one)
	}
	second := s.post("/quests/q01/steps/one/take-over", "").want(http.StatusConflict)
	if words := second["error"].(object)["message"].(string); !strings.Contains(words, "took one over already") {
		t.Errorf("the second person reads %q", words)
	}
	if q := s.post("/quests/q01/steps/one/retry", "").want(http.StatusOK); q["steps"].([]any)[0].(object)["hold"] != nil {
		t.Errorf("given back: %v", q["steps"].([]any)[0])
	}
	s.post("/quests/q01/steps/review/take-over", "").want(http.StatusConflict)
	s.post("/quests/q01/steps/nobody/mark-done", "").want(http.StatusNotFound)
}

func TestAStepThatHasNotStartedIsEdited(t *testing.T) {
	t.Parallel()
	s := begun(t)
	q := s.send(http.MethodPatch, "/quests/q01/steps/two", `{"title":"Zwei","files":["two.go"],"dependsOn":[],"risk":"high","riskReason":"it holds passwords"}`).want(http.StatusOK)
	two := q["steps"].([]any)[1].(object)
	if two["title"] != "Zwei" || !slices.Equal(two["files"].([]any), []any{"two.go"}) || len(two["dependsOn"].([]any)) != 0 ||
		two["risk"] != "high" || two["riskReason"] != "it holds passwords" {
		t.Errorf("step two: %v", two)
	}
	for body, status := range map[string]int{
		`{"dependsOn":["nobody"]}`: http.StatusUnprocessableEntity,
		`{"dependsOn":["two"]}`:    http.StatusUnprocessableEntity,
		`{"files":["../x"]}`:       http.StatusUnprocessableEntity,
		`{"files":["a\u0000"]}`:    http.StatusUnprocessableEntity,
		`{"title":""}`:             http.StatusUnprocessableEntity,
		`{"risk":"huge"}`:          http.StatusUnprocessableEntity,
		`{"riskReason":""}`:        http.StatusUnprocessableEntity, // the risk is high
		`{"stage":"done"}`:         http.StatusBadRequest,
	} {
		if a := s.send(http.MethodPatch, "/quests/q01/steps/two", body); a.status != status {
			t.Errorf("%s: status %d; want %d: %s", body, a.status, status, a.text)
		}
	}
	s.send(http.MethodPatch, "/quests/q01/steps/one", `{"title":"Eins"}`).refused(t) // it runs
	s.send(http.MethodPatch, "/quests/q01/steps/nobody", `{"title":"x"}`).want(http.StatusNotFound)
}
