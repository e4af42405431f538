package handlers_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
	"questboard/orchestration/service"
)

// promptTab shows the tab Prompt of a step; run is "" for the newest.
func (s *site) promptTab(t *testing.T, quest, step, run string) *goquery.Document {
	t.Helper()
	return s.tab(t, s.pages.StepPrompt, quest, step, run)
}

func (s *site) tab(t *testing.T, tab echo.HandlerFunc, quest, step, run string) *goquery.Document {
	t.Helper()
	w := httptest.NewRecorder()
	c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/?run="+run, nil), w)
	c.SetParamNames("quest", "step")
	c.SetParamValues(quest, step)
	if err := tab(c); err != nil {
		t.Fatal(err)
	}
	return parsed(t, w)
}

func TestThePromptThatARunReceivedIsATabOfItsStep(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.begin(t)
	run := p.Start("requirements")
	s.output.Tell(run, service.KeptPrompt{System: "# Rules <b>\n", Message: "[questboard] quest=x\n\nAsk \x1b[31mfirst\u202e.\n"})
	page := s.promptTab(t, p.Quest, "requirements", "")
	if now := page.Find("#step-tabs [aria-current]"); now.AttrOr("id", "") != "step-tab-Prompt" {
		t.Errorf("the current tab is %q", now.AttrOr("id", ""))
	}
	texts := page.Find("#step-prompt pre")
	if texts.Length() != 2 || texts.First().Text() != "# Rules <b>\n" || !strings.HasPrefix(texts.Last().Text(), "[questboard] quest=x\n\nAsk ") ||
		strings.ContainsAny(texts.Text(), "\x1b\u202e") {
		t.Errorf("the tab shows %q", texts.Text())
	}
	if to, _ := page.Find("#step-prompt .log-links a").Attr("href"); to != "/api/v1/runs/"+run+"/prompt" {
		t.Errorf("plain text is at %q", to)
	}
	if page.Find("#prompt-diff").Length() != 0 {
		t.Error("a difference is shown although the role has its built-in text")
	}
	output := s.tab(t, s.pages.Step, p.Quest, "requirements", run)
	if output.Find(`#step-log .log-links a[href="/quests/`+p.Quest+`/steps/requirements/prompt?run=`+run+`"]`).Length() != 1 {
		t.Error("the output of a chosen run does not lead to its prompt")
	}
}

func TestADifferenceSaysWhatTheUsersTextOfARoleChanged(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.begin(t)
	run := p.Start("requirements")
	s.output.Tell(run, service.KeptPrompt{Message: "same\nwrite haiku\nsame\n", BuiltIn: "same\nwrite requirements\nsame\n"})
	page := s.promptTab(t, p.Quest, "requirements", run)
	var rows []string
	for _, row := range page.Find("#prompt-diff tr.add .code, #prompt-diff tr.del .code").EachIter() {
		rows = append(rows, textOf(row))
	}
	if strings.Join(rows, "|") != "− removed write requirements|+ added write haiku" {
		t.Errorf("the difference has %q", rows)
	}
	if to, _ := page.Find("#prompt-diff a").Attr("href"); to != "/settings/roles/chaoswhisperer" {
		t.Errorf("it leads to %q", to)
	}
}

// A resumed session is told only what is new; the tab leads to the prompt with the task.
// Each run of an agent has its own.
func TestThePromptOfAResumedRunLeadsToTheOneThatBeganItsSession(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.begin(t)
	first := p.Start("requirements")
	s.output.Tell(first, service.KeptPrompt{Message: "the whole task"})
	s.press(t, p, orchestration.MessageSent{Run: first, Text: "Ask less."})
	p.Exit(first, orchestration.EndInterrupted, orchestration.Exit{})
	if page := s.promptTab(t, p.Quest, "requirements", ""); page.Find("#step-prompt pre").Text() != "the whole task" {
		t.Errorf("a run in the queue hides the newest prompt: %q", words(page, "#step-prompt"))
	}
	second := p.Start("requirements")
	s.output.Tell(second, service.KeptPrompt{Message: "Ask less."})
	page := s.promptTab(t, p.Quest, "requirements", "")
	if text := page.Find("#step-prompt pre").Text(); text != "Ask less." {
		t.Errorf("the newest prompt is %q", text)
	}
	if to := page.Find("#step-prompt > p a").AttrOr("href", ""); !strings.HasSuffix(to, "/prompt?run="+first) {
		t.Errorf("the task is said to be at %q", to)
	}
	runs := page.Find(".prompt-runs a")
	if runs.Length() != 2 || runs.First().AttrOr("aria-current", "") != "true" || !strings.HasSuffix(runs.Last().AttrOr("href", ""), first) {
		t.Errorf("the runs are %q", words(page, ".prompt-runs"))
	}
}

type brokenOutput struct{ service.Output }

func (brokenOutput) Prompt(string) (service.KeptPrompt, error) {
	return service.KeptPrompt{}, errors.New("unexpected EOF")
}

func TestARunWithoutAPromptSaysWhy(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	q := s.quest(t, p)
	stopped := s.begin(t)
	queued := s.quest(t, stopped).Step("requirements").Run
	tab := func(quest, step, run string) string { return words(s.promptTab(t, quest, step, run), "#step-prompt") }
	if says := tab(stopped.Quest, "requirements", ""); !strings.Contains(says, "has not started yet") {
		t.Errorf("in the queue: %q", says)
	}
	s.press(t, stopped, orchestration.StopPressed{Run: queued})
	if says := tab(stopped.Quest, "requirements", queued); !strings.Contains(says, "never started") {
		t.Errorf("stopped in the queue: %q", says)
	}
	if says := tab(q.ID, "form", ""); !strings.Contains(says, "was not kept") {
		t.Errorf("of an earlier version: %q", says)
	}
	if says := tab(q.ID, "mail", ""); !strings.HasPrefix(says, "No prompt yet.") {
		t.Errorf("a step that waits: %q", says)
	}
	s.pages.Output, s.pages.Log = brokenOutput{s.output}, slog.New(slog.DiscardHandler)
	if says := tab(q.ID, "form", ""); !strings.Contains(says, "is damaged") {
		t.Errorf("a damaged file: %q", says)
	}
}
