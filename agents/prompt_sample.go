package agents

import (
	"fmt"

	"questboard/orchestration"
)

// Sample is a run that never was, for a look at what a text becomes.
type Sample struct {
	Name  string // in URLs
	Words string
	line  string
	mode  orchestration.WorkspaceMode
}

// Samples are those of a role: where it usually works comes first.
func Samples(role orchestration.Role) []Sample {
	const trees, shared = orchestration.WorkspaceWorktree, orchestration.WorkspaceShared
	step := []Sample{
		{"step", "a step, in a worktree of its own", "api-field", trees},
		{"step-shared", "a step, in the repository itself", "api-field", shared},
	}
	review := []Sample{
		{"review", "the review, in a worktree", orchestration.LineReview, trees},
		{"review-shared", "the review, in the repository itself", orchestration.LineReview, shared},
	}
	switch role {
	case orchestration.ChaosWhisperer:
		return []Sample{{"requirements", "the requirements", orchestration.LineRequirements, trees},
			{"requirements-shared", "the requirements, in the repository itself", orchestration.LineRequirements, shared}}
	case orchestration.PathSeeker:
		return append([]Sample{{"plan", "the plan, for steps in worktrees", orchestration.LinePlan, trees},
			{"plan-shared", "the plan, for steps in the repository itself", orchestration.LinePlan, shared}}, append(step, review...)...)
	case orchestration.Lawbringer:
		return append(review, step...)
	default:
		return append(step, review...)
	}
}

// SamplePrompt is the whole prompt of a sample, with a user's text for the
// role; an empty one is the built-in.
func SamplePrompt(role orchestration.Role, text, sample string) (string, error) {
	for _, s := range Samples(role) {
		if s.Name == sample {
			q := sampleQuest(s.mode)
			run := &orchestration.Run{ID: "sample-r9", N: 8, Visit: 1,
				Launch: orchestration.Launch{Role: role, Line: s.line, Start: orchestration.StartFresh}}
			return Prompt(q, run, PromptFacts{Dir: "/home/you/shop", RoleText: text})
		}
	}
	return "", fmt.Errorf("there is no sample %q of %s", sample, role)
}

// sampleQuest is small, and has something of all that prompts tell.
func sampleQuest(mode orchestration.WorkspaceMode) *orchestration.Quest {
	q := &orchestration.Quest{
		ID: "sample", Title: "Links that expire", Request: "Share links should expire. Let people choose for how long.",
		Repo: "/home/you/shop", Ward: "go vet ./... && go test ./...", Workspace: mode, Phase: orchestration.PhaseSteps, Locked: true,
		Requirements: []orchestration.Requirement{{ID: "api-shows-it", Context: "a link with an expiry time", Observables: []orchestration.Observable{
			{ID: "api-expires-at", Text: "GET /api/links/ID has expiresAt in RFC 3339"}}}},
		Steps: orchestration.TableOf(
			&orchestration.Step{N: 0, Stage: orchestration.StageDone, PlanStep: orchestration.PlanStep{
				ID: "link-model", Title: "Give links an expiry time", Files: []string{"store/links.go"}}},
			&orchestration.Step{N: 1, Stage: orchestration.StageCodeweaver, Started: true, PlanStep: orchestration.PlanStep{
				ID: "api-field", Title: "Show the expiry time in the API", Description: "Add expiresAt to the link's JSON.\nFollow api/users.go.",
				Files: []string{"api/links.go", "api/links_test.go"}, DependsOn: []string{"link-model"}, Observables: []string{"api-expires-at"}}},
		),
		Runs: orchestration.TableOf(&orchestration.Run{ID: "sample-r1", Launch: orchestration.Launch{Role: orchestration.Codeweaver, Line: "link-model"},
			Signal: &orchestration.Signal{Kind: orchestration.Complete, StepID: "link-model", Summary: "Links have ExpiresAt and Expired(now)."}}),
	}
	for i, id := range orchestration.WholeLines {
		q.Whole[i] = &orchestration.Step{N: -1, PlanStep: orchestration.PlanStep{ID: id}}
	}
	return orchestration.Restore(q)
}
