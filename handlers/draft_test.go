package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestADraftIsKeptEditedStartedAndBroughtBack(t *testing.T) {
	t.Parallel()
	s := newSite()
	typed := url.Values{"request": {"Say hello <b>\nin words"}, "repo": {"/repo"}, "slots": {"2"}, "budget": {"2.5"}, "base": {"main"},
		"ward": {"make test"}, "workspace": {"shared"}, "approve": {"plan"}, "agent": {"simulated"}, "setup": {"npm ci"}}
	if w := call(t, s.pages.SaveDraft, typed); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/quests?state=draft" {
		t.Fatalf("saved: %d %s", w.Code, w.Header())
	}
	list := parsed(t, s.ask(t, s.pages.List, "", "/quests?state=draft"))
	if got := words(list, "#draft-draft1"); !strings.Contains(got, "Say hello <b>") || !strings.Contains(got, "/repo saved 0s ago") {
		t.Errorf("the list says %q", got)
	}
	if got := words(list, "#quest-filters"); !strings.Contains(got, "Drafts (1)") {
		t.Errorf("the filters: %q", got)
	}
	form := parsed(t, call(t, s.pages.Draft, nil, "draft", "draft1"))
	for name, want := range map[string]string{"draft": "draft1", "version": "1", "repo": "/repo", "slots": "2", "budget": "2.5", "base": "main", "ward": "make test", "setup": "npm ci"} {
		if got, _ := form.Find("#new-quest [name=" + name + "]").Attr("value"); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if form.Find("#request").Text() != typed.Get("request") || form.Find("#workspace-shared[checked]").Length() != 1 ||
		form.Find("#approve-requirements[checked]").Length() != 0 || form.Find("option[value=simulated][selected]").Length() != 1 {
		t.Error("the form lost something")
	}
	call(t, s.pages.DeleteDraft, url.Values{"x": {"y"}}, "draft", "draft1")
	if got := words(parsed(t, s.ask(t, s.pages.List, "", "/quests?state=draft&deleted=draft1")), "#main"); !strings.Contains(got, "The draft is deleted. Undo") || !strings.Contains(got, "No drafts.") {
		t.Errorf("deleted: %q", got)
	}
	call(t, s.pages.RestoreDraft, url.Values{"x": {"y"}}, "draft", "draft1")
	w := call(t, s.pages.StartDraft, url.Values{"x": {"y"}}, "draft", "draft1")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/quests/draft1" {
		t.Fatalf("started: %d %s", w.Code, w.Header())
	}
	q, err := s.engine.Quest(t.Context(), "draft1")
	if err != nil || q.Slots != 2 || q.Workspace != "shared" || q.Agent != "simulated" || q.GatePlan != "pending" || q.GateRequirements != "off" {
		t.Errorf("the quest: %+v (%v)", q, err)
	}
	if _, err := try(s.pages.StartDraft, url.Values{"x": {"y"}}, "draft", "draft1"); err == nil {
		t.Error("it can be started twice")
	}
}

func TestADraftThatAnotherTabChangedKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := newSite()
	call(t, s.pages.SaveDraft, url.Values{"request": {"first"}})
	tab := url.Values{"request": {"mine"}, "repo": {"/repo"}, "draft": {"draft1"}, "version": {"1"}}
	call(t, s.pages.SaveDraft, url.Values{"request": {"theirs"}, "draft": {"draft1"}, "version": {"1"}})
	w := call(t, s.pages.SaveDraft, tab)
	page := parsed(t, w)
	version, _ := page.Find("[name=version]").Attr("value")
	if w.Code != http.StatusConflict || page.Find("#request").Text() != "mine" || version != "2" || page.Find(".summary-error a[href='/drafts/draft1']").Length() != 1 {
		t.Errorf("%d, version %s: %q", w.Code, version, words(page, "#new-quest"))
	}
	if w := call(t, s.pages.CreateQuest, tab); w.Code != http.StatusConflict || parsed(t, w).Find("#request").Text() != "mine" {
		t.Errorf("started from an older version: %d", w.Code)
	}
	tab.Set("version", "2")
	if w := call(t, s.pages.SaveDraft, tab); w.Code != http.StatusSeeOther {
		t.Errorf("sent again: %d", w.Code)
	}
	tab.Set("version", "3")
	if w := call(t, s.pages.CreateQuest, tab); w.Header().Get("Location") != "/quests/draft1" {
		t.Errorf("started: %d %s", w.Code, w.Header())
	}
	if w := call(t, s.pages.CreateQuest, tab); w.Header().Get("Location") != "/quests/draft1" {
		t.Errorf("pressed twice: %d %s", w.Code, w.Header())
	}
	call(t, s.pages.SaveDraft, url.Values{"request": {"second"}})
	call(t, s.pages.DeleteDraft, url.Values{"x": {"y"}}, "draft", "draft2")
	w = call(t, s.pages.SaveDraft, url.Values{"request": {"still here"}, "draft": {"draft2"}, "version": {"1"}})
	if page := parsed(t, w); w.Code != http.StatusConflict || page.Find("#request").Text() != "still here" || page.Find("[name=draft]").Length() != 0 {
		t.Errorf("a deleted draft: %d %q", w.Code, words(page, "#new-quest"))
	}
	for _, wrong := range []url.Values{{"request": {"x"}, "slots": {"many"}}, {"ward": {"make"}}} {
		if w := call(t, s.pages.SaveDraft, wrong); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", wrong, w.Code)
		}
	}
}
