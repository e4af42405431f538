package engine

import (
	"context"
	"errors"
	"fmt"

	"questboard/agents"
	"questboard/orchestration"
	"questboard/orchestration/record"
)

// notSetUp is the error for a tree that could not be prepared, so the run did not
// start.
type notSetUp struct{ exit orchestration.Exit }

func (n *notSetUp) Error() string { return n.exit.Why }

// tree returns the directory where the run works, ready for use.
func (w *work) tree() (string, error) {
	w.h.Tidy(w.job.Quest)
	dir, err := w.h.cfg.Workspace.Dir(w.ctx, w.job.Quest, w.job.Run.Step)
	if err != nil {
		return "", fmt.Errorf("prepare the workspace: %w", err)
	}
	return dir, w.setUp(dir)
}

// needs returns what a worktree of the quest needs.
func (w *work) needs() record.RepoSettings {
	q := w.job.Quest
	return w.h.center.Settings().Repo(q.Repo).Or(q.File)
}

// setUp prepares a new tree, with the user's command if one is needed. Meanwhile that
// command is the run's process, so ending the run ends the command.
func (w *work) setUp(dir string) error {
	cfg, q, r := w.h.cfg, w.job.Quest, w.job.Run
	setup, err := cfg.Workspace.Prepare(w.ctx, q, r, w.needs())
	var kept *NotCommittedError
	if errors.As(err, &kept) && len(kept.Markers) > 0 {
		return &notSetUp{orchestration.Exit{Why: err.Error(), Markers: kept.Markers}}
	}
	if kept != nil {
		return &notSetUp{orchestration.Exit{Why: err.Error(), Unsaved: err.Error()}}
	}
	if err != nil {
		return &notSetUp{orchestration.Exit{Why: err.Error()}}
	}
	if setup.Command == "" {
		return nil
	}
	runner := cfg.Runners[SetupRunner]
	if runner == nil {
		return &notSetUp{orchestration.Exit{Why: "this server cannot set up working trees"}}
	}
	if w.asked() {
		return context.Canceled
	}
	cfg.Log.Info("set up a working tree", "quest", q.ID, "step", r.Step, "run", r.ID)
	p, err := runner.Start(w.h.ctx, agents.Spec{RunID: r.ID, QuestID: q.ID, Step: r.Step, Role: r.Role,
		Dir: dir, Repo: q.Repo, Ports: q.Ports(), Command: setup.Command, Timeout: w.times.Ward}, settingUp{w})
	if err != nil {
		return &notSetUp{orchestration.Exit{Why: err.Error()}}
	}
	w.started(p)
	ended := p.Wait()
	w.forgetSetUp()
	if ended.End != orchestration.EndClean {
		if err := setup.Undo(context.WithoutCancel(w.ctx)); err != nil { // the next Prepare tries again
			cfg.Log.Warn("undo what a set-up changed", "run", r.ID, "error", err)
		}
		return &notSetUp{ended.Exit}
	}
	err = setup.Done(w.ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		return &notSetUp{orchestration.Exit{Why: err.Error()}}
	}
	return err
}

// forgetSetUp prepares for the agent's own process: what the command has shown is no sign
// that the agent's program has begun, and none of its tools is open.
func (w *work) forgetSetUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.process, w.opened, w.reached, w.tools = nil, false, false, 0
}

// settingUp observes a set-up command. Its output is no sign of life from an agent.
type settingUp struct{ w *work }

// SessionOpened implements agents.Observer.
func (settingUp) SessionOpened(string) {}

// Told implements agents.Observer.
func (settingUp) Told(orchestration.Told) {}

// Progress implements agents.Observer.
func (s settingUp) Progress(p agents.Progress) {
	if p.Line != "" {
		p.Line = "setting up: " + p.Line
	}
	s.w.show(p)
}
