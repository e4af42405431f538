package service_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"questboard/agents"
	"questboard/agents/workspace"
	"questboard/e2e/e2etest"
	"questboard/orchestration"
	"questboard/orchestration/service"
)

// maps returns a RepoMaps whose git notes its calls in a file.
func maps(t *testing.T) (m *service.RepoMaps, calls string) {
	t.Helper()
	calls = filepath.Join(t.TempDir(), "calls")
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(t.TempDir(), "git")
	if err := e2etest.WriteProgram(exe, []byte("#!/bin/sh\necho \"$*\" >>"+calls+"\nexec "+real+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	trees := &workspace.Trees{Git: workspace.Git{Dir: t.TempDir()}, Root: filepath.Join(t.TempDir(), "worktrees")}
	trees.Git.Exe = exe
	return &service.RepoMaps{Trees: trees, Tools: &service.Toolchains{Environ: []string{"PATH=" + t.TempDir()}}}, calls
}

func mapOf(t *testing.T, m *service.RepoMaps, q *orchestration.Quest) agents.RepoMap {
	t.Helper()
	is, err := m.Map(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return is
}

func commitFile(t *testing.T, repo, name, text string) {
	t.Helper()
	write(t, filepath.Join(repo, name), text)
	git(t, repo, "add", "-A")
	git(t, repo, "commit", "-qm", name)
}

// The quest's repository may be a folder in a checkout. What lies beside it is the
// repository's, too.
func TestNoProgramOfTheCheckoutAroundTheQuestsFolderIsAsked(t *testing.T) {
	t.Parallel()
	m, _ := maps(t)
	repo := sampleRepo(t)
	if err := os.Mkdir(filepath.Join(repo, "shop"), 0o700); err != nil {
		t.Fatal(err)
	}
	commitFile(t, repo, "shop/go.mod", "module x\n\ngo 1.26\n")
	mark := filepath.Join(t.TempDir(), "started")
	if err := e2etest.WriteProgram(filepath.Join(repo, "go"), []byte("#!/bin/sh\n: >"+mark+"\necho 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	m.Tools.Environ = []string{"PATH=" + repo}
	q := &orchestration.Quest{ID: "q", Repo: filepath.Join(repo, "shop"), Workspace: orchestration.WorkspaceShared}
	if is := tool(t, mapOf(t, m, q).Tools, "go"); is.Missing || is.Version != "" {
		t.Errorf("%+v", is)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("it was started")
	}
}

// In worktree mode the map is of the commit that the quest began at; in a shared folder
// of the commit that is checked out.
func TestTheMapIsOfTheCommitThatTheQuestSees(t *testing.T) {
	t.Parallel()
	m, _ := maps(t)
	repo := sampleRepo(t)
	commitFile(t, repo, "go.mod", "module x\n\ngo 1.26\n")
	trees := &orchestration.Quest{ID: "q1", Repo: repo, Workspace: orchestration.WorkspaceWorktree}
	shared := &orchestration.Quest{ID: "q2", Repo: repo, Workspace: orchestration.WorkspaceShared}
	if is, err := m.Map(t.Context(), trees); err == nil {
		t.Errorf("before the quest began: %+v", is)
	}
	if _, err := m.Trees.Begin(t.Context(), refOf(trees)); err != nil {
		t.Fatal(err)
	}
	before := mapOf(t, m, trees)
	if is := mapOf(t, m, shared); is.Commit != before.Commit || is.Text != before.Text {
		t.Errorf("%+v\n%+v", is, before)
	}
	commitFile(t, repo, "later.go", "package later\n")
	if is := mapOf(t, m, trees); is.Commit != before.Commit || strings.Contains(is.Text, "later.go") {
		t.Errorf("the quest's: %+v", is)
	}
	if is := mapOf(t, m, shared); is.Commit == before.Commit || !strings.Contains(is.Text, "later.go") {
		t.Errorf("the folder's: %+v", is)
	}
	if len(before.Builds) != 1 || len(before.Tools) != 1 || !before.Tools[0].Missing {
		t.Errorf("%+v %+v", before.Builds, before.Tools)
	}
}

func TestACommitIsCountedOnceForAll(t *testing.T) {
	t.Parallel()
	m, calls := maps(t)
	q := &orchestration.Quest{ID: "q1", Repo: sampleRepo(t), Workspace: orchestration.WorkspaceShared}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if is, err := m.Map(t.Context(), q); err != nil || is.Text == "" {
				t.Errorf("%+v, %v", is, err)
			}
		})
	}
	all.Wait()
	said, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(said), "ls-tree"); n != 1 {
		t.Errorf("listed %d times", n)
	}
}

// Without a commit there is nothing to describe, and that is no fault. What could not be
// read is tried again.
func TestWithoutACommitThereIsNoMap(t *testing.T) {
	t.Parallel()
	m, _ := maps(t)
	q := &orchestration.Quest{ID: "q1", Repo: t.TempDir(), Workspace: orchestration.WorkspaceShared}
	if is := mapOf(t, m, q); is.Text != "" {
		t.Errorf("%+v", is)
	}
	git(t, q.Repo, "init", "-q", "-b", "main")
	if is := mapOf(t, m, q); is.Text != "" {
		t.Errorf("%+v", is)
	}
	commitFile(t, q.Repo, "a.go", "package a\n")
	objects := filepath.Join(q.Repo, ".git", "objects")
	tree := git(t, q.Repo, "rev-parse", "HEAD^{tree}")
	lost := filepath.Join(objects, tree[:2], tree[2:])
	if err := os.Rename(lost, lost+".away"); err != nil {
		t.Fatal(err)
	}
	if is, err := m.Map(t.Context(), q); err == nil {
		t.Errorf("%+v", is)
	}
	if err := os.Rename(lost+".away", lost); err != nil {
		t.Fatal(err)
	}
	if is := mapOf(t, m, q); !strings.Contains(is.Text, "a.go") {
		t.Errorf("%+v", is)
	}
}
