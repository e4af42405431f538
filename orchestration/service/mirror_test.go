package service_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/service"
)

// A host must know that git was ended only because the server stops: the next server does it.
func TestACopySaysThatTheServerStops(t *testing.T) {
	t.Parallel()
	hangs := filepath.Join(t.TempDir(), "git")
	if err := os.WriteFile(hangs, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ending := make(chan struct{})
	close(ending)
	trees := &workspace.Trees{Git: workspace.Git{Dir: t.TempDir()}, Root: filepath.Join(t.TempDir(), "worktrees")}
	trees.Git.Exe, trees.Git.Ending = hangs, ending
	err := service.Mirror{Trees: trees}.Begin(t.Context(), &orchestration.Quest{ID: "abc", Repo: sampleRepo(t), Branch: "main"})
	if !errors.Is(err, engine.ErrStopped) {
		t.Error(err)
	}
}
