package handlerstest

import (
	"context"

	"questboard/orchestration"
)

// Errand begins an errand in worktree mode.
func Errand(e *Engine) *Party {
	return sized(e, orchestration.NewQuest{Title: "Greet", Ward: "go test ./...", Size: orchestration.SizeErrand})
}

// FinishErrand plays an errand to its end. It is not delivered, and nobody has reviewed it.
func (p *Party) FinishErrand() { p.finishErrand("hello.go") }

// Unchanged plays an errand to its end that changes no file.
func Unchanged(e *Engine) *Party {
	p := Errand(e)
	p.finishErrand()
	return p
}

func (p *Party) finishErrand(changed ...string) {
	run := p.Start(orchestration.StepErrand)
	p.submit("codeweaver", orchestration.SignalReceived{Run: run, Signal: orchestration.Signal{Kind: orchestration.Complete,
		StepID: orchestration.StepErrand, Summary: "greeted"}})
	p.Exit(run, orchestration.EndClean, orchestration.Exit{SessionCost: 0.31, Changed: changed})
	p.Ward(orchestration.StepErrand, orchestration.EndWardPassed, "passed in 2 s")
	p.submit("server", orchestration.MergeEnded{Step: orchestration.StepErrand, Outcome: orchestration.MergeMerged, Commit: "c0ffee"})
}

// Sized begins a quest that ChaosWhisperer says is an errand. It waits for approval.
func Sized(e *Engine, title, reason string) *Party {
	p := sized(e, orchestration.NewQuest{Title: title, Size: orchestration.SizeAuto, ApproveReqs: true, ApprovePlan: true})
	run := p.Start(orchestration.StepRequirements)
	p.submit("chaoswhisperer", orchestration.SizeSet{Run: run, Size: orchestration.SizeErrand, Reason: reason})
	p.Signal(orchestration.StepRequirements, orchestration.Signal{Kind: orchestration.Complete, Summary: "It is in README.md, line 3."})
	return p
}

func sized(e *Engine, n orchestration.NewQuest) *Party {
	n.Request, n.Repo, n.Workspace, n.Branch, n.Agent = n.Title+".", "/repo", orchestration.WorkspaceWorktree, "main", "claude"
	q, err := e.Create(context.Background(), n)
	if err != nil {
		panic(err)
	}
	return &Party{Engine: e, Quest: q.ID}
}
