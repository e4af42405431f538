package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

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
	if page := parsed(t, w); w.Code != http.StatusUnprocessableEntity || page.Find("textarea[name=answer][aria-invalid]").Length() != 1 {
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
	if got := words(page, "#main"); !strings.Contains(got, "Answered by you the SSO, please") || !strings.Contains(got, "the vendor's") {
		t.Errorf("the page says %q", got)
	}
	if left := parsed(t, call(t, s.pages.Inbox, nil)); left.Find("#inbox [data-kind=question]").Length() != 0 {
		t.Errorf("the question still waits: %q", words(left, "#inbox"))
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
	if q.GatePlan != orchestration.GatePending || q.Run(q.Step("plan").Run).Brief.Feedback != "fewer steps" {
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

func TestAQuestionShowsWhatItsAgentWroteLastAndWhatTheAnswerDoes(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Busy(s.engine)
	id := party.Quest + "-q1"
	q := s.quest(t, party)
	run := q.Question(id).Run
	for i := range 30 {
		s.output.Write(run, fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"text","text":"<b>line %d"}]}}`, i))
	}
	page := parsed(t, call(t, s.pages.Question, nil, "question", id))
	if n, got := page.Find("#tail-"+id+" li").Length(), words(page, "#tail-"+id); n != 20 || !strings.HasPrefix(got, "Last 20 lines of its output") || !strings.Contains(got, "<b>line 29") || strings.Contains(got, "line 9 ") {
		t.Errorf("%d lines: %q", n, got)
	}
	note := words(page, "#answer-form-"+id)
	if r := q.Run(run); r.Opened && !strings.Contains(note, "is resumed in the next free slot (2 of 5 are free now)") ||
		!r.Opened && !strings.Contains(note, "a new one starts with this answer in the next free slot") {
		t.Errorf("the form says %q", note)
	}
	for query, want := range map[string]int{"": 1, "?q=provider+SSO": 1, "?q=codeweaver+login": 1, "?q=nothing": 0} {
		inbox := parsed(t, s.ask(t, s.pages.Inbox, "", "/questions"+query))
		if n := inbox.Find(".inbox .quote").Length(); n != want {
			t.Errorf("%s: %d questions", query, n)
		}
	}
}

// docs/state-machine.md#walls
func TestAQuestionShowsTheWallThatStopsItsAgent(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Rates")
	p.ToPlanGate()
	if w := call(t, s.pages.ApproveGate, url.Values{}, "quest", p.Quest, "gate", "plan"); w.Code != http.StatusSeeOther {
		t.Fatalf("the plan is not approved: %d", w.Code)
	}
	p.Complete("store", "written")
	p.Ward("store", orchestration.EndWardPassed, "passed")
	p.Start("store")
	p.Signal("store", orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: "Which <b>port</b>?", Context: "8080 is taken", Wall: orchestration.WallPort})
	const says = "A taken port stops the agent"
	for where, page := range map[string]*goquery.Document{
		"#question-" + p.Quest + "-q1 .alert": parsed(t, call(t, s.pages.Question, nil, "question", p.Quest+"-q1")),
		"#board":                              parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest)),
	} {
		if got := words(page, where); !strings.Contains(got, says) {
			t.Errorf("%s says %q, want %q in it", where, got, says)
		}
	}
}
