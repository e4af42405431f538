package agents_test

import (
	"strconv"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

// sampleQuest returns a quest of which one step is done and two are at work.
func sampleQuest() *orchestration.Quest {
	yes := true
	q := &orchestration.Quest{
		ID: "q1", Title: "Links that expire", Request: "Share links should expire.\nLet people choose for how long.",
		Repo: "/srv/shop", Ward: "go vet ./... && go test ./...", Workspace: orchestration.WorkspaceShared,
		Phase: orchestration.PhaseSteps, Locked: true,
		Requirements: []orchestration.Requirement{
			{ID: "link-expires", Context: "a link with an expiry time", Trigger: "it is opened after that time", Observables: []orchestration.Observable{
				{ID: "expired-page", Text: "the page says that the link has expired"}, {ID: "expired-status", Text: "the status is 410"}}},
			{ID: "api-shows-it", Context: "a link with an expiry time", Observables: []orchestration.Observable{
				{ID: "api-expires-at", Text: "GET /api/links/ID has expiresAt in RFC 3339"}}},
		},
		Steps: orchestration.TableOf(
			&orchestration.Step{N: 0, Stage: orchestration.StageDone, PlanStep: orchestration.PlanStep{
				ID: "link-model", Title: "Give links an expiry time", Files: []string{"store/links.go", "store/links_test.go"}}},
			&orchestration.Step{N: 1, Stage: orchestration.Codeweaver.Stage(), Started: true, HoldsFiles: true, PlanStep: orchestration.PlanStep{
				ID: "api-field", Title: "Show the expiry time in the API", Description: "Add expiresAt to the link's JSON.\nFollow api/users.go.",
				Files: []string{"api/links.go", "api/links_test.go"}, DependsOn: []string{"link-model"}, Observables: []string{"api-expires-at"}}},
			&orchestration.Step{N: 2, Stage: orchestration.Siegemaster.Stage(), Started: true, HoldsFiles: true, PlanStep: orchestration.PlanStep{
				ID: "expired-page", Title: "A page for expired links", Files: []string{"web/expired.go"}, DependsOn: []string{"link-model"},
				Observables: []string{"expired-page", "expired-status"}}},
		),
	}
	for i, id := range orchestration.QuestWideSteps {
		q.Whole[i] = &orchestration.Step{N: -1, PlanStep: orchestration.PlanStep{ID: id}}
	}
	done := &orchestration.Signal{Kind: orchestration.Complete, StepID: "link-model", Summary: "Links have ExpiresAt and Expired(now)."}
	asked := &orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: "api-field", TargetRole: orchestration.PathSeeker, Reason: "too large", Context: "see api/", Resume: &yes}
	q.Runs = orchestration.TableOf(
		&orchestration.Run{ID: "q1-r1", N: 0, Launch: orchestration.Launch{Role: orchestration.Codeweaver, Step: "link-model"}, Signal: done},
		&orchestration.Run{ID: "q1-r2", N: 1, Launch: orchestration.Launch{Role: orchestration.Siegemaster, Step: "api-field"}, Signal: asked},
	)
	return orchestration.Restore(q)
}

// usualStep returns the step that a role usually works for.
func usualStep(role orchestration.Role) string {
	if usual := agents.Samples(role)[0].Name; usual != "step" {
		return usual
	}
	return "api-field"
}

// runOf returns the next run of the sample quest, with a brief that has everything this
// kind of start contains.
func runOf(q *orchestration.Quest, role orchestration.Role, start orchestration.StartKind, resumed bool) *orchestration.Run {
	n := q.Runs.Len()
	r := &orchestration.Run{ID: "q1-r" + strconv.Itoa(n+1), N: n, Visit: 2, Launch: orchestration.Launch{
		Role: role, Step: usualStep(role), Start: start,
	}}
	if resumed {
		r.ResumedFrom = "q1-r1"
	}
	switch start {
	case orchestration.StartContinuation:
		r.Brief = orchestration.Brief{Progress: "The field is there; tests are not.", ContinuationPoint: "api/links_test.go: write TestExpiresAt"}
	case orchestration.StartFollowup, orchestration.StartHandoff:
		r.ReturnTo = "q1-r2"
		r.Brief = orchestration.Brief{Kind: orchestration.BriefRole, From: orchestration.Siegemaster, Reason: "expiresAt is in local time", Context: "api/links_test.go, TestUTC fails."}
	case orchestration.StartAnswer, orchestration.StartInterrupted:
		r.Brief = orchestration.Brief{Question: "Seconds or milliseconds?", Answer: "Seconds."}
		if start == orchestration.StartInterrupted {
			r.Brief.Cause = &orchestration.Cause{End: orchestration.EndStuck, Why: "no progress for 10m0s"}
		}
	case orchestration.StartFollowupDone:
		r.Brief = orchestration.Brief{From: orchestration.PathSeeker, Summary: "The step is right as it is; api/users.go shows the pattern."}
	case orchestration.StartFeedback:
		r.Brief = orchestration.Brief{Feedback: "Also say what happens to old links."}
	case orchestration.StartMessage:
		r.Brief = orchestration.Brief{Message: "Use the clock of the store, please."}
	}
	return r
}

// PathSeeker has the plan in its conversation as it stored it, and not what a person edited since.
func TestFeedbackNamesTheStepsOfThePlanThatAPersonEdited(t *testing.T) {
	t.Parallel()
	q := sampleQuest()
	r := runOf(q, orchestration.PathSeeker, orchestration.StartFeedback, true)
	one, two := orchestration.PlanStep{ID: "one", Title: "One"}, orchestration.PlanStep{ID: "two", Title: "Two"}
	q.Run(r.ResumedFrom).Draft = &orchestration.PlanDraft{Steps: []orchestration.PlanStep{one, two}}
	two.Title = "Two, and more"
	r.Draft = &orchestration.PlanDraft{Steps: []orchestration.PlanStep{one, two}}
	want := "No longer as you stored them are the steps `two`: `get-quest` with `part: \"plan\"` shows them as they are now."
	if text := write(t, q, r, agents.PromptFacts{}); !strings.Contains(text, want) {
		t.Errorf("it is not told:\n%s", text)
	}
}
