package api_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration/record"
)

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func TestAChannelIsAddedChangedTestedAndRemoved(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	made := s.post("/channels", `{"kind":"webhook","name":"Pager","address":"https://pager.example/hook/2fa1c9","secret":"`+webhookSecret+`",
		"level":"all","quiet":{"from":"22:00","to":"07:30"},"bundle":true}`)
	channel := made.want(http.StatusCreated)
	id := channel["id"].(string)
	if channel["place"] != "pager.example" || channel["hasSecret"] != true || channel["quiet"].(object)["to"] != "07:30" || channel["level"] != "all" {
		t.Errorf("%s", made.text)
	}
	edited := s.send(http.MethodPatch, "/channels/"+id, `{"name":"Pager 2","quiet":{"from":"","to":""},"local":true}`)
	if got := edited.want(http.StatusOK); got["name"] != "Pager 2" || got["hasSecret"] != true || got["quiet"].(object)["from"] != "" || got["local"] != true {
		t.Errorf("%s", edited.text)
	}
	listed := s.get("/channels")
	if all := listed.want(http.StatusOK)["channels"].([]any); len(all) != 1 {
		t.Errorf("%s", listed.text)
	}
	for _, a := range []answer{made, edited, listed, s.get("/channels/" + id)} {
		if strings.Contains(a.text, "2fa1c9") || strings.Contains(a.text, "whsec_") {
			t.Errorf("a secret is told: %s", a.text)
		}
	}
	tested := s.post("/channels/"+id+"/test", "{}").want(http.StatusOK)
	if sent := s.outbox.Tested(); tested["arrived"] != true || len(sent) != 1 || sent[0].Secret != webhookSecret {
		t.Errorf("%v %+v", tested, sent)
	}
	s.outbox.Fail(errors.New("no answer within 15s"))
	if got := s.post("/channels/"+id+"/test", "{}").want(http.StatusOK); got["arrived"] != false || got["fault"] != "no answer within 15s" {
		t.Errorf("%v", got)
	}
	if gone := s.send(http.MethodDelete, "/channels/"+id, ""); gone.status != http.StatusNoContent {
		t.Errorf("removed: %d %s", gone.status, gone.text)
	}
	for method, path := range map[string]string{http.MethodGet: "/channels/" + id, http.MethodPatch: "/channels/" + id, http.MethodDelete: "/channels/" + id, http.MethodPost: "/channels/" + id + "/test"} {
		body := "{}"
		if method == http.MethodGet || method == http.MethodDelete {
			body = ""
		}
		s.send(method, path, body).want(http.StatusNotFound)
	}
}

func TestAChannelsSecretDoesNotFollowItsAddress(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id := s.post("/channels", `{"kind":"ntfy","name":"Phone","address":"https://ntfy.example/tides","secret":"tk_1"}`).want(http.StatusCreated)["id"].(string)
	refused := s.send(http.MethodPatch, "/channels/"+id, `{"address":"https://evil.example/tides"}`)
	if fields := refused.fields(http.StatusUnprocessableEntity); fields["secret"] == nil {
		t.Errorf("%s", refused.text)
	}
	if got := s.get("/channels/" + id).want(http.StatusOK); got["place"] != "ntfy.example" || got["hasSecret"] != true {
		t.Errorf("%v", got)
	}
	if got := s.send(http.MethodPatch, "/channels/"+id, `{"address":"https://evil.example/tides","secret":""}`).want(http.StatusOK); got["hasSecret"] != false {
		t.Errorf("%v", got)
	}
}

func TestAWrongChannelIsRefusedByField(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for body, field := range map[string]string{
		`{"name":"a","address":"https://a.example"}`:                                                      "kind",
		`{"kind":"pigeon","name":"a","address":"https://a.example"}`:                                      "kind",
		`{"kind":"slack","name":"a"}`:                                                                     "address",
		`{"kind":"slack","address":"https://a.example"}`:                                                  "name",
		`{"kind":"webhook","name":"a","address":"https://a.example","secret":"short"}`:                    "secret",
		`{"kind":"slack","name":"a","address":"https://a.example","level":"some"}`:                        "level",
		`{"kind":"slack","name":"a","address":"https://a.example","quiet":{"from":"22:00","to":""}}`:      "quiet",
		`{"kind":"slack","name":"a","address":"https://a.example","quiet":{"from":"25:00","to":"07:00"}}`: "quiet",
		`{"kind":"command","name":"a","command":["notify-send"]}`:                                         "command",
		`{"kind":"ntfy","name":"a","address":"https://ntfy.sh/"}`:                                         "address",
	} {
		if fields := s.post("/channels", body).fields(http.StatusUnprocessableEntity); fields[field] == nil {
			t.Errorf("%s: %v", body, fields)
		}
	}
	if fields := s.post("/channels", `{"kind":"command","name":"a","command":["/bin/true"]}`).fields(http.StatusUnprocessableEntity); fields["command"] == nil { // from 192.0.2.1
		t.Errorf("a program from elsewhere: %v", fields)
	}
	s.post("/channels", `{"kind":"slack","name":"a","address":"https://a.example","id":"b"}`).want(http.StatusBadRequest)
	if all := s.get("/channels").want(http.StatusOK)["channels"].([]any); len(all) != 0 {
		t.Errorf("%v", all)
	}
}

func TestAChannelTellsWhatItCouldNotSend(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c, failed := handlerstest.ASlackChannel()
	c.Stopped = "it answered 410 Gone"
	if err := s.quests.ChangeSettings(t.Context(), func(now *record.Settings) { now.SetChannel(c) }); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s.outbox.Stand(record.Standing{Waiting: 2, Retried: 1, Failed: 1, Sent: at, Fault: "it answered 500"}, failed)
	got := s.get("/channels/desk").want(http.StatusOK)
	messages := got["failedMessages"].([]any)
	if got["waiting"] != 2.0 || got["failed"] != 1.0 || got["broken"] != true || got["sentAt"] != "2026-11-21T12:00:00Z" || got["fault"] != "it answered 500" || len(messages) != 1 ||
		messages[0].(object)["notices"].([]any)[0].(object)["kind"] != "backup-failed" {
		t.Errorf("%v", got)
	}
	if again := s.send(http.MethodPatch, "/channels/desk", "{}").want(http.StatusOK); again["stopped"] != "" {
		t.Errorf("saving it does not start it again: %v", again)
	}
}

func TestAQuestsLevelIsReadAndSet(t *testing.T) {
	t.Parallel()
	s := begun(t)
	if got := s.get("/quests/q01/level").want(http.StatusOK); got["level"] != "all" {
		t.Errorf("%v", got)
	}
	for _, level := range []string{"none", "needs", "all"} {
		s.send(http.MethodPut, "/quests/q01/level", `{"level":"`+level+`"}`).want(http.StatusOK)
		if got := s.get("/quests/q01/level").want(http.StatusOK); got["level"] != level {
			t.Errorf("%v, want %s", got, level)
		}
	}
	for _, body := range []string{`{"level":"some"}`, `{}`} {
		if fields := s.send(http.MethodPut, "/quests/q01/level", body).fields(http.StatusUnprocessableEntity); fields["level"] == nil {
			t.Errorf("%s: %v", body, fields)
		}
	}
	s.get("/quests/nowhere/level").want(http.StatusNotFound)
	s.send(http.MethodPut, "/quests/nowhere/level", `{"level":"all"}`).want(http.StatusNotFound)
}
