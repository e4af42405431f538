package handlers_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// A new quest can ask for labels of its host. A wrong one is said beside the field, and nothing
// that was typed is lost. Drafts, duplicates and follow-ups keep them.
func TestANewQuestSaysOnWhichHostsItRuns(t *testing.T) {
	t.Parallel()
	s := newSite()
	for what, handler := range map[string]echo.HandlerFunc{"start": s.pages.CreateQuest, "draft": s.pages.SaveDraft} {
		w := call(t, handler, url.Values{"request": {"Say hello"}, "repo": {"/repo"}, "runsOn": {"gpu <b>Linux"}})
		page := parsed(t, w)
		if said := words(page, "#runsOn-error"); w.Code != http.StatusUnprocessableEntity || !strings.Contains(said, `"<b>Linux": 1 to 40 of a-z`) {
			t.Errorf("%s: %d %q", what, w.Code, said)
		}
		if typed, _ := page.Find("#runsOn").Attr("value"); typed != "gpu <b>Linux" || page.Find("#options[open]").Length() != 1 {
			t.Errorf("%s: lost, or hidden: %q", what, typed)
		}
	}
	form := url.Values{"request": {"Say hello"}, "repo": {"/repo"}, "runsOn": {" gpu, linux "}}
	call(t, s.pages.SaveDraft, form)
	page := parsed(t, call(t, s.pages.Draft, nil, "draft", "draft1"))
	if typed, _ := page.Find("#runsOn").Attr("value"); typed != "gpu linux" || page.Find("#options[open]").Length() != 1 {
		t.Errorf("the draft has %q", typed)
	}
	call(t, s.pages.CreateQuest, form)
	want := []string{"gpu", "linux"}
	if q := s.quest(t, &handlerstest.Party{Quest: "quest1"}); !slices.Equal(q.Workplace.Labels, want) {
		t.Errorf("the quest runs on %v", q.Workplace.Labels)
	}
	page = parsed(t, s.ask(t, s.pages.NewQuest, "", "/quests/new?from=quest1"))
	if typed, _ := page.Find("#runsOn").Attr("value"); typed != "gpu linux" {
		t.Errorf("its duplicate: %q", typed)
	}
	s.press(t, &handlerstest.Party{Quest: "quest1"}, orchestration.AbandonPressed{})
	if n := s.quest(t, &handlerstest.Party{Quest: "quest1"}).FollowUp("more", ""); !slices.Equal(n.Workplace.Labels, want) || n.Workplace.Host != "" {
		t.Errorf("its follow-up: %+v", n.Workplace)
	}
}

// A follow-up offers the labels of its quest, and may have others. If its quest is gone, they are in
// the form of the new one.
func TestAFollowUpMayRunOnOtherHosts(t *testing.T) {
	t.Parallel()
	s := newSite()
	call(t, s.pages.CreateQuest, url.Values{"request": {"Say hello"}, "repo": {"/repo"}, "runsOn": {"gpu"}})
	s.press(t, &handlerstest.Party{Quest: "quest1"}, orchestration.AbandonPressed{})
	page := parsed(t, call(t, s.pages.FollowUpPage, nil, "quest", "quest1"))
	if offered, _ := page.Find("#runsOn").Attr("value"); offered != "gpu" {
		t.Errorf("it offers %q", offered)
	}
	call(t, s.pages.BeginFollowUp, url.Values{"request": {"more"}, "runsOn": {"linux"}}, "quest", "quest1")
	if q := s.quest(t, &handlerstest.Party{Quest: "quest2"}); !slices.Equal(q.Workplace.Labels, []string{"linux"}) {
		t.Errorf("it runs on %v", q.Workplace.Labels)
	}
	page = parsed(t, call(t, s.pages.BeginFollowUp, url.Values{"request": {"more"}, "runsOn": {"linux"}}, "quest", "nobody"))
	if kept, _ := page.Find("#runsOn").Attr("value"); kept != "linux" {
		t.Errorf("of a quest that is gone it keeps %q", kept)
	}
}

// If no host can take a quest, the form says what each of them lacks.
func TestANewQuestThatNoHostCanTakeKeepsItsForm(t *testing.T) {
	t.Parallel()
	s := newSite()
	_, s.engine.Refuses = orchestration.ChooseHost([]string{"gpu"}, []orchestration.HostOffer{{Name: "forge", Slots: 1}})
	w := call(t, s.pages.CreateQuest, url.Values{"request": {"Say hello"}, "repo": {"/repo"}, "runsOn": {"gpu"}})
	page := parsed(t, w)
	if typed, _ := page.Find("#runsOn").Attr("value"); w.Code != http.StatusConflict || typed != "gpu" || !strings.Contains(page.Text(), "host can take this quest: forge has no label gpu") {
		t.Errorf("%d %q", w.Code, typed)
	}
}
