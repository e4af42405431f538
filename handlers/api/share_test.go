package api_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

func TestSharesAreMadeListedAndRevoked(t *testing.T) {
	t.Parallel()
	s := begun(t)
	made := s.post("/quests/q01/shares", `{"expiresIn":"30d","include":["cost","output"],"answer":true}`).want(http.StatusCreated)
	url := made["url"].(string)
	if !regexp.MustCompile(`^https://quests\.example/s/[A-Z2-7]{52}$`).MatchString(url) {
		t.Errorf("the link is %q: 256 bits are 52 characters of base 32", url)
	}
	if made["expiresAt"] != "2026-12-01T13:00:00Z" || made["answer"] != true || made["open"] != true || made["viewedAt"] != nil {
		t.Errorf("%v", made)
	}
	plain := s.send(http.MethodPost, "/quests/q01/shares", "").want(http.StatusCreated)
	if plain["expiresAt"] != "2026-11-08T13:00:00Z" || plain["answer"] != false || len(plain["include"].([]any)) != 0 {
		t.Errorf("without choices: %v", plain)
	}
	listed := s.get("/quests/q01/shares")
	shares := listed.want(http.StatusOK)["shares"].([]any)
	if len(shares) != 2 || strings.Contains(listed.text, "/s/") {
		t.Errorf("%s", listed.text)
	}
	id := made["id"].(string)
	for range 2 { // a repeated request changes nothing
		gone := s.send(http.MethodDelete, "/shares/"+id, "").want(http.StatusOK)
		if gone["open"] != false || gone["revokedAt"] == nil || gone["url"] != nil {
			t.Errorf("%v", gone)
		}
	}
	if !slices.Contains(s.ended, id) {
		t.Error("its open pages were not closed")
	}
}

func TestSharesRefuseWhatTheyDoNotHold(t *testing.T) {
	t.Parallel()
	s := begun(t)
	for body, field := range map[string]string{`{"expiresIn":"1y"}`: "expiresIn", `{"include":["raw"]}`: "include", `{"include":["board"]}`: "include"} {
		if fields := s.post("/quests/q01/shares", body).fields(http.StatusUnprocessableEntity); fields[field] == nil {
			t.Errorf("%s: %v", body, fields)
		}
	}
	s.post("/quests/nowhere/shares", `{}`).want(http.StatusNotFound)
	s.get("/quests/nowhere/shares").want(http.StatusNotFound)
	s.send(http.MethodDelete, "/shares/nowhere", "").want(http.StatusNotFound)
	s.post("/quests/q01/shares", `{"raw":true}`).want(http.StatusBadRequest)
}

func TestADeletedQuestClosesWhatIsOpenOfItsShares(t *testing.T) {
	t.Parallel()
	s := begun(t)
	id := s.post("/quests/q01/shares", `{}`).want(http.StatusCreated)["id"].(string)
	s.send(http.MethodDelete, "/quests/q01", "").want(http.StatusConflict)
	if len(s.ended) != 0 {
		t.Error("they were closed although the quest is there")
	}
	s.post("/quests/q01/abandon", `{}`).want(http.StatusOK)
	s.quests.play("q01", orchestration.RunExited{Run: "q01-r1", End: orchestration.EndInterrupted}) // its agent has left
	if a := s.send(http.MethodDelete, "/quests/q01", ""); a.status != http.StatusNoContent || !slices.Contains(s.ended, id) {
		t.Errorf("%d, closed: %v", a.status, s.ended)
	}
}
