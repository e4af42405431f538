package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

func pushCall(branch string) orchestration.Call {
	return orchestration.Call{Tool: "Bash", Text: "git push <b>origin</b> " + branch, Rules: []string{"Bash(git push *)"}}
}

// The page of a question about permission shows the call in full, why the agent wants it and
// the rule, and takes a decision by a press. A later decision in another tab is refused.
func TestACallWaitsForADecisionOnItsPage(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	p.ToPlanGate()
	s.submit(t, p, orchestration.GateDecided{Gate: orchestration.StepPlan, Approve: true})
	step := s.quest(t, p).Steps.At(0).ID
	p.AskPermission(step, pushCall("main"))
	id := p.Quest + "-q1"
	if got := words(parsed(t, call(t, s.pages.Inbox, nil)), "#inbox"); !strings.Contains(got, "Codeweaver asks for permission") || !strings.Contains(got, "git push") {
		t.Errorf("the inbox says %q", got)
	}
	page := parsed(t, call(t, s.pages.Question, nil, "question", id))
	if got := words(page, "#question-"+id); !strings.Contains(got, "Bash · asks because of Bash(git push *) git push <b>origin</b> main What the agent said last The work is ready to be published.") {
		t.Errorf("the page says %q", got)
	}
	if page.Find("pre b").Length() != 0 || page.Find("button[name=decision]").Length() != 4 {
		t.Errorf("the form is %q", words(page, "form"))
	}
	w := call(t, s.pages.Answer, url.Values{"answer": {"x"}}, "question", id)
	if page := parsed(t, w); w.Code != http.StatusUnprocessableEntity || words(page, "#decision-error") != "Decide about the call." || page.Find("textarea[name=answer]").Text() != "x" {
		t.Errorf("without a decision: %d", w.Code)
	}
	if w = call(t, s.pages.Answer, url.Values{"decision": {"deny"}, "answer": {"not on a Friday"}}, "question", id); w.Code != http.StatusSeeOther {
		t.Errorf("denied: %d", w.Code)
	}
	w = call(t, s.pages.Answer, url.Values{"decision": {"quest"}, "answer": {""}}, "question", id)
	if got := words(parsed(t, w), "#main"); w.Code != http.StatusConflict || !strings.Contains(got, "Bash · Denied") || !strings.Contains(got, "not on a Friday") {
		t.Errorf("a later decision: %d %q", w.Code, got)
	}
	if c := s.quest(t, p).Question(id).Calls[0]; c.Decision != orchestration.DenyCall {
		t.Errorf("it is %q", c.Decision)
	}
}

func TestSeveralCallsHaveADecisionEach(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	p.ToPlanGate()
	s.submit(t, p, orchestration.GateDecided{Gate: orchestration.StepPlan, Approve: true})
	p.AskPermission(s.quest(t, p).Steps.At(0).ID, pushCall("main"), pushCall("tags"))
	id := p.Quest + "-q1"
	page := parsed(t, call(t, s.pages.Question, nil, "question", id))
	if page.Find("select[name=decision]").Length() != 2 || page.Find("button[name=decision]").Length() != 0 {
		t.Errorf("the form is %q", words(page, "form"))
	}
	for _, sent := range [][]string{{"once", ""}, {"once"}} { // one is missing; a call joined after the page was shown
		w := call(t, s.pages.Answer, url.Values{"decision": sent}, "question", id)
		page := parsed(t, w)
		chosen := page.Find("select[id$='-0'] option[selected]").AttrOr("value", "")
		if w.Code != http.StatusUnprocessableEntity || chosen != "once" || page.Find("select[aria-invalid]").Length() != 1 || page.Find("select[id$='-1'][aria-invalid]").Length() != 1 {
			t.Errorf("%q: %d, kept %q", sent, w.Code, chosen)
		}
		if got := words(page, "#decision-error"); got != "Decide about each call. There are 2 now." {
			t.Errorf("the page says %q", got)
		}
	}
	if w := call(t, s.pages.Answer, url.Values{"decision": {"once", "deny"}}, "question", id); w.Code != http.StatusSeeOther {
		t.Errorf("both: %d", w.Code)
	}
}

// The settings of a quest and of a role take rules that ask, and say what is wrong with one.
func TestRulesThatAskAreSetAndRefused(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	form := func(ask, timeout string) url.Values {
		page := parsed(t, call(t, s.pages.QuestSettings, nil, "quest", p.Quest))
		values := url.Values{"was": {page.Find("[name=was]").AttrOr("value", "")}, "title": {"Rates"}, "ask": {ask}, "askTimeout": {timeout}}
		page.Find("input[name^=limit-]").Each(func(_ int, f *goquery.Selection) { values.Set(f.AttrOr("name", ""), f.AttrOr("value", "")) })
		return values
	}
	for ask, why := range map[string]string{"Bash": "matches everything", "git push": "cannot be read", "<b>(x)": "cannot be read"} {
		w := call(t, s.pages.EditQuest, form(ask, ""), "quest", p.Quest)
		if page := parsed(t, w); w.Code != http.StatusUnprocessableEntity || !strings.Contains(words(page, "#ask-error"), why) || page.Find("#ask").Text() != ask {
			t.Errorf("%q: %d %q", ask, w.Code, words(page, "#ask-error"))
		}
	}
	if w := call(t, s.pages.EditQuest, form("", "soon"), "quest", p.Quest); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("a time that is none: %d", w.Code)
	}
	if w := call(t, s.pages.EditQuest, form("Bash(git push *)\r\nWebFetch\r\n", "2h"), "quest", p.Quest); w.Code != http.StatusSeeOther {
		t.Errorf("good rules: %d", w.Code)
	}
	if got := s.quest(t, p).Asks; len(got.Rules) != 2 || got.Timeout.Hours() != 2 {
		t.Errorf("the quest has %+v", got)
	}
	role := func(ask string) int {
		page := parsed(t, call(t, s.pages.RolePage, nil, "role", "codeweaver"))
		was := page.Find("form:has(#ask) [name=was]").AttrOr("value", "")
		return call(t, s.pages.SetRoleTools, url.Values{"was": {was}, "ask": {ask}}, "role", "codeweaver").Code
	}
	if bad, good := role("Bash(*)"), role("Edit(/infra/**)"); bad != http.StatusUnprocessableEntity || good != http.StatusSeeOther {
		t.Errorf("a role: %d, %d", bad, good)
	}
	if got := s.now(t).OfRole(orchestration.Codeweaver).Ask; len(got) != 1 {
		t.Errorf("the role has %v", got)
	}
}
