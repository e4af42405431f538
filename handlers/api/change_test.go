package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestTheRequirementsAreChanged_onceAtATime(t *testing.T) {
	t.Parallel()
	s := begun(t)
	for body, want := range map[string]string{`{}`: "must not be empty", `{"text":" "}`: "must not be empty",
		`{"text":"` + strings.Repeat("x", 20_001) + `"}`: "at most 20,000 characters are possible, and this has 20001"} {
		if fields := s.post("/quests/q01/change", body).fields(http.StatusUnprocessableEntity); !strings.Contains(fields["text"].(string), want) {
			t.Errorf("%.30s: fields %v", body, fields)
		}
	}
	q := s.post("/quests/q01/change", `{"text":"Greet in the dark, too."}`).want(http.StatusOK)
	change := q["changes"].([]any)[0].(object)
	if q["phase"] != "requirements" || q["requirementsLocked"] != false || change["text"] != "Greet in the dark, too." || change["by"] != "user" {
		t.Errorf("phase %v, changes %v", q["phase"], q["changes"])
	}
	if slices.Contains(q["controls"].([]any), any("change")) {
		t.Error("it is offered a second time")
	}
	a := s.post("/quests/q01/change", `{"text":"And in blue."}`).want(http.StatusConflict)
	if message := a["error"].(object)["message"].(string); !strings.Contains(message, "send your text to ChaosWhisperer as a message") || a["quest"] == nil {
		t.Errorf("a second change: %q", message)
	}
	s.post("/quests/nobody/change", `{"text":"x"}`).want(http.StatusNotFound)
}

func TestAFollowUpBegins_andBothQuestsNameEachOther(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.post("/quests/q01/follow-up", `{"request":"more"}`).want(http.StatusConflict) // it is at work
	s.quests.finish("q01")
	if fields := s.post("/quests/q01/follow-up", `{"request":" "}`).fields(http.StatusUnprocessableEntity); fields["request"] == nil {
		t.Errorf("fields %v", fields)
	}
	made := s.post("/quests/q01/follow-up", `{"request":"Say good bye.","title":"Bye"}`)
	q := made.want(http.StatusCreated)
	if q["follows"] != "q01" || q["title"] != "Bye" || q["base"] != "quest/q01" || q["phase"] != "requirements" {
		t.Errorf("it begins as %v", q)
	}
	if former := s.get("/quests/q01").want(http.StatusOK); !slices.Equal(former["followUps"].([]any), []any{q["id"]}) || former["follows"] != nil {
		t.Errorf("the quest before has %v, %v", former["followUps"], former["follows"])
	}
	if at := made.header.Get("Location"); at != "/api/v1/quests/"+q["id"].(string) {
		t.Errorf("Location %q", at)
	}
}
