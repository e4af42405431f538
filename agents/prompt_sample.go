package agents

import (
	"fmt"

	"questboard/orchestration"
)

// Sample is an invented run, with which a user can see what a text expands to.
type Sample struct {
	Name  string // in URLs
	Words string
	step  string
	mode  orchestration.WorkspaceMode
	// errand: the quest is one, and this run works on it or reviews it.
	errand bool
}

// Samples returns the samples of a role, its most usual run first.
func Samples(role orchestration.Role) []Sample {
	const trees, shared = orchestration.WorkspaceWorktree, orchestration.WorkspaceShared
	step := []Sample{
		{"step", "a step, in a worktree of its own", "api-field", trees, false},
		{"step-shared", "a step, in the repository itself", "api-field", shared, false},
	}
	review := []Sample{
		{"review", "the review, in a worktree", orchestration.StepReview, trees, false},
		{"review-shared", "the review, in the repository itself", orchestration.StepReview, shared, false},
	}
	switch roles[role].home {
	case "":
		if role.Builds() {
			step = append(step, Sample{"errand", "an errand, in a worktree", orchestration.StepErrand, trees, true})
		}
		return append(step, review...)
	case orchestration.StepRequirements:
		return []Sample{{"requirements", "the requirements", orchestration.StepRequirements, trees, false},
			{"requirements-shared", "the requirements, in the repository itself", orchestration.StepRequirements, shared, false}}
	case orchestration.StepPlan:
		return append([]Sample{{"plan", "the plan, for steps in worktrees", orchestration.StepPlan, trees, false},
			{"plan-shared", "the plan, for steps in the repository itself", orchestration.StepPlan, shared, false}}, append(step, review...)...)
	default:
		review = append(review, Sample{"review-errand", "the review of an errand", orchestration.StepReview, trees, true})
		return append(review, step...)
	}
}

// SamplePrompt returns the whole prompt of a sample for an agent's program, with the user's choices for the role
// (RoleText, Allow and Deny of the facts): what every run is told, and the message.
func SamplePrompt(role orchestration.Role, agent string, facts PromptFacts, sample string) (system, message string, err error) {
	for _, s := range Samples(role) {
		if s.Name == sample {
			q := sampleQuest(s.mode)
			if s.errand {
				q = sampleErrand(q)
			}
			switch s.step { // a first run
			case orchestration.StepRequirements:
				q.Size = orchestration.SizeAuto
				q.Phase, q.Locked, q.Requirements, q.Steps, q.Runs = orchestration.PhaseRequirements, false, nil,
					orchestration.Table[orchestration.Step]{}, orchestration.Table[orchestration.Run]{}
			case orchestration.StepPlan:
				q.Phase, q.Steps, q.Runs = orchestration.PhasePlan, orchestration.Table[orchestration.Step]{}, orchestration.Table[orchestration.Run]{}
			}
			q = orchestration.Restore(q)
			run := &orchestration.Run{ID: "sample-r9", N: 8, Visit: 1, Agent: agent,
				Launch: orchestration.Launch{Role: role, Step: s.step, Start: orchestration.StartFresh}}
			if s.step == orchestration.StepErrand {
				run.Brief = orchestration.Brief{From: orchestration.ChaosWhisperer,
					Summary: "The text is in web/links.html:31 alone. web/links_test.go compares the whole page, so its golden file changes, too."}
			}
			facts.Dir, facts.Map, facts.Attachments = "/home/you/shop", sampleMap, sampleAttachments
			if system, err = System(q, agent); err == nil {
				message, err = Prompt(q, run, facts)
			}
			return system, message, err
		}
	}
	return "", "", fmt.Errorf("there is no sample %q of %s", sample, role)
}

// sampleAttachments are the files that came with the sample's request.
var sampleAttachments = []Attached{{
	Attachment: orchestration.Attachment{Name: "links-page.png", Type: "image/png", Size: 48_213},
	Path:       "/home/you/questboard-data/attachments/quests/sample/links-page.png",
}}

// sampleMap is what a prompt says of the sample's repository.
var sampleMap = RepoMap{
	Commit: "5f0c1e2d3b4a59687786a5b4c3d2e1f001122334",
	Text: "42 files in 5 folders; 30 of source, with 5200 lines: Go 100 %.\n" +
		"Folders, each with all below it: files, source lines.\napi/ 12, 2100\nstore/ 18, 3100",
	Builds: []BuildFile{{Path: "go.mod", Toolchain: "Go", Wants: []string{"go 1.26"}}},
	Tools:  []Tool{{Toolchain: "Go", Name: "go", Version: "go version go1.26.8 linux/amd64"}},
	Notes:  []string{"CLAUDE.md"},
}

// sampleQuest returns a small quest with an example of everything that prompts contain.
func sampleQuest(mode orchestration.WorkspaceMode) *orchestration.Quest {
	q := &orchestration.Quest{
		ID: "sample", Title: "Links that expire", Request: "Share links should expire. Let people choose for how long.",
		Repo: "/home/you/shop", Ward: "go vet ./... && go test ./...", Workspace: mode, Phase: orchestration.PhaseSteps, Locked: true,
		Requirements: []orchestration.Requirement{{ID: "api-shows-it", Context: "a link with an expiry time",
			Observables: []orchestration.Observable{
				{ID: "api-expires-at", Text: "GET /api/links/ID has expiresAt in RFC 3339"}}}},
		Steps: orchestration.TableOf(
			&orchestration.Step{N: 0, Stage: orchestration.StageDone, PlanStep: orchestration.PlanStep{
				ID: "link-model", Title: "Give links an expiry time", Files: []string{"store/links.go"}}},
			&orchestration.Step{N: 1, Stage: orchestration.Codeweaver.Stage(), Started: true, PlanStep: orchestration.PlanStep{
				ID: "api-field", Title: "Show the expiry time in the API", Description: "Add expiresAt to the link's JSON.\nFollow api/users.go.",
				Files: []string{"api/links.go", "api/links_test.go"}, DependsOn: []string{"link-model"}, Observables: []string{"api-expires-at"}}},
		),
		Runs: orchestration.TableOf(&orchestration.Run{ID: "sample-r1", Launch: orchestration.Launch{Role: orchestration.Codeweaver,
			Step: "link-model"},
			Signal: &orchestration.Signal{Kind: orchestration.Complete, StepID: "link-model", Summary: "Links have ExpiresAt and Expired(now)."}}),
	}
	for i, id := range orchestration.QuestWideSteps {
		q.Whole[i] = &orchestration.Step{N: -1, PlanStep: orchestration.PlanStep{ID: id}}
	}
	return orchestration.Restore(q)
}

// sampleErrand makes the sample an errand.
func sampleErrand(q *orchestration.Quest) *orchestration.Quest {
	q.Title, q.Request = "Call the button Copy link", "The button in the page of links says Copy. It should say Copy link."
	q.Size, q.Requirements, q.Runs = orchestration.SizeErrand, nil, orchestration.TableOf[orchestration.Run]()
	q.Steps = orchestration.TableOf(&orchestration.Step{N: 0, Stage: orchestration.Codeweaver.Stage(), Started: true,
		PlanStep: orchestration.PlanStep{
			ID: orchestration.StepErrand, Title: q.Title, Description: q.Request}})
	return q
}
