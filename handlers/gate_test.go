package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

func TestAGateShowsWhatChangedSinceItWasSentBack(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Begin(s.engine, "Rates")
	party.ToPlanGate()
	params := []string{"quest", party.Quest, "gate", "plan"}
	page := parsed(t, call(t, s.pages.Gate, nil, params...))
	if page.Find("#changes").Length() != 0 || !strings.Contains(words(page, "#gate"), "12 steps; 9 can start immediately. The longest chain has 4: Session cookie → Audit log of logins → Page to end sessions → Mail after a login from a new place.") {
		t.Errorf("at first: %q", words(page, "#gate"))
	}
	old, _ := page.Find("#feedback-form [name=document]").Attr("value")
	if w := call(t, s.pages.SendBack, url.Values{"document": {old}, "feedback": {"Leave out the mail <b>"}}, params...); w.Code != http.StatusSeeOther {
		t.Fatalf("sent back: %d", w.Code)
	}
	w := call(t, s.pages.SendBack, url.Values{"document": {old}, "feedback": {"typed in another tab"}}, params...)
	if got := words(parsed(t, w), "#gate"); w.Code != http.StatusConflict || !strings.Contains(got, "Your text was not sent typed in another tab") {
		t.Errorf("sent back twice: %d %q", w.Code, got)
	}
	run := party.Start(orchestration.StepPlan)
	plan := append([]orchestration.PlanStep{}, handlerstest.Plan[:11]...)
	plan[1].Description = "What store is about, in a sentence or three."
	plan = append(plan, orchestration.PlanStep{ID: "tidy", Title: "Tidy up", Files: []string{"a.go"}, Observables: []string{"o1"}})
	if _, err := s.engine.Submit(t.Context(), party.Quest, "pathseeker", orchestration.PlanDrafted{Run: run, Draft: orchestration.PlanDraft{Steps: plan}}); err != nil {
		t.Fatal(err)
	}
	party.Signal(orchestration.StepPlan, orchestration.Signal{Kind: orchestration.Complete, Summary: "Again."})
	page = parsed(t, call(t, s.pages.Gate, nil, params...))
	changes := words(page, "#changes")
	for _, want := range []string{"Changed store Keep sessions in the store What What store is about, in a sentence or two. three.", "Added tidy Tidy up Title Tidy up Files a.go", "Removed mail"} {
		if !strings.Contains(changes, want) {
			t.Errorf("no %q in %q", want, changes)
		}
	}
	if got := words(page, "#gate q"); got != "Leave out the mail <b>" || words(page, "#changes ins") == "" || page.Find("#changes li").Length() != 3 {
		t.Errorf("%q: %q", got, changes)
	}
	w = call(t, s.pages.ApproveGate, url.Values{"document": {old}}, params...)
	if got := words(parsed(t, w), "#gate"); w.Code != http.StatusConflict || !strings.Contains(got, "rewritten after you read it") || s.quest(t, party).GatePlan != orchestration.GateOpen {
		t.Errorf("an older version was approved: %d %q", w.Code, got)
	}
	fresh, _ := page.Find("#feedback-form [name=document]").Attr("value")
	if w := call(t, s.pages.ApproveGate, url.Values{"document": {fresh}}, params...); w.Code != http.StatusSeeOther || s.quest(t, party).GatePlan != orchestration.GateApproved {
		t.Errorf("approved: %d", w.Code)
	}
}

// The gate of the plan shows what the plan leaves out, and what only the review proves.
func TestThePlansGateShowsTheObservablesThatNoStepHas(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Begin(s.engine, "Login")
	party.ToPlanGate()
	if w := call(t, s.pages.SendBack, url.Values{"feedback": {"Is all of it needed?"}}, "quest", party.Quest, "gate", "plan"); w.Code != http.StatusSeeOther {
		t.Fatalf("sent back: %d", w.Code)
	}
	plan := append([]orchestration.PlanStep{}, handlerstest.Plan...)
	plan[4].Observables = []string{"o1"}
	run := party.Start(orchestration.StepPlan)
	if _, err := s.engine.Submit(t.Context(), party.Quest, "pathseeker", orchestration.PlanDrafted{Run: run, Draft: orchestration.PlanDraft{Steps: plan,
		Review: []string{"o2"}, Uncovered: []orchestration.Uncovered{{Observable: "o3", Why: "There is no form <b>yet."}}}}); err != nil {
		t.Fatal(err)
	}
	party.Signal(orchestration.StepPlan, orchestration.Signal{Kind: orchestration.Complete, Summary: "Again."})
	page := parsed(t, call(t, s.pages.Gate, nil, "quest", party.Quest, "gate", "plan"))
	if got := words(page, "#left-out"); !strings.Contains(got, "the form says so and keeps the name o3 There is no form <b>yet.") {
		t.Errorf("left out: %q", got)
	}
	if got := words(page, "#on-whole"); !strings.Contains(got, "o2") {
		t.Errorf("of the review: %q", got)
	}
	if got := words(page, "#changes"); !strings.Contains(got, "Added o3 Left out by the plan There is no form <b>yet.") {
		t.Errorf("changes: %q", got)
	}
}

// The board shows the requirements, so they are approved there: exactly those.
func TestRequirementsAreApprovedWhereTheyAreRead(t *testing.T) {
	t.Parallel()
	s := newSite()
	party := handlerstest.Begin(s.engine, "Rates")
	party.ToRequirementsGate()
	board := parsed(t, call(t, s.pages.Board, nil, "quest", party.Quest))
	form := board.Find("#alerts form[action$='/gates/requirements/approve']")
	mark := form.Find("[name=document]").AttrOr("value", "")
	if !strings.Contains(words(board, "#whole-document"), handlerstest.Requirements[0].Observables[0].Text) || mark == "" {
		t.Fatalf("the board has no form, or not what it approves: %q", words(board, "main"))
	}
	params := []string{"quest", party.Quest, "gate", "requirements"}
	if w := call(t, s.pages.ApproveGate, url.Values{"document": {"other"}}, params...); w.Code != http.StatusConflict {
		t.Errorf("others were approved: %d", w.Code)
	}
	if w := call(t, s.pages.ApproveGate, url.Values{"document": {mark}}, params...); w.Code != http.StatusSeeOther || s.quest(t, party).GateRequirements != orchestration.GateApproved {
		t.Errorf("approved: %d", w.Code)
	}
}
