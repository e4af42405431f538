package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

func TestTheFirstAnswerCountsAndALaterDraftIsNotLost(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	id := p.Quest + "-q1"
	if got := words(parsed(t, call(t, s.pages.Inbox, nil)), "#inbox .quote"); got != handlerstest.Question {
		t.Errorf("the inbox asks %q", got)
	}
	w := call(t, s.pages.Answer, url.Values{"answer": {"\r\n "}}, "question", id)
	if page := parsed(t, w); w.Code != http.StatusUnprocessableEntity || page.Find("#answer[aria-invalid]").Length() != 1 {
		t.Errorf("an empty answer: %d", w.Code)
	}
	w = call(t, s.pages.Answer, url.Values{"answer": {"the SSO,\r\nplease"}}, "question", id)
	if w.Code != http.StatusSeeOther {
		t.Errorf("a good answer: %d", w.Code)
	}
	if got := s.quest(t, p).Question(id).Answer; got != "the SSO,\nplease" {
		t.Errorf("the agent gets %q", got)
	}
	w = call(t, s.pages.Answer, url.Values{"answer": {"the vendor's"}}, "question", id)
	page := parsed(t, w)
	if w.Code != http.StatusConflict || page.Find("form#answer-form-"+id).Length() != 0 {
		t.Errorf("a second answer: %d", w.Code)
	}
	if got := words(page, "#main"); !strings.Contains(got, "Answered by user the SSO, please") || !strings.Contains(got, "the vendor's") {
		t.Errorf("the page says %q", got)
	}
	if got := words(parsed(t, call(t, s.pages.Inbox, nil)), "#inbox"); !strings.Contains(got, "No agent is waiting") {
		t.Errorf("the inbox is not empty: %q", got)
	}
}

func TestGatesApproveAndSendBack(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	p.ToPlanGate()
	page := parsed(t, call(t, s.pages.Gate, nil, "quest", p.Quest, "gate", "requirements"))
	if got := words(page, "#gate"); !strings.HasPrefix(got, "Approved.") || !strings.Contains(got, "wrong password <script>alert(1)</script>") {
		t.Errorf("the requirements: %q", got)
	}
	if page.Find("#gate script").Length() != 0 {
		t.Error("an agent's text became an element")
	}
	w := call(t, s.pages.SendBack, url.Values{"feedback": {" "}}, "quest", p.Quest, "gate", "plan")
	if w.Code != http.StatusUnprocessableEntity || parsed(t, w).Find("#feedback[aria-invalid]").Length() != 1 {
		t.Errorf("empty feedback: %d", w.Code)
	}
	call(t, s.pages.SendBack, url.Values{"feedback": {"fewer steps"}}, "quest", p.Quest, "gate", "plan")
	q := s.quest(t, p)
	if q.GatePlan != orchestration.GatePending || q.Run(q.Line("plan").Run).Brief.Feedback != "fewer steps" {
		t.Errorf("the gate is %s", q.GatePlan)
	}
	p.Complete("plan", "as before")
	call(t, s.pages.ApproveGate, url.Values{}, "quest", p.Quest, "gate", "plan")
	if q = s.quest(t, p); q.Phase != orchestration.PhaseSteps {
		t.Errorf("the quest is at %s", q.Phase)
	}
}

func TestEveryFaultOfANewQuestIsAtItsField(t *testing.T) {
	t.Parallel()
	s := newSite()
	w := call(t, s.pages.CreateQuest, url.Values{"request": {" "}, "repo": {"here"}, "slots": {"65"}, "budget": {"-1"},
		"ward": {"make test"}, "approve": {"plan"}, "agent": {"simulated"}})
	page := parsed(t, w)
	if w.Code != http.StatusUnprocessableEntity {
		t.Errorf("%d", w.Code)
	}
	for _, field := range []string{"request", "repo", "slots", "budget"} {
		if page.Find("#"+field+"[aria-invalid]").Length() != 1 || words(page, "#"+field+"-error") == "" {
			t.Errorf("%s has no fault", field)
		}
	}
	kept := page.Find("#ward[value='make test'], #slots[value='65'], #repo[value=here], #approve-plan[checked], option[value=simulated][selected]")
	if kept.Length() != 5 || page.Find("#approve-requirements[checked]").Length() != 0 {
		t.Errorf("only %d choices were kept", kept.Length())
	}
	w = call(t, s.pages.CreateQuest, url.Values{"request": {"Say hello.\r\nTwice."}, "repo": {"/repo"}, "slots": {"2"}, "budget": {"2.50"}})
	if w.Header().Get("Location") != "/quests/quest1" {
		t.Fatalf("%d to %q", w.Code, w.Header().Get("Location"))
	}
	q := s.quest(t, &handlerstest.Party{Quest: "quest1"})
	if q.Request != "Say hello.\nTwice." || q.Slots != 2 || q.BudgetUSD != 2.5 || q.Branch != "main" || q.GatePlan != orchestration.GateOff {
		t.Errorf("created: %+v", q)
	}
}
