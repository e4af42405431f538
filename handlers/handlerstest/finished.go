package handlerstest

import (
	"context"

	"questboard/orchestration"
)

// trees begins a quest with one step in worktree mode.
func trees(e *Engine, agent, title, base, ward string) *Party {
	q, err := e.Create(context.Background(), orchestration.NewQuest{Title: title, Request: title + ".", Repo: "/repo", Ward: ward,
		Workspace: orchestration.WorkspaceWorktree, Branch: base, Agent: agent,
		Plan: &orchestration.OwnPlan{Requirements: Requirements, Steps: []orchestration.PlanStep{step("store", "Keep sessions in the store")}}})
	if err != nil {
		panic(err)
	}
	return &Party{Engine: e, Quest: q.ID}
}

// Finished plays a quest in worktree mode to its end, without delivery.
func Finished(e *Engine, title, base string) *Party {
	p := trees(e, "claude", title, base, "")
	for range 2 { // codeweaver and siegemaster
		run := p.Start("store")
		p.submit(string(p.quest().Run(run).Role), orchestration.SignalReceived{Run: run,
			Signal: orchestration.Signal{Kind: orchestration.Complete, StepID: "store", Summary: "done"}})
		p.Exit(run, orchestration.EndClean, orchestration.Exit{SessionCost: 0.31, Changed: []string{"internal/store.go"}})
		p.Ward("store", orchestration.EndWardPassed, "no check")
	}
	p.submit("server", orchestration.MergeEnded{Step: "store", Outcome: orchestration.MergeMerged, Commit: "c0ffee"})
	p.Review("all is there", "no check")
	p.submit("server", orchestration.MergeEnded{Step: orchestration.StepReview, Outcome: orchestration.MergeMerged, Commit: "c0ffee"})
	return p
}

// OnBase begins a quest in worktree mode whose check is about to run on the base.
func OnBase(e *Engine) *Party { return OnBaseBy(e, "claude") }

// OnBaseBy does the same for a quest of an agent.
func OnBaseBy(e *Engine, agent string) *Party {
	return trees(e, agent, "Add login to billing", "main", "go test ./...")
}

// BaseFails makes the check fail on the base, with the given lines of faults.
func (p *Party) BaseFails(faults ...string) {
	run := p.Start(orchestration.StepBaseline)
	p.Exit(run, orchestration.EndWardFailed, orchestration.Exit{Code: 1, Why: "2 tests failed", Faults: faults})
}
