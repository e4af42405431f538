package handlers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// built makes a quest in worktree mode whose base is checked. The check of each step in
// done waits.
func (s *site) built(t *testing.T, title string, done []string, more ...string) *handlerstest.Party {
	t.Helper()
	var steps []orchestration.PlanStep
	for _, id := range append(done, more...) {
		steps = append(steps, piece(id, strings.ToUpper(id)))
	}
	q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Title: title, Request: "Do it.", Repo: "/repo", Branch: "main", Agent: "claude", Ward: "make test",
		Workspace: orchestration.WorkspaceWorktree, Plan: &orchestration.OwnPlan{Requirements: handlerstest.Requirements, Steps: steps}})
	if err != nil {
		t.Fatal(err)
	}
	p := &handlerstest.Party{Engine: s.engine, Quest: q.ID}
	p.Ward(orchestration.StepBaseline, orchestration.EndWardPassed, "passed")
	for _, id := range done {
		p.Complete(id, "written")
	}
	return p
}

func TestChecksAtWorkAreListedBesideTheSlots(t *testing.T) {
	t.Parallel()
	s := newSite()
	page := s.slotsPage(t, "")
	if got := words(page, "#checks-title, #checks-now"); got != "Checks: 0 of 2 at work 2 places free" {
		t.Errorf("nothing is at work: %q", got)
	}
	p := s.built(t, "Built", []string{"one"}, "other")
	run := p.Start("one")
	s.engine.Say(run, "ok tests/one <b>")
	p.Start("other")
	page = s.slotsPage(t, "")
	for at, want := range map[string]string{"#slots-title": "Agents: 1 of 5 at work", "#checks-title": "Checks: 1 of 2 at work", "#nav-slots": ", 1/5 at work",
		"#checks-now .slot:first-child > :not(.actions)": "Check ◐ Checking 0s Ward on ONE in Built ok tests/one <b>", "#checks-now .slot:last-child": "1 place free",
		"#slots-title ~ ul .slot:first-child b": "Slot 1", "#slots-title ~ ul .slot:last-child": "Slots 2 to 5 free"} {
		if got := words(page, at); got != want {
			t.Errorf("%s: %q", at, got)
		}
	}
	if form := page.Find("#checks-now #stop-" + run + " form"); form.AttrOr("action", "") != "/runs/"+run+"/stop" {
		t.Errorf("how to stop it: %q", textOf(form))
	}
	if link := page.Find("#checks-now .actions a").AttrOr("href", ""); link != "/quests/"+p.Quest+"/steps/one?run="+run {
		t.Errorf("its output: %q", link)
	}
	if got := words(parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest)), "body"); !strings.Contains(got, "1/5 slots") || strings.Contains(got, "slot 0") {
		t.Errorf("the board: %q", got)
	}
}

// The check of a base needs no slot either.
func TestTheCheckOfABaseIsListedWithTheChecks(t *testing.T) {
	t.Parallel()
	s := newSite()
	handlerstest.OnBase(s.engine).Start(orchestration.StepBaseline)
	if got := words(s.slotsPage(t, ""), "#checks-now .slot:first-child > div:first-of-type p"); got != "◐ Checking 0s Ward on Check of the base in Add login to billing" {
		t.Errorf("%q", got)
	}
}

func TestChecksThatWaitForOthersAreToldApartFromWhatWaitsForASlot(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.built(t, "Built", []string{"a", "b", "c", "d"}, "new")
	p.Start("a")
	p.Start("b")
	page := s.slotsPage(t, "")
	for at, want := range map[string]string{"#next-agents": "NEW in Built", "#next-checks": "Ward on C in Built Ward on D in Built", "#next-not": "",
		"#next-title ~ h3": "Wait for a slot Wait until another check ends"} {
		if got := words(page, at); got != want {
			t.Errorf("%s: %q", at, got)
		}
	}
	p.Exit(s.quest(t, p).Step("a").Run, orchestration.EndWardPassed, orchestration.Exit{Why: "passed", Tree: "a"})
	p.Start("c")
	if got := words(s.slotsPage(t, ""), "#next-checks"); got != "Ward on D in Built" {
		t.Errorf("after one ended: %q", got)
	}
}

func TestOfManyChecksThatWaitTheFirstAreListed(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.built(t, "Built", []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"})
	p.Start("a")
	p.Start("b")
	page := s.slotsPage(t, "")
	if n, more, not := page.Find("#next-checks li").Length(), words(page, "#next-checks ~ p"), page.Find("#next-not li").Length(); n != 5 || more != "2 more" || not != 0 {
		t.Errorf("%d are listed, %q, and %d as if they could not start", n, more, not)
	}
}

func TestACheckThatCannotStartYetSaysWhyAndThatItNeedsNoSlot(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.built(t, "Built", []string{"a", "b"})
	one := *s.quest(t, p)
	one.File = &orchestration.RepoFile{Slots: map[orchestration.Role]int{orchestration.Ward: 1}}
	s.engine.Replace(&one)
	if got := words(s.slotsPage(t, ""), "#next-title ~ h3"); got != "Checks that start next" {
		t.Errorf("places are free: %q", got)
	}
	p.Start("a")
	page := s.slotsPage(t, "")
	if got := words(page, "#next-not"); !strings.HasPrefix(got, "Ward on B in Built needs no slot ") || !strings.Contains(got, "the repository's file allows 1 run of Ward at once") {
		t.Errorf("%q", got)
	}
	if got := words(page, "#next-agents, #next-checks"); got != "" {
		t.Errorf("next: %q", got)
	}
}

// Assign keeps a slot from new steps for each check. The page says why a slot is free
// although a step waits for one.
func TestAFreeSlotThatIsKeptForTheAgentAfterACheckIsExplained(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.built(t, "Built", []string{"a"}, "new")
	p.Start("a")
	_ = s.engine.SetSlots(t.Context(), 1)
	page := s.slotsPage(t, "")
	if got := words(page, "#next-title ~ h3 + p"); !strings.Contains(got, "one is kept for each check of a step") {
		t.Errorf("%q", got)
	}
	if got := words(page, "#next-agents"); got != "NEW in Built" {
		t.Errorf("next: %q", got)
	}
	_ = s.engine.SetSlots(t.Context(), 2) // the next assignment gives it one
	if got := words(s.slotsPage(t, ""), "#next-title ~ h3 + p"); got != "" {
		t.Errorf("a second slot is free: %q", got)
	}
}

// rowsOf returns the labels of the chart's rows, and for each its bars from left to right.
func rowsOf(t *testing.T, page *goquery.Document) (labels []string, bars map[int][]string) {
	t.Helper()
	page.Find(".gantt g[aria-hidden] text:not(.muted)").Each(func(_ int, label *goquery.Selection) { labels = append(labels, textOf(label)) })
	bars, ends := map[int][]string{}, map[int]float64{}
	page.Find(".gantt a.bar").Each(func(_ int, bar *goquery.Selection) {
		var x, y, width float64
		rect := bar.Find("rect").First()
		if _, err := fmt.Sscan(rect.AttrOr("x", "")+" "+rect.AttrOr("y", "")+" "+rect.AttrOr("width", ""), &x, &y, &width); err != nil {
			t.Fatal(err)
		}
		row := int(y-28) / 32
		title := textOf(bar.Find("title"))
		if x < ends[row]-0.1 {
			t.Errorf("%s lies over the bar before it", title)
		}
		ends[row] = x + width
		who, _, _ := strings.Cut(title, ":")
		bars[row] = append(bars[row], who)
	})
	return labels, bars
}

func TestChecksHaveRowsOfTheirOwnInTheTimeline(t *testing.T) {
	t.Parallel()
	s := newSite()
	s.hours(now().Add(-50*time.Minute), 30*time.Second)
	p := s.built(t, "Built", []string{"a", "b", "c"})
	p.Start("a")
	p.Start("b")
	p.Exit(s.quest(t, p).Step("a").Run, orchestration.EndWardPassed, orchestration.Exit{Why: "passed", Tree: "a"})
	p.Start("c")
	page := s.slotsPage(t, "")
	labels, bars := rowsOf(t, page)
	if got := strings.Join(labels, ", "); got != "Slot 1, Checks, Checks" {
		t.Errorf("the rows: %s", got)
	}
	if got := fmt.Sprint(bars); got != "map[0:[Codeweaver on A Codeweaver on B Codeweaver on C] 1:[Ward on Check of the base Ward on A Ward on C] 2:[Ward on B]]" {
		t.Errorf("the bars: %s", got)
	}
	if got := words(page, "#gantt"); strings.Contains(strings.ToLower(got), "slot 0") {
		t.Errorf("a check stands in a slot: %q", got)
	}
	if got := words(page, "#gantt-table tr:last-child td:first-child"); got != "none" {
		t.Errorf("the slot of the last run in the table: %q", got)
	}
}

// Before checks had a lane of their own, they had slots.
func TestACheckThatHadASlotStaysInItsRow(t *testing.T) {
	t.Parallel()
	s := newSite()
	s.hours(now().Add(-50*time.Minute), 30*time.Second)
	p := s.built(t, "Built", []string{"a"})
	run := s.quest(t, p).Step("a").Run
	if _, err := s.engine.Submit(t.Context(), p.Quest, "server", orchestration.SlotGranted{Run: run, Slot: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.engine.Submit(t.Context(), p.Quest, "server", orchestration.ProcessStarted{Run: run, PID: 9, Tree: "a"}); err != nil {
		t.Fatal(err)
	}
	p.Exit(run, orchestration.EndWardPassed, orchestration.Exit{Why: "passed", Tree: "a"})
	labels, bars := rowsOf(t, s.slotsPage(t, ""))
	if got := strings.Join(labels, ", ") + fmt.Sprint(bars[1]); got != "Slot 1, Slot 2, Checks[Ward on A]" {
		t.Errorf("%s", got)
	}
}

// A check gets no slot, and its history does not say that it got one.
func TestTheHistorySaysThatACheckNeedsNoSlot(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := s.built(t, "Built", []string{"a"})
	p.Start("a")
	got := words(s.historyPage(t, p.Quest, "/?step=a&technical=on"), "#main")
	if !strings.Contains(got, "Check may start") || !strings.Contains(got, "Slot assigned: 1") {
		t.Errorf("%q", got)
	}
}
