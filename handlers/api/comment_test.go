package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// inTrees is a server with a quest in worktree mode, whose first step runs.
func inTrees(t testing.TB) *server {
	t.Helper()
	s := newServer(t)
	s.post("/quests", strings.Replace(twoSteps, `"repo"`, `"workspace":"worktree","repo"`, 1)).want(http.StatusCreated)
	s.quests.grant()
	return s
}

// Comments reach the core as they were written, with side, line and quote.
func TestCommentsReachTheStep(t *testing.T) {
	t.Parallel()
	s := inTrees(t)
	q := s.post("/quests/q01/comments", `{"step":"one","comments":[
		{"file":"one.go","line":12,"quote":"x := 1","text":"say why\r\nhere"},
		{"file":"one.go","line":3,"old":true,"text":"put it back"},{"file":"a\nb.go","text":"why <this> name?"}]}`).want(http.StatusOK)
	if q["id"] != "q01" {
		t.Errorf("the answer is %v", q["id"])
	}
	text := s.quests.one("q01").Step("one").Comments
	for _, want := range []string{`"one.go", line 12: x := 1`, "say why\nhere", `"one.go", line 3 (removed)`, `"a\nb.go"`, "why <this> name?"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// Every wrong comment is named, and none is sent.
func TestWrongCommentsAreAllNamed(t *testing.T) {
	t.Parallel()
	s := inTrees(t)
	fields := s.post("/quests/q01/comments", `{"step":"one","comments":[{"file":"","text":"x"},{"file":"a","line":-1,"text":" "},{"file":"b","text":"good"}]}`).
		fields(http.StatusUnprocessableEntity)
	for _, name := range []string{"comments.0.file", "comments.1.line", "comments.1.text"} {
		if fields[name] == nil {
			t.Errorf("%s is not named: %v", name, fields)
		}
	}
	if fields["comments.2.text"] != nil {
		t.Errorf("the good one is named: %v", fields)
	}
	many := strings.Repeat(`{"file":"a","text":"x"},`, 201)
	for _, body := range []string{`{"comments":[]}`, `{}`, `{"step":"one","comments":[` + strings.TrimSuffix(many, ",") + `]}`} {
		if fields := s.post("/quests/q01/comments", body).fields(http.StatusUnprocessableEntity); fields["comments"] == nil {
			t.Errorf("%.40s: %v", body, fields)
		}
	}
	s.post("/quests/q01/comments", `{"step":"one","comments":[{"file":"a","text":"x","side":"new"}]}`).want(http.StatusBadRequest)
	if got := s.quests.one("q01").Step("one").Comments; got != "" {
		t.Errorf("was sent: %q", got)
	}
}

// If nobody can take comments, the refusal contains the current quest.
func TestCommentsThatNobodyCanTakeAreAConflict(t *testing.T) {
	t.Parallel()
	const comment = `{"step":%q,"comments":[{"file":"a","text":"x"}]}`
	s := inTrees(t)
	for _, step := range []string{"two", "plan", ""} {
		if q := s.post("/quests/q01/comments", fmt.Sprintf(comment, step)).want(http.StatusConflict)["quest"].(object); q["id"] != "q01" {
			t.Errorf("%q: beside the conflict: %v", step, q)
		}
	}
	s.post("/quests/q01/comments", fmt.Sprintf(comment, "nobody")).want(http.StatusNotFound)
	shared := newServer(t)
	shared.post("/quests", strings.Replace(twoSteps, `"repo"`, `"workspace":"shared","repo"`, 1)).want(http.StatusCreated)
	shared.quests.grant()
	shared.post("/quests/q01/comments", fmt.Sprintf(comment, "one")).want(http.StatusConflict)
}
