package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"questboard/agents/simulated"
	"questboard/cmd/server/config"
	"questboard/orchestration"
	"questboard/orchestration/engine"
)

// demo runs the server on a temporary directory, with a sample repository and one quest:
// that of a built-in scenario. The first one shows every role and every signal.
func demo(ctx context.Context, c call) (err error) {
	gentle, now, release := signals(ctx)
	defer release()
	dir, err := os.MkdirTemp("", "questboard-demo-")
	if err != nil {
		return fmt.Errorf("make a directory for the demo: %w", err)
	}
	defer func() {
		if fault := os.RemoveAll(dir); fault != nil {
			err = errors.Join(err, fmt.Errorf("remove the demo's data: %w", fault))
		}
	}()
	repo := filepath.Join(dir, "notes-api")
	if err := simulated.DemoRepo(gentle, repo); err != nil {
		return err
	}
	if c.Data == "" {
		c.Data = filepath.Join(dir, "data")
	}
	c.Addr = freeAddr(c.Addr)

	log := newLog(c.stderr, c.Dev)
	sample := simulated.DemoQuest(c.Scenario)
	h := host{machine: c.machine, log: log}
	var user *simulated.User
	if c.DemoAnswers {
		user = simulated.NewUser(sample.Answer, log)
		h.extra = []engine.Notifier{user}
	}
	h.started = func(a *app) error {
		q, err := createDemoQuest(gentle, a.engine, sample, repo, c.Agent)
		if err != nil {
			return fmt.Errorf("create the demo quest: %w", err)
		}
		log.Info("the demo quest has begun", "quest", q.ID, "repository", repo)
		if user != nil {
			user.Start(gentle, a.engine)
		}
		return nil
	}
	return h.run(gentle, now)
}

func createDemoQuest(ctx context.Context, e *engine.Engine, sample simulated.Demo, repo, agent string) (*orchestration.Quest, error) {
	return e.Create(ctx, orchestration.NewQuest{Title: sample.Title, Request: sample.Request, Ward: sample.Ward,
		Repo: repo, Branch: "main", Size: orchestration.SizeAuto, Workspace: orchestration.WorkspaceWorktree, Agent: agent})
}

// freeAddr chooses another port if the default one is in use, because users of the demo
// need not know about ports. It does not change an address that was set.
func freeAddr(addr string) string {
	if addr != config.DefaultAddr {
		return addr
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "127.0.0.1:0"
	}
	_ = l.Close()
	return addr
}
