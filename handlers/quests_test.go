package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

func TestTheListOfQuestsIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	s := newSite()
	list := func(url string) (titles []string, text string) {
		page := parsed(t, s.ask(t, s.pages.List, "", url))
		for _, n := range page.Find(".quest-row h2").EachIter() {
			titles = append(titles, n.Text())
		}
		return titles, words(page, "#main")
	}
	if _, text := list("/"); !strings.Contains(text, "No quests yet.") {
		t.Errorf("nothing: %q", text)
	}
	for i := range 120 {
		party := handlerstest.Begin(s.engine, fmt.Sprint("Old ", i))
		s.submit(t, party, orchestration.AbandonPressed{})
	}
	handlerstest.Finished(s.engine, "Say hello", "main")
	busy := handlerstest.Busy(s.engine)
	gated := handlerstest.Begin(s.engine, "Rates")
	gated.ToPlanGate()
	paused := handlerstest.Begin(s.engine, "Paused one")
	s.submit(t, paused, orchestration.PausePressed{})
	first, text := list("/")
	if len(first) != 53 || first[0] != "Add login to billing" || first[1] != "Rates" || first[2] != "Paused one" {
		t.Errorf("%d rows: %v", len(first), first)
	}
	for _, want := range []string{"1 question, 1 blocked step Build 2/12 steps, 1 skipped 3/5 slots", "1 approval Plan", "ended 0s ago"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text[:1000])
		}
	}
	seen, pages := map[string]bool{}, 0
	for next, more := "/", true; more; pages++ {
		page := parsed(t, s.ask(t, s.pages.List, "", next))
		for _, row := range page.Find(".quest-row h2").EachIter() {
			seen[row.Text()] = true
		}
		next, more = page.Find("#quests-older").Attr("href")
	}
	if len(seen) != 124 || pages != 3 {
		t.Errorf("%d quests on %d pages", len(seen), pages)
	}
	for url, want := range map[string][]string{
		"/?state=paused": {"Paused one"}, "/?state=complete": {"Say hello"}, "/?state=waiting": {"Add login to billing", "Rates", "Say hello"},
		"/?q=OLD+7": {"Old 7", "Old 70", "Old 71", "Old 72", "Old 73", "Old 74", "Old 75", "Old 76", "Old 77", "Old 78", "Old 79"},
		"/?q=rates": {"Rates"}, "/?state=nonsense": nil, "/?q=%3Cb%3E": nil,
	} {
		got, _ := list(url)
		if len(got) != len(want) {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
	html, err := s.live.Render(t.Context(), []string{"quests/" + busy.Quest, "quests/none"})
	if err != nil || !strings.Contains(html, `id="quest-none" data-op="remove"`) || !strings.Contains(html, "1 question, 1 blocked step") {
		t.Errorf("live: %v: %s", err, html)
	}
	if html, err = s.live.Render(t.Context(), []string{"quests/*"}); err != nil {
		t.Fatal(err)
	}
	for title, want := range map[string]bool{"Add login to billing": true, "Rates": true, "Paused one": true, "Say hello": true, "Old 7": false} {
		if strings.Contains(html, ">"+title+"<") != want {
			t.Errorf("a list that was just read hears of %s: %v", title, !want)
		}
	}
}

func TestAQuestIsDeletedOnceItsTitleWasTyped(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Begin(s.engine, "Rates")
	for title, code := range map[string]orchestration.Code{"rates": orchestration.CodeInvalid, "Rates": orchestration.CodeConflict} {
		if _, err := try(s.pages.DeleteQuest, url.Values{"title": {title}}, "quest", party.Quest); orchestration.CodeOf(err) != code {
			t.Errorf("%q while it goes on: %v", title, err)
		}
	}
	s.submit(t, party, orchestration.AbandonPressed{})
	if w := call(t, s.pages.DeleteQuest, url.Values{"title": {" Rates "}}, "quest", party.Quest); w.Code != 303 {
		t.Errorf("%d", w.Code)
	}
	if _, err := s.engine.Quest(t.Context(), party.Quest); orchestration.CodeOf(err) != orchestration.CodeNotFound {
		t.Errorf("it is there: %v", err)
	}
}
