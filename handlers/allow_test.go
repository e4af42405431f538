package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/handlers/present"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// What was denied stands on the card and in the step's panel. A rule that cannot be stored
// comes back with its fault; the settings of the quest remove one.
func TestWhatWasDeniedIsAllowedFromNowOn(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	run := p.Quest + "-r1"
	p.Start(orchestration.StepRequirements)
	s.submit(t, p, orchestration.StopPressed{Run: run})
	p.Exit(run, orchestration.EndInterrupted, orchestration.Exit{Denied: []string{"Bash", "Skill"},
		DeniedCalls: []orchestration.DeniedCall{{Tool: "Bash", Text: "npm <b>test</b>", Rule: "Bash(npm test)"}, {Tool: "AskUserQuestion"}}})
	if got := words(parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest)), "#card-requirements, [id='card-requirements']"); !strings.Contains(got, "Bash npm <b>test</b> was denied") || !strings.Contains(got, "Skill was denied") {
		t.Errorf("the card says %q", got)
	}
	at := []string{"quest", p.Quest, "step", orchestration.StepRequirements}
	page := parsed(t, call(t, s.pages.Step, nil, at...))
	form := page.Find("form[action='/runs/" + run + "/allow']")
	if form.Length() != 1 || form.Find("textarea").Text() != "Bash(npm test)" || form.Find("pre").Text() != "npm <b>test</b>" {
		t.Fatalf("%d forms: %q", form.Length(), words(page, "#step-decisions"))
	}
	w := call(t, s.pages.AllowRun, url.Values{"call": {"1"}, "rule": {"Bash(<b>*"}, "for": {"step"}}, "run", run)
	page = parsed(t, w)
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(words(page, "#rule-1-error"), "cannot be read") || page.Find("#rule-1").Text() != "Bash(<b>*" || page.Find("#denied-1[open]").Length() != 1 {
		t.Errorf("a bad rule: %d %q", w.Code, words(page, "#step-decisions"))
	}
	w = call(t, s.pages.AllowRun, url.Values{"call": {"1"}, "rule": {"Bash"}, "for": {"quest"}}, "run", run)
	if got := words(parsed(t, w), "#rule-1-error"); w.Code != http.StatusUnprocessableEntity || !strings.Contains(got, "matches everything") {
		t.Errorf("a rule for everything: %d %q", w.Code, got)
	}
	if w = call(t, s.pages.AllowRun, url.Values{"call": {"1"}, "rule": {"Bash(npm test)"}, "for": {"quest"}}, "run", run); w.Code != http.StatusSeeOther {
		t.Fatalf("a good rule: %d", w.Code)
	}
	if page = parsed(t, call(t, s.pages.Step, nil, at...)); page.Find("[id^=denied-]").Length() != 0 {
		t.Errorf("it is offered again: %q", words(page, "#step-decisions"))
	}
	page = parsed(t, call(t, s.pages.QuestSettings, nil, "quest", p.Quest))
	if got := words(page, "fieldset .check label"); !strings.Contains(got, "Bash(npm test), in the whole quest") {
		t.Errorf("the settings say %q", got)
	}
	values := url.Values{"was": {page.Find("[name=was]").AttrOr("value", "")}, "title": {"Rates"}, "allowed": {""}}
	for _, f := range page.Find("input[name^=limit-]").EachIter() {
		values.Set(f.AttrOr("name", ""), f.AttrOr("value", ""))
	}
	if w = call(t, s.pages.EditQuest, values, "quest", p.Quest); w.Code != http.StatusSeeOther || len(s.quest(t, p).Allowances) != 0 {
		t.Errorf("removed: %d, left %+v", w.Code, s.quest(t, p).Allowances)
	}
}

// Guests read which tool was denied, and not the call.
func TestGuestsDoNotReadWhatWasDenied(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	p.Start(orchestration.StepRequirements)
	s.submit(t, p, orchestration.StopPressed{Run: p.Quest + "-r1"})
	p.Exit(p.Quest+"-r1", orchestration.EndInterrupted, orchestration.Exit{Denied: []string{"Bash"},
		DeniedCalls: []orchestration.DeniedCall{{Tool: "Bash", Text: "deploy --to prod", Rule: "Bash(deploy --to prod)"}}})
	q := s.quest(t, p)
	guest := present.View{Share: &record.Share{Quest: p.Quest}, Redactor: redact.New("", nil), LastLine: func(string) string { return "" }, Compactions: func(string) int { return 0 }}.Quest(q)
	for what, view := range map[string]any{"board": guest.Board(), "step": guest.Step(q.Step(orchestration.StepRequirements), "")} {
		shown, err := json.Marshal(view)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(shown), "Bash was denied") || strings.Contains(string(shown), "deploy") {
			t.Errorf("the %s says %s", what, shown)
		}
	}
}
