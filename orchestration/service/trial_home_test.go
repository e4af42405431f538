package service_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"questboard/agents"
	"questboard/agents/runlog"
	"questboard/orchestration"
	"questboard/orchestration/service"
)

// asked is a runner that starts nothing.
type asked struct{ spec agents.Spec }

func (a *asked) Start(_ context.Context, spec agents.Spec, _ agents.Observer) (agents.Process, error) {
	a.spec = spec
	return nil, errors.New("nothing starts")
}

// A command that is tried for a quest in worktrees can write the user's checkout. It gets no home of
// the quest's, in which agents may have left settings. In a shared folder agents write the same
// checkout, and what the sandbox first saw of it holds for the trial, too.
func TestATrialInTheUsersCheckoutHasAHomeOfItsOwn(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	logs, err := runlog.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	for workspace, own := range map[orchestration.WorkspaceMode]bool{orchestration.WorkspaceWorktree: true, orchestration.WorkspaceShared: false} {
		runner := &asked{}
		q := &orchestration.Quest{ID: "q1", Repo: t.TempDir(), Workspace: workspace}
		if err := service.NewTrials(runner, logs, data).Begin(service.PlaceOf(q), "true", time.Minute); err == nil {
			t.Error("it started")
		}
		if got := runner.spec.QuestID; (got == runner.spec.RunID) != own || !own && got != q.ID || runner.spec.Dir != q.Repo {
			t.Errorf("%v: its home is %q, its folder %q", workspace, got, runner.spec.Dir)
		}
	}
}
