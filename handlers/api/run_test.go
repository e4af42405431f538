package api_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"questboard/agents/runlog"
	"questboard/orchestration"
)

func TestARunIsStoppedAndItsSessionRetried(t *testing.T) {
	t.Parallel()
	s := begun(t)
	run := s.get("/runs/q01-r1").want(http.StatusOK)
	if run["state"] != "running" || run["slot"] != 1.0 || run["exitCode"] != nil || run["quest"] != "q01" {
		t.Errorf("the run: %v", run)
	}
	s.post("/runs/q01-r1/stop", "").want(http.StatusOK)
	s.quests.play("q01", orchestration.RunExited{Run: "q01-r1", End: orchestration.EndCrashed, Exit: orchestration.Exit{Code: 143}})
	run = s.get("/runs/q01-r1").want(http.StatusOK)
	if run["state"] != "ended" || run["outcome"] != "stopped" || run["exitCode"] != 143.0 {
		t.Errorf("the stopped run: %v", run)
	}
	one := s.get("/quests/q01").json()["steps"].([]any)[0].(object)
	if one["hold"] != "blocked" || one["block"].(object)["kind"] != "stopped" {
		t.Errorf("step one: %v", one)
	}
	q := s.post("/quests/q01/steps/one/retry", "").want(http.StatusOK)
	if next := q["runs"].([]any)[1].(object); next["resumedFrom"] != "q01-r1" {
		t.Errorf("the retry: %v", next)
	}
}

func TestARunAtWorkTellsWhatItHasUsed(t *testing.T) {
	t.Parallel()
	s := begun(t)
	if now := s.get("/runs/q01-r1").want(http.StatusOK)["spending"].(object); now["price"] != "unknown" || now["costUsd"] != nil || now["tokens"].(object)["input"] != 0.0 {
		t.Errorf("before it told anything: %v", now)
	}
	s.quests.Rate("opus", orchestration.Rate{Runs: 1, USD: 1e-4})
	s.quests.Tell("q01-r1", orchestration.Told{Model: "opus", Context: 700, Tokens: orchestration.Tokens{Input: 500, CacheRead: 200}})
	if now := s.get("/runs/q01-r1").want(http.StatusOK)["spending"].(object); now["price"] != "about" || math.Abs(now["costUsd"].(float64)-0.052) > 1e-9 || now["context"] != 700.0 || now["tokens"].(object)["cacheRead"] != 200.0 {
		t.Errorf("at work: %v", now)
	}
	s.quests.play("q01", orchestration.RunExited{Run: "q01-r1", End: orchestration.EndCrashed, Exit: orchestration.Exit{Model: "opus", SessionCost: 0.06}})
	if run := s.get("/runs/q01-r1").want(http.StatusOK); run["spending"] != nil || run["model"] != "opus" || run["costUsd"] != 0.06 {
		t.Errorf("ended: %v", run)
	}
}

func TestAMessageResumesTheSession(t *testing.T) {
	t.Parallel()
	s := begun(t)
	for _, body := range []string{``, `{}`, `{"text":""}`, `{"text":"a\u0000"}`} {
		if fields := s.post("/runs/q01-r1/message", body).fields(http.StatusUnprocessableEntity); fields["text"] == nil {
			t.Errorf("%s: fields %v", body, fields)
		}
	}
	s.post("/runs/q01-r1/message", `{"text":"use tabs"}`).want(http.StatusOK)
	runs := s.get("/quests/q01").json()["runs"].([]any)
	if next := runs[1].(object); next["start"] != "message" || next["resumedFrom"] != "q01-r1" {
		t.Errorf("the next run: %v", next)
	}
}

func TestOutputIsPagedByLine(t *testing.T) {
	t.Parallel()
	s := begun(t)
	a := s.get("/runs/q01-r1/output").want(http.StatusOK)
	if len(a["lines"].([]any)) != 0 || a["total"] != 0.0 {
		t.Errorf("before the first line: %v", a)
	}
	var text strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&text, "line %d \xff\n", i)
	}
	s.wrote("q01-r1", text.String())
	for query, want := range map[string][]int{"": {0, 500}, "?from=1200": {1200, 300}, "?from=3&n=2": {3, 2},
		"?n=5000": {0, 1000}, "?from=9999": {9999, 0}} {
		a := s.get("/runs/q01-r1/output" + query).want(http.StatusOK)
		lines := a["lines"].([]any)
		if a["from"] != float64(want[0]) || len(lines) != want[1] || a["total"] != 1500.0 {
			t.Errorf("%s: from %v, %d lines, total %v", query, a["from"], len(lines), a["total"])
		}
		if len(lines) > 0 && lines[0] != fmt.Sprintf("line %d \uFFFD", want[0]) {
			t.Errorf("%s: begins with %q", query, lines[0])
		}
	}
	for _, query := range []string{"?from=-1", "?from=x", "?n=0", "?n=-5", "?from=99999999999999999999"} {
		s.get("/runs/q01-r1/output" + query).want(http.StatusUnprocessableEntity)
	}
}

func TestRawOutputIsTheFileByteForByte(t *testing.T) {
	t.Parallel()
	s := begun(t)
	if a := s.get("/runs/q01-r1/output.jsonl"); a.status != http.StatusOK || a.text != "" {
		t.Errorf("before the first line: %d %q", a.status, a.text)
	}
	const text = "<script>\xff\x00\n{\"half\": 1}\n"
	s.wrote("q01-r1", text)
	a := s.get("/runs/q01-r1/output.jsonl")
	if a.text != text || a.header.Get("Content-Type") != "application/jsonl" ||
		a.header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%q %v", a.text, a.header)
	}
	r := httptest.NewRequest(http.MethodGet, "/api/v1/runs/q01-r1/output.jsonl", nil)
	r.Header.Set("Range", "bytes=1-6")
	w := httptest.NewRecorder()
	s.echo.ServeHTTP(w, r)
	if w.Code != http.StatusPartialContent || w.Body.String() != "script" {
		t.Errorf("a range: %d %q", w.Code, w.Body)
	}
}

func TestSlotsSayWhoIsInThem(t *testing.T) {
	t.Parallel()
	s := begun(t)
	s.post("/quests", `{"request":"x","repo":"/repo"}`).want(http.StatusCreated)
	a := s.get("/slots").want(http.StatusOK)
	slots := a["slots"].([]any)
	if a["count"] != 3.0 || a["queued"] != 1.0 || len(slots) != 3 || slots[1] != nil {
		t.Errorf("slots: %v", a)
	}
	if one := slots[0].(object); one["run"] != "q01-r1" || one["step"] != "one" || one["role"] != "codeweaver" {
		t.Errorf("slot 1: %v", one)
	}
	for _, body := range []string{``, `{}`, `{"count":0}`, `{"count":65}`} {
		if fields := s.send(http.MethodPut, "/slots", body).fields(http.StatusUnprocessableEntity); fields["count"] == nil {
			t.Errorf("%s: fields %v", body, fields)
		}
	}
	s.quests.grant() // a second run
	// Lowering the count ends no run: the slot above the count stays until its run ends.
	a = s.send(http.MethodPut, "/slots", `{"count":1}`).want(http.StatusOK)
	if a["count"] != 1.0 || len(a["slots"].([]any)) != 2 {
		t.Errorf("lowered: %v", a)
	}
	if !slices.ContainsFunc(a["slots"].([]any), func(v any) bool { return v.(object)["quest"] == "q02" }) {
		t.Errorf("the run above the count is gone: %v", a)
	}
}

// A check takes no slot, so it is neither in a slot nor in the queue for one.
func TestChecksAreListedBesideTheSlots(t *testing.T) {
	t.Parallel()
	s := begun(t)
	none := s.get("/slots").want(http.StatusOK)
	if none["checks"] != 2.0 || none["queuedChecks"] != 0.0 || len(none["checking"].([]any)) != 0 {
		t.Errorf("no check yet: %v", none)
	}
	s.quests.signal("q01", "q01-r1", orchestration.Signal{Kind: orchestration.Complete, Summary: "written"})
	if waits := s.get("/slots").want(http.StatusOK); waits["queued"] != 0.0 || waits["queuedChecks"] != 1.0 {
		t.Errorf("the check waits: %v", waits)
	}
	s.quests.grant()
	works := s.get("/slots").want(http.StatusOK)
	checking := works["checking"].([]any)
	if works["queuedChecks"] != 0.0 || len(checking) != 1 || slices.ContainsFunc(works["slots"].([]any), func(v any) bool { return v != nil }) {
		t.Fatalf("the check works: %v", works)
	}
	if one := checking[0].(object); one["quest"] != "q01" || one["run"] != "q01-r2" || one["step"] != "one" || one["startedAt"] == nil {
		t.Errorf("the check: %v", one)
	}
	if run := s.get("/runs/q01-r2").want(http.StatusOK); run["slot"] != nil {
		t.Errorf("its slot: %v", run["slot"])
	}
	s.send(http.MethodPost, "/quests/q01/pause", "").want(http.StatusOK)
	if paused := s.get("/slots").want(http.StatusOK); len(paused["checking"].([]any)) != 1 {
		t.Errorf("a check that ends although its quest is paused: %v", paused)
	}
}

func TestThePromptOfARunIsTextWithALineOfDashesBeforeTheMessage(t *testing.T) {
	t.Parallel()
	s := begun(t)
	refused := func(run, why string) {
		t.Helper()
		a := s.get("/runs/" + run + "/prompt").want(http.StatusNotFound)
		if fault := a["error"].(object); fault["code"] != "not_found" || !strings.Contains(fault["message"].(string), why) {
			t.Errorf("%s: %v, want %q", run, fault, why)
		}
	}
	refused("q01-r1", "was not kept")
	refused("q01-r77", "there is no run")
	if err := s.output.KeepPrompt("q01-r1", runlog.Prompt{System: "<script>", Message: "[questboard] quest=q01\n", BuiltIn: "other"}); err != nil {
		t.Fatal(err)
	}
	a := s.get("/runs/q01-r1/prompt")
	if want := "<script>\n" + strings.Repeat("-", 72) + "\n[questboard] quest=q01\n"; a.status != http.StatusOK || a.text != want ||
		a.header.Get("Content-Type") != "text/plain; charset=UTF-8" || a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %q %v", a.status, a.text, a.header)
	}
	s.quests.signal("q01", "q01-r1", orchestration.Signal{Kind: orchestration.Complete, Summary: "done"})
	refused("q01-r2", "a check is a command")
	s.post("/quests", `{"request":"x","repo":"/repo"}`).want(http.StatusCreated)
	refused("q02-r1", "has not started yet")
	s.post("/runs/q02-r1/stop", "").want(http.StatusOK)
	refused("q02-r1", "never started")
}
