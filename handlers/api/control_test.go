package api_test

import (
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
)

// docs/interfaces.md#json-api: every control is safe to press twice.
func TestPauseResumeAndAbandonMayBePressedTwice(t *testing.T) {
	t.Parallel()
	s := begun(t)
	for _, c := range []struct{ action, body, status string }{
		{"pause", "", "paused"}, {"pause", "{}", "paused"}, {"pause", `{"now":true}`, "paused"},
		{"resume", "", "running"}, {"resume", "{}", "running"},
		{"abandon", "", "abandoned"}, {"abandon", "", "abandoned"},
	} {
		if q := s.post("/quests/q01/"+c.action, c.body).want(http.StatusOK); q["status"] != c.status {
			t.Errorf("after %s %s the quest is %v", c.action, c.body, q["status"])
		}
	}
	// The quest has ended: every other control is refused, with the current quest.
	if q := s.post("/quests/q01/pause", "").want(http.StatusConflict)["quest"].(object); q["status"] != "abandoned" {
		t.Errorf("beside the conflict: %v", q["status"])
	}
}

func TestAGateIsApprovedOrSentBack(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.post("/quests", `{"request":"x","repo":"/repo","size":"full","approve":["requirements"]}`).want(http.StatusCreated)
	s.post("/quests/q01/gates/requirements", `{"approve":true}`).want(http.StatusConflict)
	s.quests.grant()
	s.quests.play("q01", orchestration.RequirementsSet{Run: "q01-r1", Requirements: []orchestration.Requirement{
		{ID: "r1", Context: "here", Observables: []orchestration.Observable{{ID: "o1", Text: "seen"}}}}})
	s.quests.signal("q01", "q01-r1", orchestration.Signal{Kind: orchestration.Complete, Summary: "locked"})

	q := s.get("/quests/q01").want(http.StatusOK)
	if q["status"] != "waiting" || q["gates"].(object)["requirements"] != "open" {
		t.Fatalf("status %v, gates %v", q["status"], q["gates"])
	}
	for body, field := range map[string]string{`{}`: "approve", `{"approve":false}`: "feedback", `{"approve":true,"feedback":"but"}`: "feedback"} {
		if fields := s.post("/quests/q01/gates/requirements", body).fields(http.StatusUnprocessableEntity); fields[field] == nil {
			t.Errorf("%s: fields %v", body, fields)
		}
	}
	q = s.post("/quests/q01/gates/requirements", `{"approve":false,"feedback":"name the languages"}`).want(http.StatusOK)
	if run := q["runs"].([]any)[1].(object); run["start"] != "feedback" || run["resumedFrom"] != "q01-r1" {
		t.Errorf("the feedback starts %v", run)
	}
	s.quests.grant()
	s.quests.signal("q01", "q01-r2", orchestration.Signal{Kind: orchestration.Complete, Summary: "locked"})
	for range 2 {
		q = s.post("/quests/q01/gates/requirements", `{"approve":true}`).want(http.StatusOK)
		if q["phase"] != "plan" || q["requirementsLocked"] != true {
			t.Errorf("phase %v, locked %v", q["phase"], q["requirementsLocked"])
		}
	}
}

func TestAQuestIsEditedByItsFields(t *testing.T) {
	t.Parallel()
	s := begun(t)
	q := s.send(http.MethodPatch, "/quests/q01", `{"title":"New","slots":5,"budgetUsd":3,"ward":"make","limits":{"ward":7,"runs":900}}`).want(http.StatusOK)
	limits := q["limits"].(object)
	if q["title"] != "New" || q["slots"] != 5.0 || q["budgetUsd"] != 3.0 || q["ward"] != "make" || limits["ward"] != 7.0 || limits["runs"] != 900.0 || limits["crash"] != 3.0 {
		t.Errorf("after the edit: %v", q)
	}
	version := q["version"]
	for body, field := range map[string]string{`{"title":" "}`: "title", `{"slots":0}`: "slots", `{"slots":65}`: "slots",
		`{"budgetUsd":-2}`: "budgetUsd", `{"limits":{"ward":0}}`: "limits.ward", `{"limits":{"runs":-1}}`: "limits.runs"} {
		if fields := s.send(http.MethodPatch, "/quests/q01", body).fields(http.StatusUnprocessableEntity); fields[field] == nil {
			t.Errorf("%s: fields %v", body, fields)
		}
	}
	if got := s.get("/quests/q01").json()["version"]; got != version {
		t.Errorf("a refused edit made version %v of %v", got, version)
	}
}

func TestTheCommandBeforeAMergeIsEdited_ifTheRepositorysFileCounts(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.send(http.MethodPatch, "/quests/q01", `{"beforeMerge":"make lint"}`).fields(http.StatusUnprocessableEntity)
	file := orchestration.RepoFile{BeforeMerge: "false"}
	if _, err := s.quests.Create(t.Context(), orchestration.NewQuest{Repo: "/repo", Request: "More", Agent: "claude", Workspace: orchestration.WorkspaceShared, Slots: 1, File: &file}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"make lint", ""} {
		q := s.send(http.MethodPatch, "/quests/q02", `{"beforeMerge":"`+want+`"}`).want(http.StatusOK)
		if got := q["repoFile"].(object)["beforeMerge"]; got != want {
			t.Errorf("%q became %q", want, got)
		}
	}
}

func TestOnlyAQuestThatIsOverIsDeleted(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.wrote("q01-r1", "a secret\n")
	if q := s.send(http.MethodDelete, "/quests/q01", "").want(http.StatusConflict)["quest"].(object); q["id"] != "q01" {
		t.Errorf("beside the conflict: %v", q)
	}
	if s.get("/runs/q01-r1/output").want(http.StatusOK)["total"] != 1.0 {
		t.Error("a refused deletion took the output")
	}
	s.post("/quests/q01/abandon", "").want(http.StatusOK)
	s.send(http.MethodDelete, "/quests/q01", "").want(http.StatusConflict)
	s.quests.play("q01", orchestration.RunExited{Run: "q01-r1", End: orchestration.EndInterrupted}) // its agent has left
	if a := s.send(http.MethodDelete, "/quests/q01", ""); a.status != http.StatusNoContent || a.text != "" {
		t.Errorf("status %d: %s", a.status, a.text)
	}
	if _, err := s.output.Raw("q01-r1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the output after the deletion: %v", err)
	}
	s.get("/quests/q01").want(http.StatusNotFound)
	s.send(http.MethodDelete, "/quests/q01", "").want(http.StatusNotFound)
}

func TestQuestsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if list := s.get("/quests").want(http.StatusOK)["quests"].([]any); len(list) != 0 {
		t.Errorf("a list of nothing: %v", list)
	}
	for range 3 {
		s.post("/quests", twoSteps).want(http.StatusCreated)
	}
	var ids []string
	for _, q := range s.get("/quests").want(http.StatusOK)["quests"].([]any) {
		ids = append(ids, q.(object)["id"].(string))
	}
	if !slices.Equal(ids, []string{"q03", "q02", "q01"}) {
		t.Errorf("the order is %v", ids)
	}
}

// An unexpected error is logged, and the caller does not see it.
func TestAFailureOfOursIsLoggedAndNotTold(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.quests.Break(errors.New("open /secret/questboard.db: no such file"))
	a := s.get("/quests/q01")
	a.want(http.StatusInternalServerError)
	if strings.Contains(a.text, "secret") || !strings.Contains(s.log.String(), "/secret/questboard.db") {
		t.Errorf("answer %s, log %s", a.text, s.log)
	}
	s.quests.Break(&orchestration.Error{Code: orchestration.CodeUnavailable, Message: "the server is shutting down"})
	s.get("/quests/q01").want(http.StatusServiceUnavailable)
}
