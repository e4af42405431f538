package service_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/service"
)

// seenRepo returns a repository with one commit and a quest in worktree mode.
func seenRepo(t *testing.T) (service.Worktrees, *orchestration.Quest) {
	t.Helper()
	repo := t.TempDir()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.name", "n"}, {"config", "user.email", "e@example.com"},
		{"commit", "-q", "--allow-empty", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	trees := &workspace.Trees{Git: workspace.Git{Dir: t.TempDir()}, Root: filepath.Join(t.TempDir(), "worktrees")}
	return service.Worktrees{Trees: trees}, &orchestration.Quest{ID: "q1", Repo: repo, Branch: "main", Workspace: orchestration.WorkspaceWorktree}
}

// Once a run's changes are committed, the step's diff shows them. Once they are merged,
// the quest's diff shows them as well.
func TestDiffsShowWhatIsCommittedAndMerged(t *testing.T) {
	t.Parallel()
	d, q := seenRepo(t)
	ctx := context.Background()
	for _, step := range []string{"", "one"} {
		if _, _, err := d.Diff(ctx, q, step); orchestration.CodeOf(err) != orchestration.CodeNotFound {
			t.Errorf("before the quest began, of %q: %v", step, err)
		}
	}
	if _, err := d.Trees.Begin(ctx, refOf(q)); err != nil {
		t.Fatal(err)
	}
	dir, err := d.Trees.Dir(ctx, refOf(q), "one")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "new\nname.txt"), []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if patch, _, err := d.Diff(ctx, q, "one"); err != nil || len(patch) != 0 {
		t.Errorf("before the commit: %q, %v", patch, err)
	}
	if _, err := d.Trees.Commit(ctx, refOf(q), "one", workspace.Stamp{Run: "q1-r1", Role: "codeweaver", Summary: "greet"}); err != nil {
		t.Fatal(err)
	}
	for step, want := range map[string]bool{"one": true, "": false} {
		patch, cut, err := d.Diff(ctx, q, step)
		if got := strings.Contains(string(patch), `"b/new\nname.txt"`); err != nil || cut || got != want {
			t.Errorf("of %q: %v %v in\n%s", step, cut, err, patch)
		}
	}
	if _, err := d.Trees.Advance(ctx, refOf(q), "one", ""); err != nil {
		t.Fatal(err)
	}
	if patch, _, err := d.Diff(ctx, q, ""); err != nil || !strings.Contains(string(patch), "+hello") {
		t.Errorf("after the merge: %q, %v", patch, err)
	}
	// Somebody removes the worktree. The diff stays, because git makes it from commits.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if patch, _, err := d.Diff(ctx, q, "one"); err != nil || !strings.Contains(string(patch), "+hello") {
		t.Errorf("without the worktree: %q, %v", patch, err)
	}
}

// If there is no diff to show, the refusal names the repository.
func TestDiffsSayWhyThereAreNone(t *testing.T) {
	t.Parallel()
	d, q := seenRepo(t)
	ctx := context.Background()
	for name, c := range map[string]struct {
		change func(q *orchestration.Quest)
		code   orchestration.Code
	}{
		"shared": {func(q *orchestration.Quest) { q.Workspace = orchestration.WorkspaceShared }, orchestration.CodeConflict},
		"gone":   {func(q *orchestration.Quest) { q.Repo += "-gone" }, orchestration.CodeUnavailable},
		"no git": {func(q *orchestration.Quest) { q.Repo = t.TempDir() }, orchestration.CodeUnavailable},
	} {
		changed := *q
		c.change(&changed)
		_, _, err := d.Diff(ctx, &changed, "one")
		if orchestration.CodeOf(err) != c.code || !strings.Contains(err.Error(), changed.Repo) {
			t.Errorf("%s: %v", name, err)
		}
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := d.Diff(over, q, "one"); err == nil || orchestration.CodeOf(err) != "" {
		t.Errorf("a request that was given up: %v", err)
	}
}
