package handlerstest

import (
	"context"

	"questboard/orchestration"
)

// Requirements are what the fixture's ChaosWhisperer writes. The last one is hostile,
// because texts of agents are not trusted.
var Requirements = []orchestration.Requirement{
	{ID: "r1", Context: "a visitor without a session", Trigger: "they open the billing page", Observables: []orchestration.Observable{
		{ID: "o1", Text: "the login form is shown"}, {ID: "o2", Text: "after logging in they see the billing page"}}},
	{ID: "r2", Context: "a wrong password <script>alert(1)</script>", Observables: []orchestration.Observable{
		{ID: "o3", Text: "the form says so and keeps the name"}}},
}

func step(id, title string, after ...string) orchestration.PlanStep {
	return orchestration.PlanStep{ID: id, Title: title, Description: "What " + id + " is about, in a sentence or two.",
		Files: []string{"internal/" + id + ".go"}, DependsOn: after, Observables: []string{"o1"}}
}

// covering is a step with these observables.
func covering(s orchestration.PlanStep, observables ...string) orchestration.PlanStep {
	s.Observables = observables
	return s
}

// Plan is what the fixture's PathSeeker writes.
var Plan = []orchestration.PlanStep{
	step("parse-config", "Parse the login configuration"),
	step("store", "Keep sessions in the store"),
	step("hash", "Hash passwords"),
	step("cookie", "Session cookie"),
	covering(step("form", "Login form"), "o1", "o2", "o3"),
	step("adapter", "Adapter for the identity provider"),
	step("limit", "Limit wrong passwords"),
	step("routes", "Route table"),
	step("notes", "Release notes"),
	step("audit", "Audit log of logins", "cookie", "form"),
	step("admin", "Page to end sessions", "audit", "routes"),
	step("mail", "Mail after a login from a new place", "admin"),
}

// Begin creates a quest and returns its party.
func Begin(e *Engine, title string) *Party {
	q, err := e.Create(context.Background(), orchestration.NewQuest{Title: title, Request: "Add login to billing.", Repo: "/repo",
		Ward: "go test ./...", Workspace: orchestration.WorkspaceShared, Agent: "claude", ApproveReqs: true, ApprovePlan: true})
	if err != nil {
		panic(err)
	}
	return &Party{Engine: e, Quest: q.ID}
}

// ToRequirementsGate plays the quest until the requirements wait for approval.
func (p *Party) ToRequirementsGate() {
	run := p.Start(orchestration.StepRequirements)
	p.submit("chaoswhisperer", orchestration.RequirementsSet{Run: run, Requirements: Requirements})
	p.Signal(orchestration.StepRequirements, orchestration.Signal{Kind: orchestration.Complete, Summary: "Two requirements."})
}

// ToPlanGate plays the quest until the plan waits for approval.
func (p *Party) ToPlanGate() {
	p.ToRequirementsGate()
	p.submit("user", orchestration.GateDecided{Gate: orchestration.StepRequirements, Approve: true})
	run := p.Start(orchestration.StepPlan)
	p.submit("pathseeker", orchestration.PlanDrafted{Run: run, Draft: orchestration.PlanDraft{Steps: Plan}})
	p.Signal(orchestration.StepPlan, orchestration.Signal{Kind: orchestration.Complete, Summary: "Twelve steps."})
}

// Question is what the fixture's Codeweaver asks on the step cookie.
const Question = "Which login provider should billing use: the internal SSO, or the vendor's?"

// Busy plays a quest until every kind of card is on the board, and returns its party.
func Busy(e *Engine) *Party {
	p := Begin(e, "Add login to billing")
	p.ToPlanGate()
	p.submit("user", orchestration.GateDecided{Gate: orchestration.StepPlan, Approve: true})
	for _, step := range []string{"parse-config", "store"} {
		p.Complete(step, "written")
		p.Ward(step, orchestration.EndWardPassed, "passed in 12 s")
		p.Complete(step, "tested at its edges")
		p.Ward(step, orchestration.EndWardPassed, "passed again")
	}
	p.submit("user", orchestration.SkipPressed{Step: "notes", Reason: "written by hand"})
	p.Complete("hash", "written")
	p.Ward("hash", orchestration.EndWardFailed, "1 test failed")
	p.Engine.Say(p.Start("hash"), "Edit internal/hash.go")
	p.Start("cookie")
	p.Signal("cookie", orchestration.Signal{Kind: orchestration.NeedsUserInput, Question: Question,
		Context: "Both are configured in internal/config.go. The SSO has no test instance."})
	p.Engine.Say(p.Start("form"), "Bash go test ./internal/form -run TestForm")
	resume := true
	p.Start("adapter")
	p.Signal("adapter", orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, TargetRole: orchestration.PathSeeker,
		Reason: "the step hides two", Context: "the provider has two protocols", Resume: &resume})
	p.Engine.Say(p.Start("adapter"), "Read internal/adapter.go")
	run := p.Start("limit")
	p.submit("user", orchestration.StopPressed{Run: run})
	p.Exit(run, orchestration.EndCrashed, orchestration.Exit{Code: 143, Why: "ended by a signal", Denied: []string{"WebFetch"},
		DeniedCalls: []orchestration.DeniedCall{{Tool: "WebFetch", Text: "https://example.org/limits", Rule: "WebFetch(domain:example.org)"}}})
	return p
}
