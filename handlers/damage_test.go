package handlers_test

import (
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// A quest that cannot be read is shown as damaged, with a remedy. It can be deleted, and
// has no other controls. None of its pages fails.
func TestADamagedQuestIsShownWithItsRemedy(t *testing.T) {
	t.Parallel()
	s := newSite()
	sound := handlerstest.Begin(s.engine, "Sound")
	for _, over := range []bool{false, true} {
		party := handlerstest.Begin(s.engine, "Torn")
		if over {
			s.submit(t, party, orchestration.AbandonPressed{})
		}
		s.engine.Damage(party.Quest)
		list := parsed(t, s.ask(t, s.pages.List, "", "/"))
		row := words(list, "#quest-"+party.Quest)
		if !strings.Contains(row, "Damaged") || !strings.Contains(row, "questboard export -from BACKUP "+party.Quest) {
			t.Errorf("over %v: the row says %q", over, row)
		}
		menu := list.Find("#menu-" + party.Quest + " button")
		if got := strings.TrimSpace(menu.Text()); got != "Delete" {
			t.Errorf("over %v: the menu offers %q", over, got)
		}
		board := parsed(t, ask(t, s.pages.Board, "", "quest", party.Quest))
		if text := words(board, "#main"); !strings.Contains(text, "Damaged") || !strings.Contains(text, "a page is torn") {
			t.Errorf("over %v: the board says %q", over, text)
		}
		for name, page := range map[string]echo.HandlerFunc{"settings": s.pages.QuestSettings, "graph": s.pages.Graph, "cost": s.pages.Cost,
			"history": s.pages.History, "shares": s.pages.SharePage, "delivery": s.pages.Delivery, "kept": s.pages.Kept} {
			if text := words(parsed(t, ask(t, page, "", "quest", party.Quest)), "h1"); text == "" {
				t.Errorf("over %v: the page %s has no heading", over, name)
			}
		}
		for _, step := range orchestration.QuestWideSteps {
			parsed(t, ask(t, s.pages.Step, "", "quest", party.Quest, "step", step))
		}
	}
	for name, page := range map[string]echo.HandlerFunc{"slots": s.pages.SlotsPage, "inbox": s.pages.Inbox} {
		if text := words(parsed(t, ask(t, page, "")), "#main"); text == "" {
			t.Errorf("the page %s is empty", name)
		}
	}
	if text := words(parsed(t, ask(t, s.pages.Board, "", "quest", sound.Quest)), "#main"); strings.Contains(text, "Damaged") {
		t.Errorf("the sound one says %q", text)
	}
}
