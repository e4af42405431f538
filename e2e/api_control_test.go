package e2e_test

import (
	"net/http"
	"testing"
)

// patience is a scenario in which each step hangs until it is told to continue.
const patience = `
- role: codeweaver
  step: slow
  visit: 1
  do:
    - say: I think.
    - hang: true
- role: codeweaver
  step: slow
  visit: 2
  do:
    - say: I think again.
    - hang: true
- role: codeweaver
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: done}}
`

const slowAndNext = `,"plan":{"steps":[{"id":"slow","title":"Slow"},{"id":"next","title":"Next","dependsOn":["slow"]}]}`

// running waits until the nth run of the quest is running and its session is known.
// Before that there is no session to resume.
func (s *apiServer) running(quest string, n int) string {
	s.t.Helper()
	q := s.until(quest, "the run is going", func(q object) bool {
		runs := objects(q["runs"])
		return len(runs) >= n && runs[n-1]["state"] == "running" && runs[n-1]["sessionOpened"] == true
	})
	return objects(q["runs"])[n-1]["id"].(string)
}

func TestStopKeepsTheSessionForRetryAndAMessageGoesOn(t *testing.T) {
	t.Parallel()
	s := startAPI(t, patience)
	quest := s.begin(apiRepo(t), slowAndNext)
	first := s.running(quest, 1)
	for range 2 { // pressing twice is safe
		s.post("/runs/"+first+"/stop", "").want(http.StatusOK)
	}
	q := s.until(quest, "the stopped run has ended", func(q object) bool { return objects(q["runs"])[0]["state"] == "ended" })
	slow, run := named(q["steps"], "slow"), objects(q["runs"])[0]
	if slow["hold"] != "blocked" || slow["block"].(object)["kind"] != "stopped" || run["outcome"] != "stopped" {
		t.Errorf("step %v, run %v", slow, run)
	}
	s.post("/quests/"+quest+"/steps/slow/retry", "").want(http.StatusOK)
	second := s.running(quest, 2)
	if r := s.get("/runs/" + second).want(http.StatusOK); r["resumedFrom"] != first || r["sessionId"] != run["sessionId"] {
		t.Errorf("the retry: %v", r)
	}
	s.post("/runs/"+second+"/message", `{"text":"that will do"}`).want(http.StatusOK)
	q = s.untilStatus(quest, "complete")
	third := objects(q["runs"])[2]
	if third["start"] != "message" || third["resumedFrom"] != second {
		t.Errorf("after the message: %v", third)
	}
	s.post("/quests/"+quest+"/pause", "").refused(http.StatusConflict)
}

// After a pause no new run starts once the call has returned.
func TestPauseHoldsBackAndPauseNowInterrupts(t *testing.T) {
	t.Parallel()
	s := startAPI(t, patience)
	quest := s.begin(apiRepo(t), slowAndNext)
	first := s.running(quest, 1)
	for range 2 {
		s.post("/quests/"+quest+"/pause", `{"now":true}`).want(http.StatusOK)
	}
	q := s.until(quest, "the run is interrupted", func(q object) bool { return objects(q["runs"])[0]["state"] == "ended" })
	if run := objects(q["runs"])[0]; run["outcome"] != "interrupted" || q["status"] != "paused" {
		t.Errorf("the quest is %v, the run %v", q["status"], run)
	}
	if slots := s.get("/slots").want(http.StatusOK); slots["slots"].([]any)[0] != nil {
		t.Errorf("slots while paused: %v", slots)
	}
	s.post("/quests/"+quest+"/resume", "").want(http.StatusOK)
	second := s.running(quest, 2)
	if r := s.get("/runs/" + second).want(http.StatusOK); r["start"] != "interrupted" || r["resumedFrom"] != first {
		t.Errorf("after resume: %v", r)
	}
}

func TestSkipAbandonAndDelete(t *testing.T) {
	t.Parallel()
	s := startAPI(t, patience)
	quest := s.begin(apiRepo(t), slowAndNext)
	first := s.running(quest, 1)
	s.post("/quests/"+quest+"/steps/slow/skip", `{"reason":"in the way"}`).refused(http.StatusConflict) // it runs
	s.post("/runs/"+first+"/stop", "").want(http.StatusOK)
	s.post("/quests/"+quest+"/steps/slow/skip", `{"reason":"in the way"}`).want(http.StatusOK)
	q := s.untilStatus(quest, "complete")
	if slow := named(q["steps"], "slow"); slow["stage"] != "skipped" || slow["reason"] != "in the way" {
		t.Errorf("the skipped step: %v", slow)
	}

	other := s.begin(apiRepo(t), slowAndNext)
	s.running(other, 1)
	if got := s.send(http.MethodDelete, "/api/v1/quests/"+other, ""); got.status != http.StatusConflict {
		t.Errorf("deleting a quest that goes on: %d", got.status)
	}
	for range 2 {
		s.post("/quests/"+other+"/abandon", "").want(http.StatusOK)
	}
	s.until(other, "nothing of it lives", func(q object) bool { return objects(q["runs"])[0]["state"] == "ended" })
	if got := s.send(http.MethodDelete, "/api/v1/quests/"+other, ""); got.status != http.StatusNoContent {
		t.Errorf("deleting an abandoned quest: %d %s", got.status, got.text)
	}
	s.get("/quests/" + other).refused(http.StatusNotFound)
}

// Lowering the number of slots ends no run. It applies from the next assignment on.
func TestFewerSlotsEndNobody(t *testing.T) {
	t.Parallel()
	s := startAPI(t, patience, "-slots", "2")
	one, two := s.begin(apiRepo(t), slowAndNext), s.begin(apiRepo(t), slowAndNext)
	s.running(one, 1)
	run := s.running(two, 1)
	if slots := s.send(http.MethodPut, "/api/v1/slots", `{"count":1}`).want(http.StatusOK); len(slots["slots"].([]any)) != 2 {
		t.Errorf("slots: %v", slots)
	}
	if r := s.get("/runs/" + run).want(http.StatusOK); r["state"] != "running" {
		t.Errorf("the run in slot 2: %v", r["state"])
	}
}
