package handlers_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/service"
)

func TestAWardCommandIsTriedWithoutTheQuestKnowing(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	before := s.quest(t, p)
	page := parsed(t, call(t, s.pages.QuestSettings, nil, "quest", p.Quest))
	if got, _ := page.Find("#command").Attr("value"); got != "go test ./..." || page.Find("#trial-state *").Length() != 0 {
		t.Errorf("at first: %q, %q", got, words(page, "#trial-state"))
	}
	w := call(t, s.pages.TryWard, url.Values{"command": {" make check "}}, "quest", p.Quest)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/quests/"+p.Quest+"/settings#trial" || s.trials.Limit != 30*time.Minute {
		t.Errorf("%d to %s, for %s", w.Code, w.Header().Get("Location"), s.trials.Limit)
	}
	s.output.Write("trial-1", `{"type":"ward","subtype":"start","command":"make check"}`, `{"type":"ward","stream":"output","text":"\u001b[31m<b>red</b>"}`)
	page = parsed(t, call(t, s.pages.QuestSettings, nil, "quest", p.Quest))
	if every, _ := page.Find("#trial-state").Attr("hx-trigger"); every != "every 1s" || page.Find("#trial pre").Text() != "<b>red</b>\n" ||
		!strings.Contains(words(page, "#trial-state"), "Running make check") {
		t.Errorf("while it runs: %q, %q", every, words(page, "#trial"))
	}
	if call(t, s.pages.StopTrial, url.Values{}, "quest", p.Quest); !slices.Equal(s.trials.Ended, []string{p.Quest}) {
		t.Errorf("stopped: %v", s.trials.Ended)
	}
	s.trials.Set(p.Quest, service.Trial{Run: "trial-1", Command: "make check", Why: "exit code 2", Took: 1234 * time.Millisecond})
	page = parsed(t, call(t, s.pages.QuestSettings, nil, "quest", p.Quest))
	if _, asks := page.Find("#trial-state").Attr("hx-trigger"); asks || words(page, "#trial-state [role=status]") != "✕ Red make check Exit code 2, after 1.2s" || page.Find("#trial .danger").Length() != 0 {
		t.Errorf("in the end: %q", words(page, "#trial"))
	}
	if text := call(t, s.pages.TrialText, nil, "quest", p.Quest).Body.String(); !strings.Contains(text, "<b>red</b>") || strings.Contains(text, "\x1b") {
		t.Errorf("as text: %q", text)
	}
	if after := s.quest(t, p); after.Version != before.Version {
		t.Error("the quest changed")
	}
}

func TestNoCommandIsTriedWhereAgentsWork(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	try := func(command string) (int, string) {
		w := call(t, s.pages.TryWard, url.Values{"command": {command}}, "quest", p.Quest)
		page := parsed(t, w)
		kept, _ := page.Find("#command").Attr("value")
		if w.Code != http.StatusSeeOther && kept != strings.TrimSpace(command) {
			t.Errorf("%q: kept %q", command, kept)
		}
		return w.Code, words(page, "#command-error")
	}
	if code, why := try(" "); code != http.StatusUnprocessableEntity || why == "" {
		t.Errorf("no command: %d, %q", code, why)
	}
	if code, _ := try("a\x01b"); code != http.StatusUnprocessableEntity {
		t.Errorf("a control character: %d", code)
	}
	s.trials.Fault = &orchestration.Error{Code: orchestration.CodeConflict, Message: "one at a time"}
	if code, why := try("true"); code != http.StatusConflict || why != "One at a time" {
		t.Errorf("another goes on: %d, %q", code, why)
	}
	s.trials.Fault = nil
	p.Start(orchestration.StepRequirements)
	if code, why := try("true"); code != http.StatusConflict || !strings.Contains(why, "are working in this folder") {
		t.Errorf("an agent works in the tree: %d, %q", code, why)
	}
}
