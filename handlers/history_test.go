package handlers_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// ask calls a handler for a quest with a URL.
func (s *site) ask(t *testing.T, handler echo.HandlerFunc, quest, url string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, url, nil), w)
	c.SetParamNames("quest")
	c.SetParamValues(quest)
	if err := handler(c); err != nil {
		t.Fatal(err)
	}
	return w
}

func (s *site) historyPage(t *testing.T, quest, url string) *goquery.Document {
	t.Helper()
	return parsed(t, s.ask(t, s.pages.History, quest, url))
}

func TestTheHistoryTellsInWordsWhatHappened(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Busy(s.engine)
	page := s.historyPage(t, party.Quest, "/?technical=on")
	text := words(page, "#main")
	for _, want := range []string{"Quest started", "Requirements written: 2", "Plan approved", "Asks: " + handlerstest.Question,
		"Check failed: 1 test failed", "Skipped: written by hand", "Called PathSeeker: the step hides two", "Codeweaver queued: a new session", "Saturday, 21 November 2026, UTC"} {
		if !strings.Contains(text+words(s.historyPage(t, party.Quest, "/?technical=on&before=100"), "#main"), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	asked := s.historyPage(t, party.Quest, "/?type=question&step=cookie")
	if n := asked.Find(".event").Length(); n != 1 {
		t.Errorf("%d questions on the step cookie", n)
	}
	if got := words(asked, ".event a"); got != "Session cookie run 12" && !strings.HasPrefix(got, "Session cookie run ") {
		t.Errorf("its links: %q", got)
	}
	if got := words(asked, ".event details"); !strings.Contains(got, "question.asked") || !strings.Contains(got, party.Quest+"-q1") {
		t.Errorf("the payload: %q", got)
	}
	if got, _ := asked.Find("#history-type option[selected]").Attr("value"); got != "question" {
		t.Errorf("the filter shows %q", got)
	}
	if got := words(s.historyPage(t, party.Quest, "/?actor=nobody+%3Cb%3E&before=x"), "#main .empty"); !strings.Contains(got, "No matches") {
		t.Errorf("nothing: %q", got)
	}
}

func TestTheHistoryIsPagedAndItsNewsAreCounted(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Busy(s.engine)
	q := s.quest(t, party)
	seen, pages := map[string]bool{}, 0
	page := s.historyPage(t, party.Quest, "/?technical=on")
	for ; ; pages++ {
		page.Find(".event[id^=event-]").Each(func(_ int, e *goquery.Selection) {
			id, _ := e.Attr("id")
			if seen[id] {
				t.Errorf("%s is there twice", id)
			}
			seen[id] = true
		})
		older, more := page.Find("#history-older").Attr("href")
		if !more {
			break
		}
		page = s.historyPage(t, party.Quest, older)
	}
	if int64(len(seen)) != q.Seq || pages < 1 {
		t.Errorf("%d of %d events on %d pages", len(seen), q.Seq, pages+1)
	}
	news, _ := s.historyPage(t, party.Quest, "/?actor=user").Find("#history-news").Attr("data-url")
	if got := words(parsed(t, s.ask(t, s.pages.HistoryNews, party.Quest, news)), "#history-news"); got != "" {
		t.Errorf("nothing is new: %q", got)
	}
	for range 2 {
		s.submit(t, party, orchestration.PausePressed{})
		s.submit(t, party, orchestration.ResumePressed{})
	}
	fresh := parsed(t, s.ask(t, s.pages.HistoryNews, party.Quest, news))
	if got := words(fresh, "#history-news"); got != "4 new events" {
		t.Errorf("the news: %q", got)
	}
	if to, _ := fresh.Find("#history-news a").Attr("href"); to != "/quests/"+party.Quest+"/history?actor=user" {
		t.Errorf("they are at %q", to)
	}
	html, err := s.live.Render(t.Context(), []string{"history/" + party.Quest})
	if err != nil || !strings.Contains(html, fmt.Sprintf(`data-seq="%d"`, s.quest(t, party).Seq)) {
		t.Errorf("the page is not told (%v): %s", err, html)
	}
}

func (s *site) submit(t *testing.T, party *handlerstest.Party, input orchestration.InputKind) {
	t.Helper()
	if _, err := s.engine.Submit(t.Context(), party.Quest, "user", input); err != nil {
		t.Fatal(err)
	}
}

func TestTheHistoryIsExportedAsItIsFiltered(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Busy(s.engine)
	s.submit(t, party, orchestration.AnswerGiven{Question: party.Quest + "-q1", Answer: `=HYPERLINK("http://example.org","x")`})
	evil := `=cmd|'/c calc'!A0`
	if _, err := s.engine.Submit(t.Context(), party.Quest, evil, orchestration.PausePressed{}); err != nil {
		t.Fatal(err)
	}
	q := s.quest(t, party)
	w := s.ask(t, s.pages.HistoryCSV, party.Quest, "/")
	if got := w.Header().Get("Content-Disposition"); got != `attachment; filename="`+q.ID+`-history.csv"` {
		t.Errorf("it is %q", got)
	}
	if !strings.HasPrefix(w.Body.String(), `"seq","at","actor"`) || strings.Contains(w.Body.String(), `"=cmd`) || !strings.Contains(w.Body.String(), `"'=cmd`) {
		t.Error("a formula is let through, or cells are not quoted")
	}
	rows, err := csv.NewReader(w.Body).ReadAll()
	if err != nil || int64(len(rows)) != q.Seq+1 {
		t.Fatalf("%d rows of %d entries (%v)", len(rows), q.Seq, err)
	}
	for i, row := range rows[1:] {
		if row[0] != strconv.Itoa(i+1) {
			t.Fatalf("row %d is entry %s", i, row[0])
		}
	}
	var out struct {
		Events []struct {
			Seq  int64
			Type string
			Step *string
			Data map[string]string
		}
	}
	w = s.ask(t, s.pages.HistoryJSON, party.Quest, "/?type=question.answered")
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || len(out.Events) != 1 || out.Events[0].Data["answer"] != `=HYPERLINK("http://example.org","x")` {
		t.Errorf("%v: %+v", err, out)
	}
}

// Every type of event is in a group of the filter, and has words of its own.
func TestEveryKindOfEntryCanBeFoundAndRead(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../orchestration/event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.BasicLit); ok && v.Kind == token.STRING {
			kind, _ := strconv.Unquote(v.Value)
			if strings.Contains(kind, ".") {
				kinds = append(kinds, kind)
			}
		}
		return true
	})
	if len(kinds) < 40 {
		t.Fatalf("only %d types were found", len(kinds))
	}
	s := newSite()
	party := handlerstest.Begin(s.engine, "Rates")
	for _, kind := range kinds {
		s.engine.Note(party.Quest, orchestration.Event{Type: orchestration.EventType(kind), Step: "plan", Actor: "server", Data: map[string]string{"why": "so it is"}})
	}
	found := map[string]int{}
	for _, group := range []string{"signal", "question", "gate", "plan", "run", "ward", "step", "merge", "quest"} {
		s.historyPage(t, party.Quest, "/?type="+group).Find(".event").Each(func(_ int, e *goquery.Selection) {
			kind := e.Find("dd").First().Text()
			found[kind]++
			if text := e.Find("summary").Text(); text == kind || strings.TrimSpace(text) == "" {
				t.Errorf("%s reads %q", kind, text)
			}
		})
	}
	for _, kind := range kinds {
		if found[kind] == 0 {
			t.Errorf("%s is in no group", kind)
		}
	}
}

// A run has one entry, which says what came of it. Its events are within, and those that
// say only how the server schedules its work are shown when the user wants them.
func TestTheHistoryHasOneEntryForEachRun(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.built(t, "Built", []string{"a"})
	p.Start("a")
	for url, want := range map[string]string{"/": "Reported done: written", "/?technical=on": "Codeweaver queued: a new session, Slot assigned: 1, Process started: 4001, Reported done: written, Process ended: signalled complete"} {
		page := s.historyPage(t, p.Quest, url)
		entry := page.Find("#entry-" + p.Quest + "-r2")
		if got := textOf(entry.Find("[id^=head-]")); got != "Codeweaver: reported done, $0.31 written" {
			t.Errorf("%s: what came of it: %q", url, got)
		}
		inner := entry.Find("summary").Slice(1, goquery.ToEnd).Map(func(_ int, e *goquery.Selection) string { return textOf(e) })
		if got := strings.Join(inner, ", "); got != want {
			t.Errorf("%s: its events: %q", url, got)
		}
		if got := textOf(entry.Children().Last()); got != "A · run 2" {
			t.Errorf("%s: beside it: %q", url, got)
		}
	}
	live := s.historyPage(t, p.Quest, "/").Find("[data-live]")
	if got := textOf(live); got != "Ward: checking 0s" {
		t.Errorf("at work: %q", got)
	}
	news := s.historyPage(t, p.Quest, "/").Find("#history-news").AttrOr("data-url", "") + "&live=" + live.AttrOr("data-live", "")
	p.Exit(live.AttrOr("data-live", ""), orchestration.EndWardPassed, orchestration.Exit{Why: "passed", Tree: "a"})
	if got := words(parsed(t, s.ask(t, s.pages.HistoryNews, p.Quest, news)), "#head-"+live.AttrOr("data-live", "")); got != "Check passed" {
		t.Errorf("what came of it: %q", got)
	}
}

// A name can hold what separates names, so a run's entry counts no names.
func TestTheEntryOfARunCountsItsFiles(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.built(t, "Built", nil, "a")
	run := p.Start("a")
	s.submit(t, p, orchestration.SignalReceived{Run: run, Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "a", Summary: "written"}})
	p.Exit(run, orchestration.EndClean, orchestration.Exit{Changed: []string{"a, b.go", "c.go"}})
	if got := textOf(s.historyPage(t, p.Quest, "/").Find("#head-" + run)); got != "Codeweaver: reported done, 2 files changed written" {
		t.Errorf("%q", got)
	}
}

// A run whose events are on two pages has an entry on each, and both say so.
func TestARunOnTwoPagesOfTheHistorySaysSo(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.built(t, "Built", []string{"a"})
	q := s.quest(t, p)
	split := int64(0)
	all, err := s.engine.Events(t.Context(), p.Quest, orchestration.EventFilter{N: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Run == q.ID+"-r2" && e.Type == orchestration.EventSignalAccepted {
			split = e.Seq
		}
	}
	for after := q.Seq - split; after < 99; after++ {
		s.engine.Note(p.Quest, orchestration.Event{Type: orchestration.EventQuestEdited, Actor: "user"})
	}
	newer := s.historyPage(t, p.Quest, "/?technical=on")
	older := s.historyPage(t, p.Quest, newer.Find("#history-older").AttrOr("href", ""))
	run := "#entry-" + q.ID + "-r2"
	if got := words(newer, run); !strings.Contains(got, "It began earlier") || strings.Contains(got, "It went on") {
		t.Errorf("the newer page: %q", got)
	}
	if got := words(older, run); strings.Contains(got, "It began earlier") || !strings.Contains(got, "It went on") {
		t.Errorf("the older page: %q", got)
	}
}

// Without scripts a link shows the technical events, and the browser keeps the choice
// beside its other settings.
func TestTheBrowserKeepsThatTechnicalEventsAreShown(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.built(t, "Built", []string{"a"})
	to, _ := s.historyPage(t, p.Quest, "/").Find("#history-technical").Attr("href")
	answer := s.ask(t, s.pages.History, p.Quest, to)
	cookies := answer.Result().Cookies()
	if len(cookies) != 1 || cookies[0].Value != "technical=on" {
		t.Fatalf("%s: %v", to, cookies)
	}
	page := parsed(t, answer)
	if got := words(page, "#history-technical"); got != "Hide technical events" {
		t.Errorf("the switch: %q", got)
	}
	news := page.Find("#history-news").AttrOr("data-url", "")
	if kept := s.ask(t, s.pages.HistoryNews, p.Quest, news).Result().Cookies(); !strings.Contains(news, "technical=on") || len(kept) != 0 {
		t.Errorf("what the page asks for by itself, %s, is kept: %v", news, kept)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.AddCookie(cookies[0])
	c := echo.New().NewContext(r, w)
	c.SetParamNames("quest")
	c.SetParamValues(p.Quest)
	if err := s.pages.History(c); err != nil {
		t.Fatal(err)
	}
	if got := words(parsed(t, w), "#main"); !strings.Contains(got, "queued") || len(w.Result().Cookies()) != 0 {
		t.Errorf("%v: %q", w.Result().Cookies(), got)
	}
}
