package engine

import (
	"context"
	"errors"
	"fmt"

	"questboard/agents"
	"questboard/orchestration"
)

// notSetUp: the tree could not be made fit to work in, so the run did not start.
type notSetUp struct{ exit orchestration.Exit }

func (n *notSetUp) Error() string { return n.exit.Why }

// tree is where the run works, fit to be worked in.
func (w *work) tree() (string, error) {
	w.l.Tidy(w.job.Quest)
	dir, err := w.l.e.cfg.Workspace.Dir(w.ctx, w.job.Quest, w.job.Run.Line)
	if err != nil {
		return "", fmt.Errorf("prepare the workspace: %w", err)
	}
	return dir, w.setUp(dir)
}

// setUp makes a new tree fit to work in, by a command of the user's where one is
// needed. Until that is over it is the run's process: who ends the run ends it.
func (w *work) setUp(dir string) error {
	e, q, r := w.l.e, w.job.Quest, w.job.Run
	setup, err := e.cfg.Workspace.Prepare(w.ctx, q, r, e.server.Load().Repo(q.Repo))
	if err != nil {
		return &notSetUp{orchestration.Exit{Why: err.Error()}}
	}
	if setup.Command == "" {
		return nil
	}
	runner := e.cfg.Runners[SetupRunner]
	if runner == nil {
		return &notSetUp{orchestration.Exit{Why: "this server cannot set up working trees"}}
	}
	if w.asked() {
		return context.Canceled
	}
	e.cfg.Log.Info("set up a working tree", "quest", q.ID, "step", r.Line, "run", r.ID)
	p, err := runner.Start(w.l.ctx, agents.Spec{RunID: r.ID, QuestID: q.ID, Line: r.Line, Role: r.Role,
		Dir: dir, Repo: q.Repo, Command: setup.Command, Timeout: w.times.Ward}, settingUp{w})
	if err != nil {
		return &notSetUp{orchestration.Exit{Why: err.Error()}}
	}
	w.started(p)
	ended := p.Wait()
	w.mu.Lock()
	w.process = nil
	w.mu.Unlock()
	if ended.End == orchestration.EndClean {
		err = setup.Done(w.ctx)
	} else {
		return &notSetUp{ended.Exit}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return &notSetUp{orchestration.Exit{Why: err.Error()}}
	}
	return err
}

// settingUp observes a set-up: what it prints is no sign of life of an agent.
type settingUp struct{ w *work }

// SessionOpened implements agents.Observer.
func (settingUp) SessionOpened(string) {}

// Progress implements agents.Observer.
func (s settingUp) Progress(p agents.Progress) {
	if p.Line != "" {
		p.Line = "setting up: " + p.Line
	}
	s.w.show(p)
}
