package handlers_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// begin begins a quest without gates.
func (s *site) begin(t *testing.T) *handlerstest.Party {
	t.Helper()
	q, err := s.engine.Create(context.Background(), orchestration.NewQuest{Title: "No gates", Request: "Something.", Repo: "/repo", Agent: "claude",
		Workspace: orchestration.WorkspaceShared})
	if err != nil {
		t.Fatal(err)
	}
	return &handlerstest.Party{Engine: s.engine, Quest: q.ID}
}

func (s *site) press(t *testing.T, p *handlerstest.Party, input orchestration.InputKind) {
	t.Helper()
	if _, err := s.engine.Submit(context.Background(), p.Quest, "user", input); err != nil {
		t.Fatal(err)
	}
}

// Such a run has no session that could be resumed.
func TestNoMessageIsOfferedToARunThatHasNotOpenedItsSession(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.begin(t)
	run := s.quest(t, p).Step("requirements").Run
	s.press(t, p, orchestration.SlotGranted{Run: run, Slot: 1, SessionID: "s"})
	s.press(t, p, orchestration.ProcessStarted{Run: run, PID: 4711})
	form := "#step-panel form[action='/runs/" + run + "/message']"
	at := []string{"quest", p.Quest, "step", "requirements"}
	if parsed(t, call(t, s.pages.Step, nil, at...)).Find(form).Length() != 0 {
		t.Error("a message is offered before the session is open")
	}
	s.press(t, p, orchestration.SessionOpened{Run: run, SessionID: "s"})
	if parsed(t, call(t, s.pages.Step, nil, at...)).Find(form).Length() != 1 {
		t.Error("no message is offered to a run at work")
	}
}

func TestABlockedStepOffersAMessageToItsNewestRun(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.begin(t)
	run := p.Start("requirements")
	s.press(t, p, orchestration.StopPressed{Run: run})
	p.Exit(run, orchestration.EndCrashed, orchestration.Exit{})
	page := parsed(t, call(t, s.pages.Step, nil, "quest", p.Quest, "step", "requirements"))
	if page.Find("#step-panel form[action='/runs/"+run+"/message']").Length() != 1 {
		t.Fatal("no message is offered")
	}
	if says := words(page, "#message-form label"); says != "The agent's session resumes with this text, and the step is no longer blocked" {
		t.Errorf("%q", says)
	}
	call(t, s.pages.MessageRun, url.Values{"text": {"Ask less."}}, "run", run)
	q := s.quest(t, p)
	if next := q.Run(q.Step("requirements").Run); next.Brief.Message != "Ask less." || next.ResumedFrom != run {
		t.Errorf("%+v", next.Launch)
	}
}

// There is no gate, because the quest needs no approval. A blocked step takes feedback
// nevertheless.
func TestABlockedStepOffersFeedback_gateOrNone(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.begin(t)
	run := p.Start("requirements")
	s.press(t, p, orchestration.StopPressed{Run: run})
	p.Exit(run, orchestration.EndCrashed, orchestration.Exit{})
	step := parsed(t, call(t, s.pages.Step, nil, "quest", p.Quest, "step", "requirements"))
	if step.Find("#step-decisions a[href$='/gates/requirements']").Length() != 1 {
		t.Error("the panel leads to no feedback")
	}
	at := []string{"quest", p.Quest, "gate", "requirements"}
	gate := parsed(t, call(t, s.pages.Gate, nil, at...))
	if gate.Find("#feedback-form").Length() != 1 || strings.Contains(words(gate, "#feedback-form"), "asked again") {
		t.Errorf("the page takes no feedback, or promises too much: %q", words(gate, "#gate"))
	}
	if w := call(t, s.pages.SendBack, url.Values{"feedback": {"shorter"}}, at...); w.Code != http.StatusSeeOther {
		t.Errorf("feedback: %d", w.Code)
	}
}

func TestRetryTakesInstructions_andATextThatIsTooLongComesBackAtTheField(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.begin(t)
	run := p.Start("requirements")
	s.press(t, p, orchestration.StopPressed{Run: run})
	p.Exit(run, orchestration.EndCrashed, orchestration.Exit{})
	at := []string{"quest", p.Quest, "step", "requirements"}
	if parsed(t, call(t, s.pages.Step, nil, at...)).Find("#retry-form textarea[name=instructions]").Length() != 1 {
		t.Fatal("there is no field beside Retry")
	}
	long := strings.Repeat("x", orchestration.InstructionsMost+1)
	w := call(t, s.pages.Retry, url.Values{"instructions": {long}}, at...)
	page := parsed(t, w)
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(words(page, "#instructions-error"), "At most 20,000 characters") ||
		page.Find("#instructions[aria-invalid=true]").Text() != long {
		t.Errorf("status %d: %q", w.Code, words(page, "#instructions-error"))
	}
	if s.quest(t, p).Step("requirements").Hold != orchestration.HoldBlocked {
		t.Error("a refusal started the run")
	}
	if w := call(t, s.pages.Retry, url.Values{"instructions": {"Ask\r\nless. "}, "fresh": {"true"}}, at...); w.Code != http.StatusSeeOther {
		t.Fatalf("status %d", w.Code)
	}
	q := s.quest(t, p)
	kept := q.Step("requirements").Instructions
	if len(kept) != 1 || kept[0].Text != "Ask\nless." || q.Run(q.Step("requirements").Run).ResumedFrom != "" {
		t.Errorf("kept: %+v", kept)
	}
}

// Every form about a step, in its panel and in its card's menu, says which state of the
// step it is about. Stopping a run names the run.
func TestEveryDecisionAboutAStepSaysWhatItIsAbout(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	for _, step := range s.quest(t, p).Steps.All() {
		at := []string{"quest", p.Quest, "step", step.ID}
		for what, handler := range map[string]echo.HandlerFunc{"panel": s.pages.Step, "menu": func(c echo.Context) error {
			c.Request().Header.Set("HX-Request-Type", "partial")
			return s.pages.StepMenu(c)
		}} {
			forms := parsed(t, call(t, handler, nil, at...)).Find(`form[action*="/steps/` + step.ID + `/"], form[action$="/message"]`)
			forms.Each(func(_ int, form *goquery.Selection) {
				if got := form.Find(`input[name=state]`).AttrOr("value", ""); got != step.State() {
					t.Errorf("%s of %s: %s is about %q, and the step is %q", what, step.ID, form.AttrOr("action", ""), got, step.State())
				}
			})
			if forms.Length() == 0 && step.Hold == orchestration.HoldBlocked {
				t.Errorf("the %s of %s has no forms", what, step.ID)
			}
		}
	}
}
