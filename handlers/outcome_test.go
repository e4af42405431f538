package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// skipped ends a quest with a check. The user skipped its second step.
func skipped(t *testing.T, s *site) *handlerstest.Party {
	t.Helper()
	q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Title: "Add login", Request: "Do it.", Repo: "/repo", Agent: "claude", Ward: "make test",
		Workspace: orchestration.WorkspaceShared, Plan: &orchestration.OwnPlan{Requirements: handlerstest.Requirements,
			Steps: []orchestration.PlanStep{piece("store", "Keep sessions"), piece("form", "Login form")}}})
	if err != nil {
		t.Fatal(err)
	}
	p := &handlerstest.Party{Engine: s.engine, Quest: q.ID}
	if w := call(t, s.pages.Skip, url.Values{"reason": {"by hand"}}, "quest", q.ID, "step", "form"); w.Code != http.StatusSeeOther {
		t.Fatalf("skip: %d", w.Code)
	}
	for range 2 { // codeweaver and siegemaster
		p.Complete("store", "written")
		p.Ward("store", orchestration.EndWardPassed, "passed")
	}
	p.Review("all is there", "passed")
	return p
}

// A skipped step is not done, and the number of done steps is the same everywhere.
func TestACompleteQuestWithASkippedStepIsAmberEverywhere(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := skipped(t, s)
	const why = "1 of 2 steps done, 1 skipped: Login form; 2 of 3 observables are not covered. The check passed on each step that is done and on the complete work. The complete work was reviewed"
	board := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
	for selector, want := range map[string]string{
		"#quest-head .badge": "! Complete, 1 skipped", "#quest-head .figures span:first-child": "1/2 steps, 1 skipped", "#count-done": "1, 1 skipped",
		"#strip .partly": "! Build 1/2 : over, something is left ! Complete : over, something is left", "#alerts .alert.ask > p": "! " + why, "#card-form .why": "Skipped by you: by hand",
	} {
		if got := words(board, selector); got != want && "! "+got != want {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
	if folded := words(board, "#alert-folded"); !strings.Contains(folded, "Skipped: Login form: skipped by you: by hand") || !strings.Contains(folded, "Not covered: after logging in they see the billing page (not covered by any step)") {
		t.Errorf("what is missing: %q", folded)
	}
	list := parsed(t, call(t, s.pages.List, nil))
	if row := words(list, "#quest-"+p.Quest); !strings.Contains(row, why) || !strings.Contains(row, "1/2 steps, 1 skipped") || list.Find("#quest-"+p.Quest+".state-warn").Length() != 1 {
		t.Errorf("the list says %q", row)
	}
	delivery := parsed(t, call(t, s.pages.Delivery, nil, "quest", p.Quest))
	if got := words(delivery, "#outcome.state-warn"); !strings.Contains(got, why) {
		t.Errorf("the result says %q", got)
	}
	if got := words(delivery, "#result-missing"); !strings.Contains(got, "Login form: skipped by you: by hand") {
		t.Errorf("missing from the result: %q", got)
	}
	if page := parsed(t, call(t, s.pages.Step, nil, "quest", p.Quest, "step", "store")); page.Find("#step-head.state-good").Length() != 1 {
		t.Error("a step that is done and checked is not green")
	}
}

// Words say what has become of each observable. Only evidence has a tick, and a step
// without any is named as a gap.
func TestRequirementsSayWhereEachObservableStands(t *testing.T) {
	t.Parallel()
	s := newSite()
	gated := handlerstest.Begin(s.engine, "At the gate")
	run := gated.Start(orchestration.StepRequirements)
	if _, err := s.engine.Submit(t.Context(), gated.Quest, "chaoswhisperer", orchestration.RequirementsSet{Run: run, Requirements: handlerstest.Requirements}); err != nil {
		t.Fatal(err)
	}
	gate := parsed(t, call(t, s.pages.Gate, nil, "quest", gated.Quest, "gate", orchestration.StepRequirements))
	if got := words(gate, ".document"); strings.Contains(got, "✓") || gate.Find(".document .badge").Length() != 0 {
		t.Errorf("before there is a plan: %q", got)
	}
	p := skipped(t, s)
	for _, page := range []string{
		words(parsed(t, call(t, s.pages.Gate, nil, "quest", p.Quest, "gate", orchestration.StepRequirements)), ".document li"),
		words(parsed(t, call(t, s.pages.Step, nil, "quest", p.Quest, "step", orchestration.StepRequirements)), "#step-document li"),
	} {
		if !strings.Contains(page, "the login form is shown o1 ● Built and checked by Keep sessions; not done: Login form "+
			"Keep sessions ✓ Proven by a command make try: exit code 0 Login form ! No evidence: skipped") || !strings.Contains(page, "o2 ! Not covered by any step") ||
			strings.Contains(page, "covered by any step ✓") {
			t.Errorf("at the end: %q", page)
		}
	}
}

// The page names requirement, step, evidence and commit, and what the review found.
func TestEvidenceHasAPageOfItsOwn(t *testing.T) {
	t.Parallel()
	s := newSite()
	gated := handlerstest.Begin(s.engine, "At the gate")
	if got := words(parsed(t, call(t, s.pages.Evidence, nil, "quest", gated.Quest)), "#evidence"); !strings.Contains(got, "No requirements are written yet") {
		t.Errorf("before there are any: %q", got)
	}
	p := skipped(t, s)
	page := parsed(t, call(t, s.pages.Evidence, nil, "quest", p.Quest))
	for _, want := range []string{"0 of 3 observables proven; 3 without evidence", "Keep sessions ✓ Proven by a command make try: exit code 0", "Login form ! No evidence: skipped",
		"o2 ! Not covered by any step"} {
		if got := words(page, "#evidence"); !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if page.Find("#evidence a[href$='/steps/store']").Length() == 0 || page.Find("#quest-evidence[aria-current]").Length() != 1 {
		t.Error("no link leads to the step, or the tab is not marked")
	}
}

// The menu of a card does not skip a step directly. It leads to the field for the reason.
func TestSkipAsksForAReasonEverywhere(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := handlerstest.Busy(s.engine)
	w := get(t, s.pages.StepMenu, "/", "quest", p.Quest, "step", "routes")
	if w.Code != http.StatusSeeOther { // without scripts this is the page of the step
		t.Fatalf("the menu: %d", w.Code)
	}
	page := parsed(t, get(t, s.pages.Step, "/?ask=skip", "quest", p.Quest, "step", "routes"))
	if page.Find("#skip-details[open] textarea[autofocus]").Length() != 1 || page.Find("form[action$='/skip'] input[name=reason]").Length() != 0 {
		t.Error("the form that asks why is not open, or something skips without a reason")
	}
	if quiet := parsed(t, get(t, s.pages.Step, "/", "quest", p.Quest, "step", "routes")); quiet.Find("#skip-details[open]").Length() != 0 {
		t.Error("the form is open without being asked for")
	}
	if w := call(t, s.pages.Skip, url.Values{"reason": {" "}}, "quest", p.Quest, "step", "routes"); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("without a reason: %d", w.Code)
	}
}
