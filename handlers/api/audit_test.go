package api_test

import (
	"net/http"
	"testing"

	"questboard/orchestration/record"
)

func TestTheAuditIsReadInPages(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, action := range []string{"login", "approve", "stop"} {
		_ = s.audit.Record(t.Context(), record.AuditEntry{At: epoch, Actor: "owner", Via: "token", Action: action, Quest: "q1", Status: 200, Remote: "::1"})
	}
	page := s.get("/audit?n=2").want(http.StatusOK)
	if entries := page["entries"].([]any); len(entries) != 2 || page["last"] != 2.0 || entries[0].(object)["action"] != "login" || entries[0].(object)["target"] != nil {
		t.Errorf("first: %v", page)
	}
	if page = s.get("/audit?after=2&action=stop&quest=q1").want(http.StatusOK); len(page["entries"].([]any)) != 1 || page["last"] != 3.0 {
		t.Errorf("then: %v", page)
	}
	s.get("/audit?after=x").fields(http.StatusUnprocessableEntity)
}
