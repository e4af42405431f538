package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// needy is a site in which each kind of thing waits for the user, and with quests that
// need nothing.
func needy(t *testing.T) *site {
	t.Helper()
	s := newSite()
	handlerstest.Busy(s.engine) // a question, and a stopped step
	for _, title := range []string{"Rates", "Rates again"} {
		handlerstest.Begin(s.engine, title).ToPlanGate()
	}
	handlerstest.Finished(s.engine, "Say hello", "main")
	left := handlerstest.Finished(s.engine, "Left where it is", "main")
	s.submit(t, left, orchestration.WorkLeft{})
	spent := handlerstest.Begin(s.engine, "Spent")
	zero := 0.1
	s.submit(t, spent, orchestration.QuestEdited{BudgetUSD: &zero})
	spent.Exit(spent.Start(orchestration.StepRequirements), orchestration.EndClean, orchestration.Exit{SessionCost: 1})
	missing := handlerstest.Begin(s.engine, "Not installed")
	missing.Exit(missing.Start(orchestration.StepRequirements), orchestration.EndNotStarted, orchestration.Exit{Why: "claude was not found"})
	handlerstest.Begin(s.engine, "Held")
	s.submit(t, handlerstest.Begin(s.engine, "Paused one"), orchestration.PausePressed{})
	s.submit(t, handlerstest.Begin(s.engine, "Abandoned one"), orchestration.AbandonPressed{})
	s.engine.Damage(handlerstest.Begin(s.engine, "Torn").Quest)
	s.engine.Hold(orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldLogin, Reason: "run claude and log in"})
	return s
}

// badge returns the number in the navigation.
func badge(page *goquery.Document) int {
	n, _ := strconv.Atoi(strings.Fields(page.Find("#nav-questions .count").Text() + " 0")[0])
	return n
}

func TestOneListOfWhatNeedsYouIsBadgeAndPageAndChips(t *testing.T) {
	t.Parallel()
	s := needy(t)
	inbox := parsed(t, call(t, s.pages.Inbox, nil))
	count := map[string]int{}
	for _, item := range inbox.Find("#inbox > li").EachIter() {
		count[item.AttrOr("data-kind", "")]++
		if name := textOf(item.Find("h2")); name == "" || item.Find(".actions a, .actions button").Length() == 0 || item.Find(".line a").Length() == 0 {
			t.Errorf("an entry without title, quest or action: %q", textOf(item))
		}
	}
	want := map[string]int{"question": 1, "blocked": 1, "gate": 2, "delivery": 1, "budget": 1, "start": 1, "login": 1, "damaged": 1}
	if fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("the page lists %v, want %v", count, want)
	}
	live, err := s.live.Render(t.Context(), []string{"nav", "inbox"})
	if err != nil {
		t.Fatal(err)
	}
	patch, err := goquery.NewDocumentFromReader(strings.NewReader(live))
	if err != nil {
		t.Fatal(err)
	}
	list := parsed(t, s.ask(t, s.pages.List, "", "/quests"))
	for what, page := range map[string]*goquery.Document{"the page": inbox, "a patch of it": patch, "the list of quests": list} {
		if n := badge(page); n != 9 {
			t.Errorf("%s: the badge is %d, and 9 things wait", what, n)
		}
	}
	if words(inbox, "#needs-total") != "9 things" || words(patch, "#needs-total") != "9 things" || patch.Find("#inbox > li").Length() != 9 {
		t.Error("the page's own number is another")
	}
	chips := map[string]string{}
	for _, row := range list.Find(".quest-row").EachIter() {
		chips[row.Find("h2").Text()] = row.Find(".chip.needs").Text()
		href, is := row.Find(".chip.needs").Attr("href")
		if !is {
			continue
		}
		quest := strings.TrimPrefix(row.AttrOr("id", ""), "quest-")
		own := parsed(t, s.ask(t, s.pages.Inbox, "", href)).Find("#inbox-found > li[data-kind]").Length()
		if kinds := row.Find(".chip.needs").Text(); own != strings.Count(kinds, ", ")+1 { // here one of each kind
			t.Errorf("%s: the chip says %q, the page lists %d", row.Find("h2").Text(), row.Find(".chip.needs").Text(), own)
		}
		if head := parsed(t, call(t, s.pages.Board, nil, "quest", quest)).Find("#quest-head .chip.needs").Text(); head != row.Find(".chip.needs").Text() {
			t.Errorf("%s: the board says %q, the list %q", quest, head, row.Find(".chip.needs").Text())
		}
	}
	if got := fmt.Sprint(chips); got != "map[Abandoned one: Add login to billing:1 question, 1 blocked step, login missing Held:login missing Left where it is: Not installed:agent cannot start Paused one: Rates:1 approval Rates again:1 approval Say hello:ready to merge Spent:budget spent Torn:damaged]" {
		t.Errorf("the chips: %s", got)
	}
	waiting := parsed(t, s.ask(t, s.pages.List, "", "/quests?state=waiting"))
	rows, err := s.live.Render(t.Context(), []string{"quests/*"})
	if err != nil || words(list, "#quest-filters") != "All Running (1) Needs you (8) Paused (1) Complete Abandoned Drafts" || !strings.Contains(rows, `<span id="filter-waiting"> (8)</span>`) {
		t.Errorf("the filters %q; live %v: %s", words(list, "#quest-filters"), err, rows)
	}
	if n := waiting.Find(".quest-row").Length(); n != 8 || waiting.Find(".quest-row:not(:has(.chip.needs))").Length() > 0 {
		t.Errorf("the filter shows %d quests, and 8 need somebody", n)
	}
}

// The fixture's clock does not move, so these quests come from an engine with a running
// clock.
func TestWhatNeedsYouIsSortedByItsAge(t *testing.T) {
	t.Parallel()
	s := newSite()
	minute := 0
	s.engine.Now = func() time.Time { return now().Add(time.Duration(minute-60) * time.Minute) }
	for i, title := range []string{"third", "second", "first"} {
		party := handlerstest.Begin(s.engine, title)
		party.Start(orchestration.StepRequirements)
		minute = 30 - i*10
		party.Ask(orchestration.StepRequirements, "Which?")
	}
	minute = 15
	handlerstest.Begin(s.engine, "gate").ToPlanGate()
	page := parsed(t, call(t, s.pages.Inbox, nil))
	if got := words(page, "#inbox .line a:first-child"); got != "first gate second third" {
		t.Errorf("the order: %s", got)
	}
	if got := words(page, "#inbox li:first-child .line"); got != "first Requirements waiting 50m 0s" {
		t.Errorf("the oldest: %s", got)
	}
	for query, want := range map[string]int{"gate": 1, "which": 3, "chaoswhisperer+second": 1, "nothing+like+it": 0} {
		found := parsed(t, s.ask(t, s.pages.Inbox, "", "/questions?q="+query))
		if n := found.Find("#inbox-found > li[data-kind]").Length(); n != want || badge(found) != 4 || words(found, "#needs-total") != "4 things" {
			t.Errorf("%s: %d of them, %d in the badge", query, n, badge(found))
		}
	}
	empty := parsed(t, call(t, newSite().pages.Inbox, nil))
	if badge(empty) != 0 || !strings.Contains(words(empty, "#inbox-empty"), "Nothing needs you.") {
		t.Errorf("nothing: %s", words(empty, "#inbox"))
	}
}

func TestWorkIsLeftOnItsBranchAndNeedsNobody(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Finished(s.engine, "Say hello", "main")
	page := parsed(t, call(t, s.pages.Delivery, nil, "quest", p.Quest))
	if badge(page) != 1 || page.Find("form[action$='/delivery/leave']").Length() != 1 {
		t.Fatalf("%d in the badge; no way to leave the work", badge(page))
	}
	if w := call(t, s.pages.LeaveWork, url.Values{}, "quest", p.Quest); w.Code != http.StatusSeeOther {
		t.Errorf("left: %d", w.Code)
	}
	page = parsed(t, call(t, s.pages.Delivery, nil, "quest", p.Quest))
	if got := words(page, "#main"); badge(page) != 0 || !strings.Contains(got, "You left it there; you can still merge it.") || page.Find("#deliver").Length() != 1 ||
		page.Find("form[action$='/delivery/leave']").Length() != 0 {
		t.Errorf("%d in the badge: %s", badge(page), got)
	}
	if got := words(parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest)), "#alerts"); !strings.Contains(got, "You left the work on the branch quest/"+p.Quest+". It is not in main.") {
		t.Errorf("the board: %s", got)
	}
	q := *s.quest(t, p)
	plain := *q.Steps.At(0)
	plain.Changed, q.LeftAt = nil, time.Time{}
	q.Steps = q.Steps.With(0, &plain)
	s.engine.Replace(orchestration.Restore(&q))
	if page := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest)); badge(page) != 0 || !strings.Contains(words(page, "#alerts"), "No file was changed") {
		t.Errorf("nothing to deliver: %s", words(page, "#alerts"))
	}
}
