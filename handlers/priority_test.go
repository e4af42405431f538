package handlers_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// ready begins a quest of this priority with two steps that can start.
func (s *site) ready(t *testing.T, title string, priority orchestration.Priority) *handlerstest.Party {
	t.Helper()
	q, err := s.engine.Create(context.Background(), orchestration.NewQuest{Title: title, Request: "Something.", Repo: "/repo", Agent: "claude",
		Workspace: orchestration.WorkspaceShared, Priority: priority,
		Plan: &orchestration.OwnPlan{Steps: []orchestration.PlanStep{{ID: "one", Title: "One"}, {ID: "two", Title: "Two"}}}})
	if err != nil {
		t.Fatal(err)
	}
	return &handlerstest.Party{Engine: s.engine, Quest: q.ID}
}

func chosen(page *goquery.Document) string {
	return page.Find("#priority option[selected]").AttrOr("value", "")
}

func TestPriority_isChosenInTheForm_keptInADraft_andRefusedByField(t *testing.T) {
	t.Parallel()
	s := newSite()
	page := parsed(t, call(t, s.pages.NewQuest, nil))
	if chosen(page) != "normal" || words(page, "#priority option") != "High Normal Low" {
		t.Errorf("%q of %q", chosen(page), words(page, "#priority option"))
	}
	form := url.Values{"request": {"Greet"}, "repo": {"/repo"}, "priority": {"urgent"}}
	w := call(t, s.pages.CreateQuest, form)
	if got := words(parsed(t, w), "#priority-error"); w.Code != http.StatusUnprocessableEntity || !strings.Contains(got, "Choose high, normal or low.") {
		t.Errorf("%d %q", w.Code, got)
	}
	form.Set("priority", "low")
	call(t, s.pages.SaveDraft, form)
	drafts, err := s.drafts.Drafts(t.Context())
	if err != nil || len(drafts) != 1 || drafts[0].Quest.Priority != orchestration.PriorityLow {
		t.Fatalf("%+v %v", drafts, err)
	}
	if page := parsed(t, call(t, s.pages.Draft, nil, "draft", drafts[0].ID)); chosen(page) != "low" {
		t.Errorf("the draft shows %q", chosen(page))
	}
	form.Set("priority", "high")
	id := strings.TrimPrefix(call(t, s.pages.CreateQuest, form).Header().Get("Location"), "/quests/")
	if got := s.quest(t, &handlerstest.Party{Quest: id}).Priority; got != orchestration.PriorityHigh {
		t.Errorf("the quest has %q", got)
	}
}

func TestPriority_ofAQuest_isChangedInItsSettings_andMarked(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.ready(t, "Plain", orchestration.PriorityNormal)
	settings := func() *goquery.Document { return parsed(t, call(t, s.pages.QuestSettings, nil, "quest", p.Quest)) }
	list := func() string { return words(parsed(t, get(t, s.pages.List, "/quests")), "#quest-list") }
	if strings.Contains(list(), "priority") || chosen(settings()) != "normal" {
		t.Errorf("normal is marked: %q, or not chosen: %q", list(), chosen(settings()))
	}
	for word, want := range map[string]int{"urgent": http.StatusUnprocessableEntity, "high": http.StatusSeeOther} {
		form := with(sent(settings(), "#quest-settings"), "priority", word)
		if w := call(t, s.pages.EditQuest, form, "quest", p.Quest); w.Code != want {
			t.Fatalf("%s: status %d", word, w.Code)
		}
	}
	page := settings()
	if s.quest(t, p).Priority != orchestration.PriorityHigh || chosen(page) != "high" || !strings.Contains(list(), "high priority") {
		t.Errorf("it has %q, shows %q, and the list says %q", s.quest(t, p).Priority, chosen(page), list())
	}
	history := words(parsed(t, get(t, s.pages.History, "/", "quest", p.Quest)), "main")
	if !strings.Contains(history, "The quest's settings were changed; its priority is high") {
		t.Errorf("the history says %q", history)
	}
}

func TestPriority_ofAStep_isChangedInItsMenu_untilItStarts(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.ready(t, "Plain", orchestration.PriorityNormal)
	at := []string{"quest", p.Quest, "step", "two"}
	menu := func(c echo.Context) error {
		c.Request().Header.Set("HX-Request-Type", "partial")
		return s.pages.StepMenu(c)
	}
	items := func(handler echo.HandlerFunc) (list []string) {
		parsed(t, call(t, handler, nil, at...)).Find(`form[action$="/steps/two/priority"]`).Each(func(_ int, form *goquery.Selection) {
			list = append(list, textOf(form))
		})
		return list
	}
	for what, handler := range map[string]echo.HandlerFunc{"menu": menu, "panel": s.pages.Step} {
		if got := items(handler); !slices.Equal(got, []string{"Make it high priority", "Make it low priority"}) {
			t.Errorf("the %s has %q", what, got)
		}
	}
	for _, bad := range []string{"urgent", ""} {
		if _, err := try(s.pages.StepPriority, url.Values{"priority": {bad}}, at...); orchestration.CodeOf(err) != orchestration.CodeInvalid ||
			!strings.Contains(err.Error(), "high, normal or low") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	form := url.Values{"priority": {"high"}, "state": {s.quest(t, p).Step("two").State()}}
	if w := call(t, s.pages.StepPriority, form, at...); w.Code != http.StatusSeeOther {
		t.Fatalf("status %d", w.Code)
	}
	page := parsed(t, get(t, s.pages.Board, "/", "quest", p.Quest))
	if !strings.Contains(words(page, "#card-two"), "high priority") || strings.Contains(words(page, "#card-one"), "high priority") {
		t.Errorf("the cards say %q and %q", words(page, "#card-one"), words(page, "#card-two"))
	}
	if got := words(page, "#card-one"); !strings.Contains(got, "steps of a higher priority go first") {
		t.Errorf("the other step says %q", got)
	}
	s.press(t, p, orchestration.SlotGranted{Step: "two", Slot: 1, SessionID: "s"})
	if got := items(menu); len(got) != 0 {
		t.Errorf("it has started, and its menu has %q", got)
	}
	_, err := try(s.pages.StepPriority, url.Values{"priority": {"low"}}, at...)
	if err == nil || !strings.Contains(err.Error(), "its priority counted only until then") {
		t.Errorf("it has started: %v", err)
	}
}

func TestPriority_aCardSaysWhenOtherQuestsGoFirst(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.ready(t, "Plain", orchestration.PriorityNormal)
	card := func() string {
		return words(parsed(t, get(t, s.pages.Board, "/", "quest", p.Quest)), "#card-one")
	}
	const first = "quests of a higher priority go first"
	s.ready(t, "Low", orchestration.PriorityLow)
	if strings.Contains(card(), first) {
		t.Errorf("nothing goes first: %q", card())
	}
	other := s.ready(t, "High", orchestration.PriorityHigh)
	if !strings.Contains(card(), first) {
		t.Errorf("it says %q", card())
	}
	if html, err := s.live.Render(t.Context(), []string{"board/" + p.Quest + "/one"}); err != nil || !strings.Contains(html, first) {
		t.Errorf("the open board is not renewed: %v\n%s", err, html)
	}
	s.press(t, other, orchestration.PausePressed{})
	if strings.Contains(card(), first) {
		t.Errorf("the other quest is paused: %q", card())
	}
}
