package api_test

import (
	"net/http"
	"testing"

	"questboard/orchestration"
)

// asking is a server with a quest whose first step asks the user.
func asking(t testing.TB) *server {
	t.Helper()
	s := begun(t)
	s.quests.signal("q01", "q01-r1", orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: "Whom?", Context: "one.go"})
	return s
}

func TestQuestionsAreListedOpenOrNot(t *testing.T) {
	t.Parallel()
	s := asking(t)
	for query, want := range map[string]int{"": 1, "?open=true": 1, "?open=false": 0} {
		if list := s.get("/questions" + query).want(http.StatusOK)["questions"].([]any); len(list) != want {
			t.Errorf("%s: %v", query, list)
		}
	}
	s.get("/questions?open=perhaps").want(http.StatusUnprocessableEntity)
	ask := s.get("/questions").json()["questions"].([]any)[0].(object)
	for field, want := range (object{"id": "q01-q1", "run": "q01-r1", "step": "one", "role": "codeweaver", "question": "Whom?",
		"context": "one.go", "wall": nil, "answer": nil, "answeredAt": nil, "answeredBy": nil, "open": true}) {
		if ask[field] != want {
			t.Errorf("%s is %v; want %v", field, ask[field], want)
		}
	}
	q := s.get("/quests/q01").json()
	one, run := q["steps"].([]any)[0].(object), q["runs"].([]any)[0].(object)
	if q["status"] != "waiting" || one["hold"] != "question" || one["stage"] != "codeweaver" {
		t.Errorf("status %v, step %v", q["status"], one)
	}
	if sent := run["signal"].(object); sent["signal"] != "needs-user-input" || sent["question"] != "Whom?" || run["costUsd"] != 0.25 {
		t.Errorf("the run: %v", run)
	}
}

// The first answer counts. A later one gets 409 with the first.
func TestTheFirstAnswerCounts(t *testing.T) {
	t.Parallel()
	s := asking(t)
	for _, body := range []string{``, `{}`, `{"answer":" "}`, `{"answer":"a\u0000"}`} {
		if fields := s.post("/questions/q01-q1/answer", body).fields(http.StatusUnprocessableEntity); fields["answer"] == nil {
			t.Errorf("%s: fields %v", body, fields)
		}
	}
	ask := s.post("/questions/q01-q1/answer", `{"answer":"the world"}`).want(http.StatusOK)
	if ask["answer"] != "the world" || ask["answeredBy"] != "user" || ask["answeredAt"] == nil || ask["open"] != false {
		t.Errorf("answered: %v", ask)
	}
	late := s.post("/questions/q01-q1/answer", `{"answer":"nobody"}`).want(http.StatusConflict)
	if late["question"].(object)["answer"] != "the world" || late["error"].(object)["code"] != "conflict" {
		t.Errorf("the late answer got %v", late)
	}
	if runs := s.get("/quests/q01").json()["runs"].([]any); len(runs) != 2 || runs[1].(object)["start"] != "answer" {
		t.Errorf("runs: %v", runs)
	}
}

func TestAQuestionOfASkippedStepIsNoLongerNeeded(t *testing.T) {
	t.Parallel()
	s := asking(t)
	s.post("/quests/q01/steps/one/skip", `{"reason":"by hand"}`).want(http.StatusOK)
	late := s.post("/questions/q01-q1/answer", `{"answer":"x"}`).want(http.StatusConflict)["question"].(object)
	if late["answer"] != nil || late["closed"] == nil {
		t.Errorf("the question: %v", late)
	}
}

// A quest lists what waits for the user in it, and the list of quests lists it for all.
// Both say how many there are.
func TestWhatNeedsAPersonIsToldOfAQuestAndOfAll(t *testing.T) {
	t.Parallel()
	s := asking(t)
	own := s.get("/quests/q01").want(http.StatusOK)
	need := own["needs"].([]any)[0].(object)
	if own["needsYou"] != 1.0 || need["kind"] != "question" || need["quest"] != "q01" || need["step"] != "one" || need["question"] != "q01-q1" || need["reason"] != "Whom?" || need["since"] == nil {
		t.Errorf("the quest needs %v: %v", own["needsYou"], own["needs"])
	}
	s.quests.Hold(orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldLogin, Reason: "run claude and log in"})
	if _, err := s.quests.Create(t.Context(), orchestration.NewQuest{Request: "Greet", Repo: "/repo", Workspace: orchestration.WorkspaceShared, Agent: "claude"}); err != nil {
		t.Fatal(err)
	}
	all := s.get("/quests").want(http.StatusOK)
	list := all["needs"].([]any)
	if all["needsYou"] != 2.0 || len(list) != 2 {
		t.Fatalf("all need %v: %v", all["needsYou"], list)
	}
	for _, entry := range list {
		if n := entry.(object); n["kind"] == "login" && (n["quest"] != nil || n["agent"] != "claude" || len(n["quests"].([]any)) != 1) {
			t.Errorf("an account: %v", n)
		}
	}
	for _, head := range all["quests"].([]any) {
		if n := head.(object)["needsYou"]; n != 1.0 {
			t.Errorf("%v needs %v", head.(object)["id"], n)
		}
	}
}

func TestAQuestionSaysAtWhichWallItIsAsked(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.quests.signal("q01", "q01-r1", orchestration.Signal{Kind: orchestration.Complete, Summary: "made"})
	s.quests.grant()
	s.quests.play("q01", orchestration.RunExited{Run: "q01-r2", End: orchestration.EndWardPassed, Exit: orchestration.Exit{Tree: "tree"}})
	s.quests.grant()
	s.quests.signal("q01", "q01-r3", orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: "A port?", Context: "c", Wall: orchestration.WallPort})
	ask := s.get("/questions").json()["questions"].([]any)[0].(object)
	sent := s.get("/runs/q01-r3").want(http.StatusOK)["signal"].(object)
	if ask["wall"] != "port" || sent["wall"] != "port" || ask["role"] != "siegemaster" {
		t.Errorf("the question %v, the signal %v", ask, sent)
	}
}

func TestAQuestionAboutCallsNeedsADecisionAboutEach(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.quests.play("q01", orchestration.PermissionAsked{Run: "q01-r1", Call: orchestration.Call{Tool: "Bash", Text: "git push", Rules: []string{"Bash(git push *)"}}})
	for _, body := range []string{`{}`, `{"answer":"yes"}`, `{"decisions":["once","once"]}`, `{"decisions":["often"]}`} {
		fields := s.post("/questions/q01-q1/answer", body).fields(http.StatusUnprocessableEntity)
		if fields["decisions"] == nil || fields["answer"] != nil {
			t.Errorf("%s: fields %v", body, fields)
		}
	}
	s.post("/questions/q01-q1/answer", `{"decisions":["deny"]}`).want(http.StatusOK)
}
