package handlers_test

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/handlers/present"
	"questboard/handlers/redact"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

func (s *site) cost(t *testing.T, quest string) *goquery.Document {
	t.Helper()
	return parsed(t, call(t, s.pages.Cost, nil, "quest", quest))
}

// spend completes the step's next run, which reports its cost.
func spend(p *handlerstest.Party, s *site, t *testing.T, step string, usd float64, tokens orchestration.Tokens) {
	t.Helper()
	run := p.Start(step)
	q, err := s.engine.Quest(t.Context(), p.Quest)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.engine.Submit(t.Context(), p.Quest, "codeweaver", handlerstest.Proven(q, orchestration.SignalReceived{Run: run,
		Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: step, Summary: "done"}})); err != nil {
		t.Fatal(err)
	}
	p.Exit(run, orchestration.EndClean, orchestration.Exit{SessionCost: usd, Tokens: tokens})
}

// Columns and facts in which there is nothing are left out: here nobody told a price, and
// nothing was read from a cache.
func TestCostLeavesOutWhatNobodyTold(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.planned(t, piece("a", "First"))
	spend(p, s, t, "a", 0, orchestration.Tokens{Input: 500, Output: 300})
	page := s.cost(t, p.Quest)
	if got := words(page, "#cost-steps thead"); got != "Step Part of total Runs Tokens in Tokens out" {
		t.Errorf("the columns: %q", got)
	}
	if got := words(page, "#cost-steps tbody tr"); got != "First 100 % 1 500 300" {
		t.Errorf("the row: %q", got)
	}
	if got := words(page, ".facts dt"); strings.Contains(got, "Cache") {
		t.Errorf("the facts: %q", got)
	}
	step := parsed(t, call(t, s.pages.StepCost, nil, "quest", p.Quest, "step", "a"))
	if got := words(step, "#step-cost thead"); got != "Run Cost Tokens in Tokens out" {
		t.Errorf("the columns of the step: %q", got)
	}
}

func TestCostIsToldByRoleStepAndDay(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.planned(t, piece("a", "First"), piece("b", "=Second <b>"))
	if got := words(s.cost(t, p.Quest), "#cost"); !strings.HasPrefix(got, "No cost yet. An agent reports it when its run ends") {
		t.Errorf("at first: %q", got)
	}
	spend(p, s, t, "a", 3, orchestration.Tokens{Input: 1000, Output: 20_000, CacheRead: 8_000, CacheWrite: 1000})
	p.Ward("a", orchestration.EndWardPassed, "passed")
	spend(p, s, t, "a", 1, orchestration.Tokens{Input: 500, Output: 300})
	spend(p, s, t, "b", 0.5, orchestration.Tokens{CacheRead: 1_500_000})
	page := s.cost(t, p.Quest)
	if got := words(page, "#cost-sum"); got != "$4.50 3 agent runs" {
		t.Errorf("the sum: %q", got)
	}
	for selector, want := range map[string]string{
		"#cost-roles tbody tr:first-child": "Codeweaver 78 % $3.50 2 1000 20 k 1.51 M 1000",
		"#cost-roles tbody tr:last-child":  "Siegemaster 22 % $1.00 1 500 300 0 0",
		"#cost-steps tbody tr:first-child": "First 89 % $4.00 2 1500 20 k 8000 1000",
		"#cost-steps tbody tr:last-child":  "=Second <b> 11 % $0.50 1 0 0 1.50 M 0",
		"#cost-days tbody tr":              "2026-11-21 100 % $4.50 3 1500 20 k 1.51 M 1000",
	} {
		if got := words(page, selector); got != want {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
	if got := words(page, ".facts"); !strings.HasSuffix(got, "Cache hit rate 100 %") {
		t.Errorf("the cache: %q", got)
	}
	if page.Find("#cost b").Length() > 0 {
		t.Error("a title became markup")
	}
	if width := page.Find("#cost-roles tr:last-child rect").AttrOr("width", ""); width != "22.2" { // 1.00 of 4.50 USD
		t.Errorf("the bar of the second role is %s wide", width)
	}
	barsFillTheirShare(t, page)
}

// barsFillTheirShare checks that a bar with the label 53 % is filled to 53 %.
func barsFillTheirShare(t *testing.T, page *goquery.Document) {
	t.Helper()
	bars := page.Find("td.chart")
	bars.Each(func(_ int, bar *goquery.Selection) {
		said, err := strconv.ParseFloat(strings.TrimSuffix(textOf(bar), " %"), 64)
		width, err2 := strconv.ParseFloat(bar.Find("rect").AttrOr("width", ""), 64)
		if err != nil || err2 != nil || math.Abs(said-width) > 0.5 {
			t.Errorf("%q fills %.1f of 100 (%v, %v)", textOf(bar), width, err, err2)
		}
	})
	if bars.Length() < 3 {
		t.Errorf("%d bars", bars.Length())
	}
}

func TestTheBudgetSaysWhatHappensNext(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.planned(t, piece("a", "First"), piece("b", "Second"), piece("c", "Third"))
	budget := func(usd float64) string {
		t.Helper()
		if _, err := s.engine.Submit(t.Context(), p.Quest, "user", orchestration.QuestEdited{BudgetUSD: &usd}); err != nil {
			t.Fatal(err)
		}
		page := s.cost(t, p.Quest)
		return page.Find(".budget").AttrOr("class", "") + ": " + words(page, ".budget")
	}
	spend(p, s, t, "a", 2, orchestration.Tokens{Output: 5})
	for usd, want := range map[float64]string{
		10:  "budget state-running: 20 % of the budget of $10.00 is spent. You are told at 80 %. At 100 % no new run starts.",
		2.5: "budget state-ask: 80 % of the budget of $2.50 is spent. At 100 % no new run starts.",
		1.6: "budget state-bad: 125 % of the budget of $1.60 is spent. No new run starts until it is raised.",
		0:   ": ",
	} {
		if got := budget(usd); got != want {
			t.Errorf("%v: %q", usd, got)
		}
	}
}

// With a subscription, agents report no price.
func TestWithoutAPriceTheTokensAreTold(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.planned(t, piece("a", "First"), piece("b", "Second"))
	spend(p, s, t, "a", 0, orchestration.Tokens{Input: 100, Output: 200})
	spend(p, s, t, "b", 0, orchestration.Tokens{Output: 900})
	page := s.cost(t, p.Quest)
	if got := words(page, "#cost-sum"); got != "1200 tokens 2 agent runs" {
		t.Errorf("the sum: %q", got)
	}
	step := parsed(t, call(t, s.pages.StepCost, nil, "quest", p.Quest, "step", "a"))
	if got := words(step, "#step-cost"); !strings.Contains(got, "no price told") || !strings.Contains(got, "300 tokens") || strings.Contains(got, "$") {
		t.Errorf("the cost of a step: %q", got)
	}
	if got := words(parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest)), "#quest-top"); !strings.Contains(got, "1200 tokens") || strings.Contains(got, "$") {
		t.Errorf("the head: %q", got)
	}
	if !strings.Contains(words(page, ".note"), "No price was reported") || !strings.HasPrefix(words(page, "#cost-steps tbody tr:first-child"), "Second 75 %") {
		t.Errorf("%q", words(page, "#cost"))
	}
}

func TestTheCostOfEachRunIsAFileThatNoSpreadsheetRuns(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.planned(t, piece("a", "=HYPERLINK(\"http://x\")"), piece("b", "Second, with a comma"))
	spend(p, s, t, "a", 3, orchestration.Tokens{Input: 1000, Output: 20_000})
	p.Start("b")
	w := call(t, s.pages.CostCSV, nil, "quest", p.Quest)
	rows, err := csv.NewReader(w.Body).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v, %d rows", err, len(rows))
	}
	if rows[1][2] != "'=HYPERLINK(\"http://x\")" || rows[2][2] != "Second, with a comma" {
		t.Errorf("titles: %q and %q", rows[1][2], rows[2][2])
	}
	if got := strings.Join(rows[1][9:], " "); got != "3 1000 20000 0 0" {
		t.Errorf("the first: %q", got)
	}
	if !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/csv") {
		t.Errorf("%v", w.Header())
	}
}

// docs/state-machine.md#what-agents-at-work-use
func TestWhatAnAgentAtWorkUsesIsOnItsCardAndInTheHead(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.planned(t, piece("a", "First"), piece("b", "Second"))
	run := p.Start("a")
	board := func() *goquery.Document { return parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest)) }
	if page := board(); words(page, "#spending-a") != "no tokens told yet" || page.Find("#spending-b").Length() > 0 {
		t.Errorf("at first: %q", words(page, "#card-a"))
	}
	s.engine.Rate("opus", orchestration.Rate{Runs: 3, USD: 1e-5})
	s.engine.Tell(run, orchestration.Told{Model: "opus", Tokens: orchestration.Tokens{Input: 10_000, CacheRead: 40_000, Output: 20}})
	page := board()
	if got := words(page, "#spending-a"); got != "50 k tokens, about $0.14" {
		t.Errorf("the card: %q", got)
	}
	if got := words(page, "#quest-spending"); got != "now 50 k tokens, about $0.14" {
		t.Errorf("the head: %q", got)
	}
	if got := words(s.cost(t, p.Quest), "#cost-now"); got != "At work: 50 k tokens, about $0.14. It counts when the runs end." {
		t.Errorf("the page of costs: %q", got)
	}
	if got := words(parsed(t, call(t, s.pages.StepCost, nil, "quest", p.Quest, "step", "a")), "#step-cost tbody"); !strings.Contains(got, "at work about $0.14 10 k 20 40 k") {
		t.Errorf("the details: %q", got)
	}
	html, err := s.live.Render(t.Context(), []string{"board/" + p.Quest + "/a/spending", "cost/" + p.Quest + "/spending", "head/" + p.Quest + "/spending", "step/" + p.Quest + "/a/spending",
		"board/" + p.Quest + "/gone/spending", "head/gone/spending", "gate/" + p.Quest + "/a/spending"})
	if err != nil || strings.Count(html, " id=") != 4 || strings.Contains(html, `id="card-a"`) {
		t.Errorf("only the figures are rendered: %s (%v)", html, err)
	}
	for cost, want := range map[bool]string{true: "50 k tokens, about $0.14", false: ""} {
		view := present.View{Share: &record.Share{Quest: p.Quest, Cost: cost}, Redactor: redact.New("", nil), LastLine: func(string) string { return "" }, Compactions: func(string) int { return 0 },
			Spending: func(q *orchestration.Quest, r *orchestration.Run) orchestration.Spending {
				now, _ := s.engine.Spending(t.Context(), q, r)
				return now
			}}
		q := s.quest(t, p)
		if got := view.Quest(q).StepSpending(q.Step("a")); got != want {
			t.Errorf("a guest who sees the cost (%v) reads %q", cost, got)
		}
	}
	p.Exit(run, orchestration.EndCrashed, orchestration.Exit{SessionCost: 0.2})
	if page := board(); page.Find("#spending-a").Length() > 0 || words(page, "#quest-spending") != "" {
		t.Error("it is told after its end")
	}
}

func TestAnOpenCostPageIsKeptTrue(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	html, err := s.live.Render(t.Context(), []string{"cost/" + p.Quest, "cost/gone"})
	if err != nil || strings.Count(html, `id="cost"`) != 1 || !strings.Contains(html, "$2.79") {
		t.Errorf("%v: %s", err, html)
	}
}
