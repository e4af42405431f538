package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"questboard/agents/confine"
	"questboard/agents/process"
	"questboard/agents/workspace"
)

// newSandbox is what -sandbox asks for: nil where it is off, an error with the
// remedy where it cannot be had.
func newSandbox(cfg Config, w world, exe string) (*confine.Sandbox, error) {
	if !cfg.Sandbox {
		return nil, nil
	}
	if runtime.GOOS != "linux" {
		return nil, errors.New("-sandbox needs bubblewrap, which there is for Linux alone: start without -sandbox")
	}
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("-sandbox needs bubblewrap, and bwrap is not on PATH: install it (apt-get install bubblewrap), or start without -sandbox")
	}
	if bwrap, err = filepath.Abs(bwrap); err != nil {
		return nil, fmt.Errorf("-sandbox: %w", err)
	}
	return &confine.Sandbox{Bwrap: bwrap, Data: cfg.Data, Home: w.getenv("HOME"), Path: w.getenv("PATH"),
		Read: cfg.SandboxRead, Write: cfg.SandboxWrite, Git: sandboxGit{newTrees(cfg, w)}, Process: process.Starter{Exe: exe}}, nil
}

// sandboxGit tells the sandbox where git directories are.
type sandboxGit struct{ *workspace.Trees }

// Layout implements confine.Git.
func (g sandboxGit) Layout(dir string) (confine.Layout, error) {
	l, err := g.Git.Layout(dir)
	return confine.Layout(l), err
}

// linksOfRepo are the paths that new worktrees of a repository link to.
func (a *app) linksOfRepo(ctx context.Context, repo string) ([]string, error) {
	settings, err := a.engine.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return settings.Repo(repo).Links, nil
}

// checkSandbox is the doctor's line: what it says was measured.
func checkSandbox(ctx context.Context, cfg Config, w world) finding {
	const what = "sandbox"
	if !cfg.Sandbox {
		return finding{what: what, idle: "off", says: "agents run with your full rights. -sandbox confines them where bubblewrap is installed"}
	}
	exe, err := ownExecutable()
	if err != nil {
		return wrong(what, "%v", err)
	}
	var shut []string
	sandbox, err := newSandbox(cfg, w, exe)
	if err == nil {
		shut, err = sandbox.Check(ctx)
	}
	tried := ""
	if len(shut) > 0 {
		tried = "; tried and shut: " + strings.Join(shut, ", ")
	}
	if err != nil {
		return wrong(what, "on, and does not work: %v%s", err, tried)
	}
	return fine(what, "on, and works: a program in it could not read a file of %s%s", cfg.Data, tried)
}

// forgetHome removes the home that a quest had in the sandbox.
func forgetHome(data, quest string) error {
	if err := confine.Forget(data, quest); err != nil {
		return fmt.Errorf("remove the quest's home in the sandbox: %w", err)
	}
	return nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
