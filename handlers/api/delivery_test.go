package api_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// complete is a server with a complete quest of two steps that was not delivered.
func complete(t testing.TB) *server {
	t.Helper()
	s := begun(t)
	s.quests.finish("q01")
	return s
}

func TestADeliveryIsRecordedOnce(t *testing.T) {
	t.Parallel()
	s := complete(t)
	for range 2 {
		q := s.post("/quests/q01/deliver", `{"how":"squash","message":"Greet\r\n\r\nTwice"}`).want(http.StatusOK)
		got := q["delivered"].(object)
		if got["how"] != "squash" || got["branch"] != "main" || got["commit"] != "c0ffee" || got["at"] == nil {
			t.Errorf("delivered: %v", got)
		}
	}
	if s.trees.asked[0] != "squash: Greet\n\nTwice" {
		t.Errorf("git was asked for %q", s.trees.asked[0])
	}
	if head := s.get("/quests").json()["quests"].([]any)[0].(object); head["delivered"].(object)["commit"] != "c0ffee" {
		t.Errorf("the list: %v", head["delivered"])
	}
}

func TestARefusedDeliveryHasTheFreshQuestBeside(t *testing.T) {
	t.Parallel()
	s := complete(t)
	s.trees.refuse = &orchestration.Error{Code: orchestration.CodeConflict, Message: "the checkout has uncommitted changes: commit a.txt"}
	for path, body := range map[string]string{"/deliver": `{"how":"merge"}`, "/push": ""} {
		a := s.post("/quests/q01"+path, body).want(http.StatusConflict)
		if a["quest"].(object)["phase"] != "complete" || a["error"].(object)["message"] != "the checkout has uncommitted changes: commit a.txt" {
			t.Errorf("%s: %v", path, a["error"])
		}
	}
	for body, field := range map[string]string{`{"how":"rebase"}`: "how", `{}`: "how", `{"how":"merge","message":"a\u0000"}`: "message"} {
		if fields := s.post("/quests/q01/deliver", body).fields(http.StatusUnprocessableEntity); fields[field] == nil {
			t.Errorf("%s: fields %v, want %s", body, fields, field)
		}
	}
	s.post("/quests/nobody/deliver", `{"how":"merge"}`).want(http.StatusNotFound)
}

func TestAPushSaysWhereThePullRequestIs(t *testing.T) {
	t.Parallel()
	s := complete(t)
	s.trees.pushed = record.Pushed{Branch: "quest/q01", Remote: "origin", Command: "gh pr create", Note: "gh is not installed"}
	if got := s.post("/quests/q01/push", "").want(http.StatusOK); got["pullRequest"] != nil || got["command"] != "gh pr create" || got["remote"] != "origin" {
		t.Errorf("without gh: %v", got)
	}
	s.trees.pushed = record.Pushed{Branch: "quest/q01", Remote: "origin", PullRequest: "https://example.com/pr/1"}
	if got := s.post("/quests/q01/push", "{}").want(http.StatusOK); got["pullRequest"] != "https://example.com/pr/1" {
		t.Errorf("with gh: %v", got)
	}
}

func TestAPatchIsADownload(t *testing.T) {
	t.Parallel()
	s := complete(t)
	a := s.get("/quests/q01/patch")
	if a.status != http.StatusOK || !strings.HasPrefix(a.text, "diff --git") || a.header.Get("Content-Type") != "text/x-diff" ||
		a.header.Get("Content-Disposition") != `attachment; filename="quest-q01.patch"` {
		t.Errorf("%d %v %s", a.status, a.header, a.text)
	}
}

func TestAWorkspaceNamesThePlacesOfItsSteps(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.trees.kept = []record.Kept{{}}
	w := s.get("/quests/q01/workspace").want(http.StatusOK)
	if w["root"] != "/data/worktrees/q01" || w["branch"] != "quest/q01" || w["base"] != "main" || w["diskBytes"] != 4096.0 || w["kept"] != 1.0 {
		t.Errorf("%v", w)
	}
	places := w["lines"].([]any)
	if len(places) != 1 || places[0].(object)["dir"] != "/data/worktrees/q01/one" || places[0].(object)["exists"] != true {
		t.Errorf("lines: %v, want the one that has started", places)
	}
}

func TestKeptWorkIsListedAndRestored(t *testing.T) {
	t.Parallel()
	s := begun(t)
	if all := s.get("/quests/q01/kept").want(http.StatusOK)["kept"].([]any); len(all) != 0 {
		t.Errorf("at first: %v", all)
	}
	ref := "refs/questboard/kept/q01/one/uncommitted"
	s.trees.kept = []record.Kept{{Ref: ref, Step: "one", Label: "uncommitted", Commit: "c0ffee", Subject: "x", At: epoch.Add(time.Minute)}}
	k := s.get("/quests/q01/kept").want(http.StatusOK)["kept"].([]any)[0].(object)
	if k["ref"] != ref || k["label"] != "uncommitted" || k["at"] != "2026-11-01T11:01:00Z" {
		t.Errorf("%v", k)
	}
	s.post("/quests/q01/kept/restore", `{"ref":"`+ref+`","branch":" rescued "}`).want(http.StatusOK)
	if !slices.Equal(s.trees.asked, []string{ref + " as rescued"}) {
		t.Errorf("asked: %q", s.trees.asked)
	}
	for body, field := range map[string]string{`{"branch":"x"}`: "ref", `{"ref":"x"}`: "branch", `{"ref":"x","branch":"a\nb"}`: "branch"} {
		if fields := s.post("/quests/q01/kept/restore", body).fields(http.StatusUnprocessableEntity); fields[field] == nil {
			t.Errorf("%s: fields %v, want %s", body, fields, field)
		}
	}
}

// A quest can be deleted even if its repository is gone.
func TestADeletedQuestIsForgottenByGit(t *testing.T) {
	t.Parallel()
	s := complete(t)
	s.trees.refuse = errors.New("the repository is gone")
	if a := s.send(http.MethodDelete, "/quests/q01", ""); a.status != http.StatusNoContent {
		t.Errorf("%d: %s", a.status, a.text)
	}
	if !slices.Equal(s.trees.forgotten, []string{"q01"}) || !strings.Contains(s.log.String(), "the repository is gone") {
		t.Errorf("forgotten %v, log %s", s.trees.forgotten, s.log)
	}
	s.get("/quests/q01").want(http.StatusNotFound)
	for _, refuse := range []error{s.trees.refuse, nil} { // after an error, the server tries again at each start
		if left, _ := s.quests.Deletions(t.Context()); len(left) != 1 || left[0].Quest != "q01" || len(left[0].Runs) == 0 {
			t.Fatalf("to be finished: %v", left)
		}
		s.trees.refuse = refuse
		s.deps.FinishDeletions(t.Context())
	}
	if left, _ := s.quests.Deletions(t.Context()); len(left) != 0 || !slices.Equal(s.trees.forgotten, []string{"q01", "q01", "q01"}) {
		t.Errorf("forgotten %v, still to be finished: %v", s.trees.forgotten, left)
	}
	s = begun(t)
	s.send(http.MethodDelete, "/quests/q01", "").want(http.StatusConflict)
	if len(s.trees.forgotten) != 0 {
		t.Error("a quest that goes on was forgotten")
	}
}

// Once the engine has deleted a quest, nobody can ask for that again.
func TestADeletionOutlivesItsRequest(t *testing.T) {
	t.Parallel()
	s := complete(t)
	ctx, leave := context.WithCancel(t.Context())
	deps := s.deps
	deps.Quests = left{s.quests, leave}
	if err := deps.Delete(ctx, "q01"); err != nil || !slices.Equal(s.trees.forgotten, []string{"q01"}) {
		t.Errorf("forgotten %v, %v", s.trees.forgotten, err)
	}
}

// left are quests whose user goes away while one is deleted. The engine answers a request that is
// over at once, and carries it out.
type left struct {
	stored
	leave func()
}

type stored = service.Quests // the interface has a method Quests

func (l left) Delete(ctx context.Context, id string) error {
	l.leave()
	return errors.Join(l.stored.Delete(context.WithoutCancel(ctx), id), ctx.Err())
}

func TestABaselineIsAccepted(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.post("/quests", strings.Replace(twoSteps, `"repo"`, `"ward":"make test","repo"`, 1)).want(http.StatusCreated)
	if b := s.get("/quests/q01").json()["baseline"].(object); b["state"] != "pending" {
		t.Fatalf("at first: %v", b)
	}
	s.post("/quests/q01/baseline/accept", "").want(http.StatusConflict)
	s.quests.grant()
	run := s.quests.one("q01").Step("baseline").Run
	s.quests.play("q01", orchestration.RunExited{Run: run, End: orchestration.EndWardFailed, Exit: orchestration.Exit{Code: 1, Faults: []string{"TestOld"}}})
	b := s.get("/quests/q01").json()["baseline"].(object)
	if b["state"] != "red" || b["run"] != run || !slices.Equal(b["known"].([]any), []any{"TestOld"}) {
		t.Errorf("after ward: %v", b)
	}
	for range 2 {
		q := s.post("/quests/q01/baseline/accept", "").want(http.StatusOK)
		if q["baseline"].(object)["state"] != "accepted" {
			t.Errorf("accepted: %v", q["baseline"])
		}
	}
}

func TestWorkThatIsLeftOnItsBranchNeedsNobody(t *testing.T) {
	t.Parallel()
	s := complete(t)
	if head := s.get("/quests").json()["quests"].([]any)[0].(object); head["needsYou"] != 1.0 || head["leftAt"] != nil {
		t.Errorf("at its end: needs %v, left at %v", head["needsYou"], head["leftAt"])
	}
	for range 2 {
		if q := s.post("/quests/q01/leave", "").want(http.StatusOK); q["needsYou"] != 0.0 || q["leftAt"] == nil || q["delivered"] != nil {
			t.Errorf("left: needs %v, left at %v, delivered %v", q["needsYou"], q["leftAt"], q["delivered"])
		}
	}
	if q := s.post("/quests/q01/deliver", `{"how":"merge"}`).want(http.StatusOK); q["leftAt"] != nil {
		t.Errorf("delivered after all, and left at %v", q["leftAt"])
	}
	s.post("/quests/q01/leave", "").want(http.StatusConflict)
	s.post("/quests/q01/leave", `{"now":true}`).want(http.StatusBadRequest)
}
