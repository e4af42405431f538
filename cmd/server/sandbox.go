package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"

	"questboard/agents/confine"
	"questboard/agents/process"
	"questboard/agents/workspace"
	"questboard/cmd/server/config"
	"questboard/orchestration/service"
)

// newSandbox returns the sandbox of -sandbox, or nil if it is off. If it does not work,
// the error has the remedy.
func newSandbox(cfg config.Config, w world) (*confine.Sandbox, error) {
	if !cfg.Sandbox {
		return nil, nil
	}
	if runtime.GOOS != "linux" {
		return nil, errors.New("-sandbox needs bubblewrap, which there is for Linux alone: start without -sandbox")
	}
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("-sandbox needs bubblewrap, and bwrap is not on PATH: install it (apt-get install bubblewrap), or start " +
			"without -sandbox")
	}
	if bwrap, err = filepath.Abs(bwrap); err != nil {
		return nil, fmt.Errorf("-sandbox: %w", err)
	}
	exe, err := service.OwnExecutable()
	if err != nil {
		return nil, err
	}
	return &confine.Sandbox{Bwrap: bwrap, Data: cfg.Data, Home: w.getenv("HOME"), Path: w.getenv("PATH"),
		Read: cfg.SandboxRead, Write: cfg.SandboxWrite, Git: sandboxGit{newTrees(cfg, w)}, Process: process.Starter{Exe: exe}}, nil
}

// sandboxGit tells the sandbox where git's folders are.
type sandboxGit struct{ *workspace.Trees }

// Layout implements confine.Git.
func (g sandboxGit) Layout(dir string) (confine.Layout, error) {
	l, err := g.Git.Layout(dir)
	return confine.Layout(l), err
}

// linksOfRepo returns the paths that new worktrees of a repository link to.
func (a *app) linksOfRepo(ctx context.Context, repo string) ([]string, error) {
	settings, err := a.engine.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return service.LinksOf(settings, a.engine.Active(), repo), nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
