package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// get calls a handler with a query and the parameters of its route.
func get(t *testing.T, handler echo.HandlerFunc, url string, params ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, url, nil), w)
	var names, values []string
	for i := 0; i < len(params); i += 2 {
		names, values = append(names, params[i]), append(values, params[i+1])
	}
	c.SetParamNames(names...)
	c.SetParamValues(values...)
	if err := handler(c); err != nil {
		t.Fatal(err)
	}
	return w
}

func (s *site) graph(t *testing.T, quest, query string) *goquery.Document {
	t.Helper()
	return parsed(t, get(t, s.pages.Graph, "/"+query, "quest", quest))
}

// planned begins a quest with a plan of the user.
func (s *site) planned(t *testing.T, steps ...orchestration.PlanStep) *handlerstest.Party {
	t.Helper()
	q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Title: "Own plan", Request: "Do it.", Repo: "/repo", Agent: "claude",
		Workspace: orchestration.WorkspaceShared, Plan: &orchestration.OwnPlan{Requirements: handlerstest.Requirements, Steps: steps}})
	if err != nil {
		t.Fatal(err)
	}
	return &handlerstest.Party{Engine: s.engine, Quest: q.ID}
}

func piece(id, title string, after ...string) orchestration.PlanStep {
	return orchestration.PlanStep{ID: id, Title: title, Description: "About " + id, Files: []string{id + ".go"}, DependsOn: after, Observables: []string{"o1"}}
}

func TestTheGraphAndItsListSayWhereEveryStepStands(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	page := s.graph(t, p.Quest, "")
	if nodes, rows := page.Find("#graph .node").Length(), page.Find("#graph-list tbody tr").Length(); nodes != 12 || rows != 12 {
		t.Fatalf("%d nodes and %d rows of 12 steps", nodes, rows)
	}
	if edges := page.Find("#graph path.edge").Length(); edges != 5 {
		t.Errorf("%d edges", edges)
	}
	if got := words(page, "#node-cookie"); got != "? Needs your answer ◆ Session cookie ◎" {
		t.Errorf("cookie: %q", got)
	}
	if url, _ := page.Find("#node-cookie .node-link").Attr("href"); url != "/quests/"+p.Quest+"/steps/cookie" {
		t.Errorf("it leads to %s", url)
	}
	row := page.Find("#listed-audit").Closest("tr")
	if got := textOf(row); got != "Audit log of logins ◌ Waiting ◆ Session cookie Login form Page to end sessions ◎ focus" {
		t.Errorf("the row of audit: %q", got)
	}
	// cookie, audit, admin, mail: the longest chain of unfinished steps.
	if nodes, edges := page.Find(".node.critical").Length(), page.Find("path.critical").Length(); nodes != 4 || edges != 3 {
		t.Errorf("%d nodes and %d edges are critical", nodes, edges)
	}
}

func TestFocusDimsWhatAStepIsNotTiedTo(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	page := s.graph(t, p.Quest, "?focus=audit")
	for id, dim := range map[string]bool{"cookie": false, "form": false, "audit": false, "admin": false, "mail": false, "routes": true, "hash": true} {
		if got := page.Find("#node-" + id).Parent().Is(".dim"); got != dim {
			t.Errorf("%s: dim %v", id, got)
		}
	}
	if n := page.Find("path.dim").Length(); n != 1 { // routes -> admin
		t.Errorf("%d edges are dim", n)
	}
	if got := words(page, ".graph-legend p:first-child"); !strings.HasPrefix(got, "What Audit log of logins depends on, and what depends on it.") {
		t.Errorf("it says %q", got)
	}
	if got := words(s.graph(t, p.Quest, "?focus=%3Cb%3E"), ".note"); got != "This plan has no step <b> ." {
		t.Errorf("an unknown step: %q", got)
	}
	if url, _ := parsed(t, call(t, s.pages.Step, nil, "quest", p.Quest, "step", "audit")).Find("#step-head a[href*=graph]").Attr("href"); url != "/quests/"+p.Quest+"/graph?focus=audit#node-audit" {
		t.Errorf("the step leads to %q", url)
	}
}

func TestWhatWasReplacedIsInTheGraphOnRequest(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.planned(t, piece("a", "First"), piece("b", "Second", "a"))
	p.Start("a")
	resume := false
	p.Signal("a", orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: orchestration.PathSeeker, Reason: "two in one", Context: "-", Resume: &resume})
	run := p.Start("a")
	if _, err := s.engine.Submit(t.Context(), p.Quest, "pathseeker", orchestration.PlanDrafted{Run: run,
		Draft: orchestration.PlanDraft{Replaces: "a", Steps: []orchestration.PlanStep{piece("a1", "One"), piece("a2", "Two", "a1")}}}); err != nil {
		t.Fatal(err)
	}
	p.Signal("a", orchestration.Signal{Kind: orchestration.Complete, Summary: "split"})
	page := s.graph(t, p.Quest, "")
	if got := words(page, "#graph .node-title"); got != "Second One Two" {
		t.Errorf("shown: %q", got)
	}
	url, _ := page.Find("#graph-replaced").Attr("href")
	if got := words(page, "#graph-replaced"); got != "Show the 1 replaced step" || !strings.HasSuffix(url, "?all=1") {
		t.Errorf("%q leads to %s", got, url)
	}
	if got := words(s.graph(t, p.Quest, "?all=1"), "#graph .node-title"); got != "First Second One Two" {
		t.Errorf("all: %q", got)
	}
}

func TestAGraphOfHostileTitlesIsText(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.planned(t, piece("a", `</foreignObject><script>alert(1)</script>`), piece("b", "\u202egnp.exe"+strings.Repeat(" long", 40), "a"))
	page := s.graph(t, p.Quest, "?focus=b")
	if page.Find("#main script, #main img").Length() > 0 || page.Find("#graph .node").Length() != 2 {
		t.Error("a title became markup")
	}
	if got := words(page, "#node-b .node-title"); !strings.HasPrefix(got, "⟨U+202E⟩gnp.exe") {
		t.Errorf("%q", got)
	}
}

func TestAQuestWithoutAPlanHasNoGraphYet(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Begin(s.engine, "Young")
	if got := words(s.graph(t, p.Quest, ""), ".empty"); !strings.Contains(got, "no plan yet") {
		t.Errorf("%q", got)
	}
}

func BenchmarkGraphPage(b *testing.B) {
	s := newSite()
	steps := make([]orchestration.PlanStep, 1000)
	for i := range steps {
		steps[i] = piece(fmt.Sprintf("s%d", i), fmt.Sprintf("Step number %d of a plan", i))
		for d := 1; d <= 3 && i-7*d >= 0; d++ {
			steps[i].DependsOn = append(steps[i].DependsOn, fmt.Sprintf("s%d", i-7*d))
		}
	}
	q, err := s.engine.Create(b.Context(), orchestration.NewQuest{Title: "Large", Request: "Do it.", Repo: "/repo", Agent: "claude",
		Workspace: orchestration.WorkspaceShared, Plan: &orchestration.OwnPlan{Requirements: handlerstest.Requirements, Steps: steps}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w := httptest.NewRecorder()
		c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/?focus=s500", nil), w)
		c.SetParamNames("quest")
		c.SetParamValues(q.ID)
		if err := s.pages.Graph(c); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(w.Body.Len()), "bytes")
	}
}

func newContext(r *http.Request, w http.ResponseWriter) echo.Context {
	return echo.New().NewContext(r, w)
}
