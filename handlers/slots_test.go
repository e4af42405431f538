package handlers_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

func (s *site) slotsPage(t *testing.T, query string) *goquery.Document {
	t.Helper()
	return parsed(t, get(t, s.pages.SlotsPage, "/slots"+query))
}

func TestTheSlotsSayWhoIsAtWorkAndWhoIsNext(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	s.engine.Say(p.Start("routes"), "<script>alert(1)</script>\x1b[31m")
	page := s.slotsPage(t, "")
	if got := words(page, "#slots-title"); got != "Agents: 4 of 5 at work" {
		t.Errorf("%q", got)
	}
	if got := words(page, "#slots-title ~ ul .slot:first-child > div:first-of-type p"); got != "◐ Running 0s Spiritmender on Hash passwords in Add login to billing Edit internal/hash.go" {
		t.Errorf("the first: %q", got)
	}
	if got := words(page, "#slots-title ~ ul .slot:last-child"); got != "Slot 5 free" {
		t.Errorf("the last: %q", got)
	}
	if got := words(page, ".slot:nth-child(4) .tail"); got != "<script>alert(1)</script>␛[31m" {
		t.Errorf("a hostile line: %q", got)
	}
	run := s.quest(t, p).Step("hash").Run
	if form := page.Find("#stop-" + run + " form"); form.AttrOr("action", "") != "/runs/"+run+"/stop" ||
		!strings.HasPrefix(textOf(form), "Spiritmender stops.") {
		t.Errorf("how to stop it: %q", textOf(form))
	}
	if got := words(page, "#next-title + p"); got != "Nothing waits, neither for a slot nor for the end of another check." {
		t.Errorf("next: %q", got)
	}
	if got := words(page, "#nav-slots"); got != ", 4/5 at work" {
		t.Errorf("the navigation: %q", got)
	}
}

// The rules of assignment decide who is next. Here two steps wait for a free slot, and
// one for the end of its pause.
func TestWhoWaitsForASlotIsListedInItsOrder(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.planned(t, piece("short", "Short"), piece("long", "Long"), piece("longer", "After it", "long"), piece("busy", "Overloaded"))
	p.Exit(p.Start("busy"), orchestration.EndOverloaded, orchestration.Exit{Code: 1, Why: "529 overloaded"})
	page := s.slotsPage(t, "")
	if got := words(page, "ol.next"); got != "Long in Own plan Short in Own plan" {
		t.Errorf("next: %q", got)
	}
	if got := words(page, "ul.next"); got != "Codeweaver on Overloaded in Own plan ↻ Waits, then resumes resumes in 1m 0s 529 overloaded (attempt 1)" {
		t.Errorf("cannot start: %q", got)
	}
	s.engine.Hold(orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldOverload, Until: now().Add(38 * time.Second), Reason: "overloaded"})
	page = s.slotsPage(t, "")
	if got := words(page, ".alert"); got != "↻ claude Overloaded · resumes in 38s" {
		t.Errorf("the hold: %q", got)
	}
	if clock := page.Find(".alert time"); clock.AttrOr("data-clock", "") != "until" {
		t.Error("nothing counts down")
	}
	if next, waiting := page.Find("ol.next li").Length(), page.Find("ul.next li").Length(); next != 0 || waiting != 3 {
		t.Errorf("%d are next although the account is held, %d wait", next, waiting)
	}
}

func TestTheNumberOfSlotsIsChangedByForm(t *testing.T) {
	t.Parallel()
	s := newSite()
	handlerstest.Busy(s.engine) // three runs
	for _, wrong := range []string{"0", "65", "", "many", "2.5"} {
		w := call(t, s.pages.SetSlots, url.Values{"count": {wrong}})
		page := parsed(t, w)
		if w.Code != http.StatusUnprocessableEntity || s.engine.Slots() != 5 || page.Find("#count").AttrOr("value", "-") != wrong {
			t.Errorf("%q: %d, %d slots, it says %q", wrong, w.Code, s.engine.Slots(), page.Find("#count").AttrOr("value", "-"))
		}
	}
	w := call(t, s.pages.SetSlots, url.Values{"count": {" 2 "}})
	if w.Code != http.StatusSeeOther || s.engine.Slots() != 2 {
		t.Fatalf("%d, %d slots", w.Code, s.engine.Slots())
	}
	page := s.slotsPage(t, strings.TrimPrefix(w.Header().Get("Location"), "/slots"))
	if got := words(page, "#slots-title"); got != "Agents: 3 running, but only 2 slots: no agent starts until enough have finished" {
		t.Errorf("%q", got)
	}
	if got := words(page, ".slot .chip"); got != "this slot closes after this run" {
		t.Errorf("the third: %q", got)
	}
	if got := words(page, ".note"); got != "Changed: up to 2 agents run in parallel." {
		t.Errorf("%q", got)
	}

	_ = s.engine.SetSlots(context.Background(), 64)
	if got := words(s.slotsPage(t, ""), "#slots-title ~ ul .slot:last-child"); got != "Slots 4 to 64 free" {
		t.Errorf("many free ones: %q", got)
	}
}

// hours moves the engine's clock with every call.
func (s *site) hours(from time.Time, step time.Duration) {
	at := from
	s.engine.Now = func() time.Time { at = at.Add(step); return at }
}

func TestTheGanttShowsTheRunsOfItsTime(t *testing.T) {
	t.Parallel()
	s := newSite()
	s.hours(now().Add(-3*time.Hour), 2*time.Minute) // a run takes some minutes
	p := handlerstest.Busy(s.engine)
	s.hours(now().Add(-30*time.Hour), time.Minute)
	handlerstest.Finished(s.engine, "Yesterday", "main")
	whole := parsed(t, call(t, s.pages.QuestRuns, nil, "quest", p.Quest))
	count := func(query string, page *goquery.Document) int {
		t.Helper()
		bars, rows := page.Find(".gantt a.bar").Length(), page.Find("#gantt-table tbody tr").Length()
		if bars != rows {
			t.Errorf("%s: %d bars and %d rows", query, bars, rows)
		}
		return bars
	}
	hour, six, day, week, quest := 0, 0, 0, 0, count("quest", whole)
	for query, n := range map[string]*int{"": &hour, "?span=6h": &six, "?span=24h": &day, "?span=7d": &week} {
		*n = count(query, s.slotsPage(t, query))
	}
	if hour == 0 || hour >= six || six != quest || day != six || week <= day {
		t.Errorf("%d in an hour, %d in six, %d in a day, %d in a week, %d of the quest", hour, six, day, week, quest)
	}
	if got := words(whole, ".gantt g[aria-hidden] text:not(.muted)"); !strings.HasPrefix(got, "Requirements Plan Parse the login configurat… Keep sessions") {
		t.Errorf("the rows: %q", got)
	}
	if topic := whole.Find("#gantt").Parent().AttrOr("data-topic", ""); topic != "gantt-of/all/"+p.Quest {
		t.Errorf("it is kept true by %q", topic)
	}
	page := s.slotsPage(t, "?span=24h")
	earlier := page.Find("#gantt-earlier").AttrOr("href", "")
	page = s.slotsPage(t, strings.TrimPrefix(earlier, "/slots"))
	if n := page.Find(".gantt a.bar").Length(); n != week-day || page.Find("#gantt").Parent().AttrOr("data-topic", "") != "" {
		t.Errorf("%s shows %d runs of %d", earlier, n, week-day)
	}
	if later := page.Find("#gantt-later").AttrOr("href", ""); later != "/slots?span=24h" {
		t.Errorf("and later leads to %q", later)
	}
	if got := words(s.slotsPage(t, "?until=nonsense&span=%3Cb%3E"), "#gantt-spans [aria-current]"); got != "Hour" {
		t.Errorf("nonsense shows %q", got)
	}
}

// Bars are at their times and do not overlap: a slot has one run at a time.
func TestBarsOfASlotDoNotOverlap(t *testing.T) {
	t.Parallel()
	s := newSite()
	s.hours(now().Add(-50*time.Minute), 30*time.Second)
	handlerstest.Busy(s.engine)
	page := s.slotsPage(t, "")
	ends := map[string]float64{}
	page.Find(".gantt a.bar").Each(func(_ int, bar *goquery.Selection) {
		rect := bar.Find("rect").First()
		var x, width float64
		if _, err := fmt.Sscan(rect.AttrOr("x", "")+" "+rect.AttrOr("width", ""), &x, &width); err != nil {
			t.Fatal(err)
		}
		row := rect.AttrOr("y", "")
		if x < ends[row] || x < 70 || x+width > 1180 {
			t.Errorf("%s from %.1f, and the one before ends at %.1f", textOf(bar.Find("title")), x, ends[row])
		}
		ends[row] = x + width
	})
	if len(ends) < 3 {
		t.Errorf("%d rows", len(ends))
	}
}

// The runs of a quest are a page of the quest. The page of the slots, which had them once,
// leads there.
func TestTheSlotsLeadToTheRunsOfAQuest(t *testing.T) {
	t.Parallel()
	s := newSite()
	w := ask(t, s.pages.SlotsPage, "quest=none&span=6h")
	if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || to != "/quests/none/runs?span=6h" {
		t.Errorf("%d %q", w.Code, to)
	}
	c := newContext(httptest.NewRequest(http.MethodGet, "/quests/none/runs", nil), httptest.NewRecorder())
	c.SetParamNames("quest")
	c.SetParamValues("none")
	if err := s.pages.QuestRuns(c); orchestration.CodeOf(err) != orchestration.CodeNotFound {
		t.Errorf("%v", err)
	}
}

func TestOpenSlotsPagesAreKeptTrue(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	html, err := s.live.Render(t.Context(), []string{"slots/tail", "slots", "gantt/1h", "gantt-of/all/" + p.Quest, "gantt-of/1h/gone", "nav"})
	if err != nil {
		t.Fatal(err)
	}
	for part, n := range map[string]int{`id="slots-now"`: 1, `id="gantt"`: 2, `id="nav-slots"`: 1} {
		if strings.Count(html, part) != n {
			t.Errorf("%d of %s", strings.Count(html, part), part)
		}
	}
}

// A change between the rendering of the page and its subscription is sent too.
func TestWhatIsOfManyQuestsIsStaleAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite()
	for topic, stale := range map[string]bool{"slots": true, "gantt/1h": true, "gantt-of/all/q": true, "inbox": true,
		"nav": true, "quests": true, "quests/q": false, "cost/q": false} {
		if got := s.live.Stale(t.Context(), topic, 0); got != stale {
			t.Errorf("%s: %v", topic, got)
		}
	}
}

// The cost of the Gantt chart on a page with many ended quests.
func BenchmarkSlotsPage(b *testing.B) {
	s := newSite()
	s.hours(now().Add(-100*24*time.Hour), 100*time.Millisecond)
	for i := range 200 {
		handlerstest.Finished(s.engine, fmt.Sprintf("Quest %d", i), "main")
	}
	handlerstest.Busy(s.engine)
	for b.Loop() {
		w := httptest.NewRecorder()
		if err := s.pages.SlotsPage(newContext(httptest.NewRequest(http.MethodGet, "/slots?span=7d", nil), w)); err != nil {
			b.Fatal(err)
		}
	}
}
