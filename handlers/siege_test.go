package handlers_test

import (
	"strings"
	"testing"

	"questboard/handlers/handlerstest"
	"questboard/orchestration"
)

// sieged begins a quest with a step of low risk and one of high risk.
func sieged(t *testing.T, s *site, siege orchestration.Siege) *handlerstest.Party {
	t.Helper()
	text, tokens := piece("text", "Mend the text"), piece("tokens", "Sign tokens")
	text.Risk, text.RiskReason, text.Observables = orchestration.RiskLow, "words only", []string{"o1", "o2"}
	tokens.Risk, tokens.RiskReason, tokens.Observables = orchestration.RiskHigh, "a secret is at stake", []string{"o3"}
	q, err := s.engine.Create(t.Context(), orchestration.NewQuest{Title: "Add login", Request: "Do it.", Repo: "/repo", Agent: "claude", Ward: "make test", Siege: siege,
		Workspace: orchestration.WorkspaceShared, Plan: &orchestration.OwnPlan{Requirements: handlerstest.Requirements, Steps: []orchestration.PlanStep{text, tokens}}})
	if err != nil {
		t.Fatal(err)
	}
	return &handlerstest.Party{Engine: s.engine, Quest: q.ID}
}

func TestPagesSayWhyAStepHasNoSiege_andWhoProvedForIt(t *testing.T) {
	t.Parallel()
	for siege, want := range map[orchestration.Siege]struct{ text, chip, tokens, done, by, why string }{
		orchestration.SiegeEach: {"Risk: low (words only) · No siege: low risk", "no siege: low risk", "Risk: high (a secret is at stake)",
			"Risk: low (words only) · No siege: low risk", "by the review", "No siege, because the risk is low: Mend the text. The complete work was reviewed"},
		orchestration.SiegeEnd: {"Risk: low (words only) · Siege at the end", "", "Risk: high (a secret is at stake) · Siege at the end",
			"Risk: low (words only) · Besieged with the whole", "by the siege at the end", "The complete work was besieged and reviewed"},
	} {
		s := newSite()
		p := sieged(t, s, siege)
		head := func(step string) string {
			return words(parsed(t, call(t, s.pages.Step, nil, "quest", p.Quest, "step", step)), "#step-head")
		}
		if got := head("text"); !strings.HasSuffix(got, want.text) {
			t.Errorf("%s: the panel says %q", siege, got)
		}
		if got := head("tokens"); !strings.HasSuffix(got, want.tokens) {
			t.Errorf("%s: the panel says %q", siege, got)
		}
		board := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
		if got := words(board, "#card-text .chips"); !strings.Contains(got, want.chip) || want.chip == "" && strings.Contains(got, "siege") {
			t.Errorf("%s: the card says %q", siege, got)
		}
		for _, step := range []string{"text", "tokens"} {
			p.Complete(step, "written")
			p.Ward(step, orchestration.EndWardPassed, "passed")
		}
		if siege == orchestration.SiegeEach {
			p.Complete("tokens", "besieged")
			p.Ward("tokens", orchestration.EndWardPassed, "passed")
		}
		p.Review("all is there", "passed")
		if got := head("text"); !strings.HasSuffix(got, want.done) {
			t.Errorf("%s: the panel says %q in the end", siege, got)
		}
		if got := words(parsed(t, call(t, s.pages.Evidence, nil, "quest", p.Quest)), "#evidence"); strings.Count(got, want.by) == 0 || !strings.Contains(got, "3 of 3 observables proven") {
			t.Errorf("%s: the evidence says %q", siege, got)
		}
		page := parsed(t, call(t, s.pages.Board, nil, "quest", p.Quest))
		if got := words(page, "#alerts"); !strings.Contains(got, want.why) {
			t.Errorf("%s: the outcome is %q", siege, got)
		}
	}
}

func TestAPlanAtItsGateSaysTheRisks(t *testing.T) {
	t.Parallel()
	s := newSite()
	p := sieged(t, s, "")
	page := parsed(t, call(t, s.pages.Step, nil, "quest", p.Quest, "step", orchestration.StepPlan))
	if got := words(page, "#step-panel"); !strings.Contains(got, "Risk low (words only)") || !strings.Contains(got, "Risk high (a secret is at stake)") {
		t.Errorf("the plan says %q", got)
	}
}
