package handlers_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/handlers/present"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// boardAt is the board at an address, such as "/?closed=build".
func boardAt(t *testing.T, s *site, quest, address string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	c := echo.New().NewContext(httptest.NewRequest("GET", address, nil), w)
	c.SetParamNames("quest")
	c.SetParamValues(quest)
	if err := s.pages.Board(c); err != nil {
		t.Fatal(err)
	}
	return w
}

// The URL says what columns the user has closed, and the title of a column leads to the URL
// without it.
func TestColumnsCloseWhenTheirTitleIsPressed(t *testing.T) {
	t.Parallel()
	s := newSite()
	busy, over := handlerstest.Busy(s.engine), handlerstest.Finished(s.engine, "Paint it", "main")
	for _, at := range []struct{ quest, address, closed, title, leads string }{
		{busy.Quest, "/", "", "build", "?closed=build"},
		{busy.Quest, "/?closed=build,done", "build done", "build", "?closed=done"},
		{busy.Quest, "/?closed=build,done", "build done", "ready", "?closed=ready,build,done"},
		{over.Quest, "/", "", "done", "?closed=done"},
	} {
		page := parsed(t, boardAt(t, s, at.quest, at.address))
		var closed []string
		for _, head := range page.Find(".column.closed h2 a").EachIter() {
			closed = append(closed, head.AttrOr("data-column", ""))
		}
		link := page.Find("#head-"+at.title+" a").AttrOr("href", "")
		if strings.Join(closed, " ") != at.closed || at.leads != "" && link != "/quests/"+at.quest+at.leads {
			t.Errorf("%s: %v are closed, and %s leads to %q", at.address, closed, at.title, link)
		}
	}
}

// A quest without a check says so while it works, and not only at its end.
func TestTheBoardSaysThatThereIsNoCheck(t *testing.T) {
	t.Parallel()
	s := newSite()
	for ward, says := range map[string]bool{" ": true, "go test ./...": false} {
		q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Title: "Greet", Request: "Greet.", Repo: "/repo", Ward: ward, Workspace: orchestration.WorkspaceShared, Agent: "claude"})
		if err != nil {
			t.Fatal(err)
		}
		page := parsed(t, boardAt(t, s, q.ID, "/"))
		link := page.Find("#alerts a[href='/quests/" + q.ID + "/settings']")
		if got := words(page, "#alerts"); strings.Contains(got, "No check: this quest has no check command") != says || (link.Length() == 1) != says {
			t.Errorf("with the check %q the board says %q", ward, got)
		}
	}
}

// The alert of a blocked step has the last lines of what failed, and what may be decided.
// Guests see neither.
func TestBlockedStepsStandInOneAlertWithTheirLastLines(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	for range 4 {
		run := p.Start("routes")
		s.engine.Say(run, "Read routes.go")
		p.Exit(run, orchestration.EndCrashed, orchestration.Exit{Why: "exit code 3", Code: 3, Stderr: "one\ntwo\nthree\nfour\nfive\nsix\npanic: no such table"})
		if s.quest(t, p).Step("routes").Hold == orchestration.HoldBlocked {
			break
		}
	}
	page := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
	if got := page.Find("#alerts .blocked").Length(); got != 1 {
		t.Fatalf("%d lists of blocked steps: %s", got, words(page, "#alerts"))
	}
	got := words(page, "#alerts .alert:has(.blocked)")
	for _, want := range []string{"2 steps are blocked", "Limit wrong passwords: Stopped by you", "exit code 3", "two three four five six panic: no such table", "Retry with instructions", "Take over", "Mark done", "Change requirements"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing: %s", want, got)
		}
	}
	if links := page.Find("#alerts .blocked a:contains('See output')"); links.Length() != 1 {
		t.Errorf("%d links lead to all that it wrote", links.Length())
	}
	if strings.Contains(got, "one two") {
		t.Errorf("more than the last lines: %s", got)
	}
	guest := present.View{Share: &record.Share{Quest: p.Quest}, Redactor: redact.New("", nil), LastLine: func(string) string { return "" }, Compactions: func(string) int { return 0 }}.Quest(s.quest(t, p))
	for _, item := range guest.Board().Alerts.Items {
		for _, b := range item.Blocked {
			if b.Tail != "" || strings.Contains(b.Why, "panic") || b.Decisions.Any() {
				t.Errorf("a guest reads %+v", b)
			}
		}
	}
}

// What is written appears beside the output as soon as it is stored.
func TestTheDocumentGrowsBesideTheOutput(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Paint it")
	run := p.Start(orchestration.StepRequirements)
	s.engine.Say(run, "Read the request")
	if got := words(parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest)), "#whole-document"); got != "Nothing is written yet." {
		t.Errorf("at first: %q", got)
	}
	if _, err := s.engine.Submit(t.Context(), p.Quest, "chaoswhisperer", orchestration.RequirementsSet{Run: run, Requirements: handlerstest.Requirements}); err != nil {
		t.Fatal(err)
	}
	html, err := s.live.Render(t.Context(), []string{"board/" + p.Quest})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`id="whole-document"`, handlerstest.Requirements[0].Observables[0].Text, `id="whole-log"`} {
		if !strings.Contains(html, want) {
			t.Errorf("%q does not come: %s", want, html)
		}
	}
}

// A document can be long. It is rendered once for a change, and not for each line of output.
func TestADocumentThatIsWrittenIsSentOnceForAChange(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Paint it")
	s.engine.Say(p.Start(orchestration.StepRequirements), "Read the request")
	board := "board/" + p.Quest
	for topics, want := range map[string][2]int{
		board + " " + board + "/requirements":                            {1, 1},
		board + "/requirements":                                          {1, 1},
		board + "/requirements/tail":                                     {0, 1},
		board + "/requirements/tail " + board + "/requirements " + board: {1, 1},
	} {
		html, err := s.live.Render(t.Context(), strings.Fields(topics))
		if err != nil {
			t.Fatal(err)
		}
		documents, cards := strings.Count(html, `id="whole-document"`), strings.Count(html, `id="card-requirements"`)
		if got := [2]int{documents, cards}; got != want || !strings.Contains(html, "Read the request") {
			t.Errorf("%s: %d documents and %d cards, not %v", topics, documents, cards, want)
		}
	}
}
