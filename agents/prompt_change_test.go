package agents_test

import (
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

// changing is the sample quest after the person changed its requirements.
func changing(q *orchestration.Quest) *orchestration.Quest {
	q.Phase, q.Locked = orchestration.PhaseRequirements, false
	q.Changes = []orchestration.Change{
		{Text: "The page should offer a new link."},
		{Text: "No status code, please.\nBut say it in the API, too.", Lost: []orchestration.LostObservable{
			{Requirement: "link-expires", Observable: orchestration.Observable{ID: "expired-status", Text: "the status is 410"}}}},
	}
	q.Requirements[0].Observables = q.Requirements[0].Observables[:1]
	q.Steps = q.Steps.Append(&orchestration.Step{N: 3, Stage: orchestration.StageWaiting, PlanStep: orchestration.PlanStep{
		ID: "docs", Title: "Describe it", DependsOn: []string{"expired-page"}}})
	return orchestration.Restore(q)
}

// A fresh session of ChaosWhisperer is told the requirements, the text and what has begun;
// PathSeeker what it may plan again.
func TestPromptGolden_changeOfTheRequirements(t *testing.T) {
	t.Parallel()
	for _, role := range []orchestration.Role{orchestration.ChaosWhisperer, orchestration.PathSeeker} {
		q := changing(sampleQuest())
		if role == orchestration.PathSeeker {
			q.Phase = orchestration.PhasePlan
		}
		start := orchestration.StartHandoff
		if role == orchestration.PathSeeker {
			start = orchestration.StartFresh
		}
		r := runOf(q, role, start, false)
		r.Brief, r.ReturnTo = orchestration.Brief{}, ""
		text := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"})
		for _, want := range []string{"No status code, please.", "The page should offer a new link.", "`expired-page` A page for expired links [siegemaster]"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s is not told %q", role, want)
			}
		}
		e2etest.Golden(t, filepath.Join("prompts", "change-"+string(role)+".md"), text)
	}
}

// A session that was interrupted is told the change again; one that reads feedback is not.
func TestAnInterruptedSessionIsToldTheChangeAgain(t *testing.T) {
	t.Parallel()
	for start, told := range map[orchestration.StartKind]bool{orchestration.StartInterrupted: true, orchestration.StartRetry: true,
		orchestration.StartChange: true, orchestration.StartFeedback: false, orchestration.StartAnswer: false} {
		q := changing(sampleQuest())
		text := write(t, q, runOf(q, orchestration.ChaosWhisperer, start, true), agents.PromptFacts{Dir: "/srv/shop"})
		if strings.Contains(text, "No status code, please.") != told {
			t.Errorf("%s is told the change: %v\n%s", start, !told, text)
		}
	}
}

// The step that had begun is told which of its observables nobody asks for any more.
func TestAStepIsToldWhatIsNoLongerAsked(t *testing.T) {
	t.Parallel()
	q := changing(sampleQuest())
	r := runOf(q, orchestration.Siegemaster, orchestration.StartFresh, false)
	r.Step = "expired-page"
	text := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"})
	if !strings.Contains(text, "    - `expired-page` THEN the page says that the link has expired\n- No longer asked, since the person changed the requirements: `expired-status`.") {
		t.Errorf("it says:\n%s", text)
	}
}

// A follow-up is told what was asked and done before.
func TestPromptGolden_followUp(t *testing.T) {
	t.Parallel()
	q := sampleQuest()
	q.Follows, q.Former = "q0", &orchestration.Former{Quest: "q0", Title: "Share links", Request: "Let people share a page by a link.",
		Changes: []string{"Only the owner may share."}, Requirements: []orchestration.Requirement{{ID: "shares", Context: "an owner", Trigger: "she shares a page",
			Observables: []orchestration.Observable{{ID: "link-opens", Text: "the link opens the page"}}}},
		Steps: []orchestration.FormerStep{{ID: "links", Title: "Make links", Stage: orchestration.StageDone},
			{ID: "mail", Title: "Send them", Stage: orchestration.StageSkipped, Reason: "later"}, {ID: "qr", Title: "Codes", Stage: orchestration.StageWaiting}}}
	r := runOf(q, orchestration.ChaosWhisperer, orchestration.StartFresh, false)
	r.Visit = 1
	e2etest.Golden(t, filepath.Join("prompts", "follow-up.md"), write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"}))
	r = runOf(q, orchestration.Codeweaver, orchestration.StartFresh, false)
	if text := write(t, q, r, agents.PromptFacts{Dir: "/srv/shop"}); strings.Contains(text, "What came before") {
		t.Error("who builds a step is told of the quest before")
	}
}
