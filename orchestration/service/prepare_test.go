package service_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/engine"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

// worktreeQuest is a quest in worktree mode in a real repository.
type worktreeQuest struct {
	*testing.T
	service.Workspaces
	repo  string
	q     *orchestration.Quest
	notes []string
}

func sow(t *testing.T) *worktreeQuest {
	t.Helper()
	n := &worktreeQuest{T: t, repo: sampleRepo(t)}
	write(t, filepath.Join(n.repo, ".gitignore"), "node_modules\n.env\n")
	git(t, n.repo, "add", "-A")
	git(t, n.repo, "commit", "-q", "-m", "ignore")
	n.Workspaces = service.Workspaces{Trees: &workspace.Trees{Git: workspace.Git{Dir: t.TempDir()}, Root: filepath.Join(t.TempDir(), "worktrees")},
		Note: func(run, text string) { n.notes = append(n.notes, run+": "+text) }}
	n.q = orchestration.Restore(&orchestration.Quest{ID: "quest1", Title: "Say hello", Repo: n.repo, Branch: "main",
		Workspace: orchestration.WorkspaceWorktree})
	return n
}

func (n *worktreeQuest) dir(step string) string {
	n.Helper()
	dir, err := n.Dir(n.Context(), n.q, step)
	if err != nil {
		n.Fatal(err)
	}
	return dir
}

func runFor(step string) *orchestration.Run {
	return &orchestration.Run{ID: "quest1-r1", Launch: orchestration.Launch{Role: orchestration.Codeweaver, Step: step}}
}

// prepare returns the command that must still run.
func (n *worktreeQuest) prepare(step string, needs record.RepoSettings) engine.Setup {
	n.Helper()
	n.dir(step)
	setup, err := n.Prepare(n.Context(), n.q, runFor(step), needs)
	if err != nil {
		n.Fatal(err)
	}
	return setup
}

func (n *worktreeQuest) done(s engine.Setup) {
	n.Helper()
	if err := s.Done(n.Context()); err != nil {
		n.Fatal(err)
	}
}

func TestATreeGetsWhatTheRepositoryNeedsOnce(t *testing.T) {
	t.Parallel()
	n := sow(t)
	needs := record.RepoSettings{Path: n.repo, Setup: " npm ci ", Links: []string{"node_modules"}, Copies: []string{".env"}}
	write(t, filepath.Join(n.repo, ".env"), "KEY=1\n")
	if err := os.Mkdir(filepath.Join(n.repo, "node_modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	first := n.prepare("one", needs)
	if first.Command != "npm ci" {
		t.Errorf("command %q", first.Command)
	}
	if again := n.prepare("one", needs); again.Command != "npm ci" {
		t.Errorf("after a set-up that was not done, command %q", again.Command)
	}
	if to, err := os.Readlink(filepath.Join(n.dir("one"), "node_modules")); err != nil || to != filepath.Join(n.repo, "node_modules") {
		t.Errorf("node_modules leads to %q: %v", to, err)
	}
	if text, err := os.ReadFile(filepath.Join(n.dir("one"), ".env")); err != nil || string(text) != "KEY=1\n" {
		t.Errorf(".env holds %q: %v", text, err)
	}
	n.done(first)
	if again := n.prepare("one", needs); again.Command != "" {
		t.Errorf("done, and still to run: %q", again.Command)
	}
	if other := n.prepare("two", needs); other.Command != "npm ci" {
		t.Errorf("another tree: %q", other.Command)
	}
	needs.Setup = "npm ci --offline"
	if changed := n.prepare("one", needs); changed.Command != needs.Setup {
		t.Errorf("a command that was changed: %q", changed.Command)
	}
	if err := n.Release(t.Context(), n.q, "one"); err != nil {
		t.Fatal(err)
	}
	needs.Setup = "npm ci"
	if again := n.prepare("one", needs); again.Command != "npm ci" {
		t.Errorf("a tree that was made again: %q", again.Command)
	}
}

func TestWhatASetupChangesIsUndoneUnlessWorkIsThere(t *testing.T) {
	t.Parallel()
	n := sow(t)
	needs := record.RepoSettings{Path: n.repo, Setup: "npm install"}
	fresh := n.prepare("one", needs)
	write(t, filepath.Join(n.dir("one"), "a.txt"), "changed by npm\n")
	write(t, filepath.Join(n.dir("one"), ".env"), "ignored\n")
	n.done(fresh)
	if status := git(t, n.dir("one"), "status", "--porcelain"); status != "" {
		t.Errorf("left:\n%s", status)
	}
	if _, err := os.Stat(filepath.Join(n.dir("one"), ".env")); err != nil {
		t.Errorf("what git ignores is gone: %v", err)
	}
	if len(n.notes) != 1 || !strings.Contains(n.notes[0], `"a.txt"`) {
		t.Errorf("notes %q", n.notes)
	}
	write(t, filepath.Join(n.dir("one"), "work.txt"), "an agent's, from before a kill\n")
	needs.Setup = "npm install --force"
	again := n.prepare("one", needs)
	write(t, filepath.Join(n.dir("one"), "a.txt"), "changed by npm\n")
	n.done(again)
	if status := git(t, n.dir("one"), "status", "--porcelain"); !strings.Contains(status, "work.txt") {
		t.Errorf("an agent's work was undone:\n%s", status)
	}
}

// A set-up that fails, is stopped or dies with the server never reports that it is done.
func TestWhatASetupThatWasCutShortChangedIsNobodysWork(t *testing.T) {
	t.Parallel()
	n := sow(t)
	needs := record.RepoSettings{Path: n.repo, Setup: "npm install"}
	status := func() string { return git(t, n.dir("one"), "status", "--porcelain") }
	cutShort := func() {
		t.Helper()
		if n.prepare("one", needs).Command == "" {
			t.Fatal("no set-up is to run")
		}
		write(t, filepath.Join(n.dir("one"), "a.txt"), "changed by npm\n")
	}
	cutShort()
	again := n.prepare("one", needs)
	write(t, filepath.Join(n.dir("one"), "a.txt"), "changed by npm\n")
	n.done(again)
	if left := status(); left != "" {
		t.Errorf("after a set-up that followed one that was cut short:\n%s", left)
	}
	needs.Setup = "npm install --force"
	cutShort()
	none := record.RepoSettings{Path: n.repo}
	n.prepare("one", none)
	if left := status(); left != "" {
		t.Errorf("after the command was removed from the settings:\n%s", left)
	}
	write(t, filepath.Join(n.dir("one"), "work.txt"), "an agent's, from before a kill\n")
	n.prepare("one", none)
	n.done(n.prepare("one", needs))
	if left := status(); !strings.Contains(left, "work.txt") {
		t.Errorf("an agent's work was undone:\n%s", left)
	}
}

// A person may mend what made the set-up fail in the tree, and press Retry.
func TestWhatAPersonChangesAfterASetupThatFailedStays(t *testing.T) {
	t.Parallel()
	n := sow(t)
	needs := record.RepoSettings{Path: n.repo, Setup: "npm install"}
	failed := n.prepare("one", needs)
	write(t, filepath.Join(n.dir("one"), "a.txt"), "changed by npm\n")
	if err := failed.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(n.dir("one"), "package.json"), "{}\n")
	n.done(n.prepare("one", needs))
	if status := git(t, n.dir("one"), "status", "--porcelain"); !strings.Contains(status, "package.json") || strings.Contains(status, "a.txt") {
		t.Errorf("the tree has\n%s", status)
	}
}

// The check that follows a person's work commits it. What a set-up that died with the server changed in
// the tree is not theirs.
func TestWhatASetupThatWasCutShortChangedIsNotCommittedAsAPersons(t *testing.T) {
	t.Parallel()
	n := sow(t)
	needs := record.RepoSettings{Path: n.repo, Setup: "npm install"}
	check := &orchestration.Run{ID: "quest1-r1", Launch: orchestration.Launch{Role: orchestration.Ward, Step: "one", Brief: orchestration.Brief{ByHand: true}}}
	n.dir("one")
	for range 2 {
		if _, err := n.Prepare(t.Context(), n.q, check, needs); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(n.dir("one"), "a.txt"), "changed by npm\n")
	}
	if has := git(t, n.dir("one"), "show", "HEAD:a.txt"); strings.Contains(has, "npm") {
		t.Errorf("the branch has %q", has)
	}
}

// Nobody can tell the set-up's changes from those of a person who is at work already.
func TestWhoTakesATreeOverAfterASetupThatWasCutShortKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	n := sow(t)
	needs := record.RepoSettings{Path: n.repo, Setup: "npm install"}
	n.prepare("one", needs)
	write(t, filepath.Join(n.dir("one"), "by-hand.go"), "package hello\n")
	for range 2 { // and again after a restart
		if _, err := n.Prepare(t.Context(), n.q, &orchestration.Run{Launch: orchestration.Launch{Step: "one"}}, needs); err != nil {
			t.Fatal(err)
		}
	}
	n.done(n.prepare("one", needs))
	if status := git(t, n.dir("one"), "status", "--porcelain"); !strings.Contains(status, "by-hand.go") {
		t.Errorf("a person's work was undone:\n%s", status)
	}
}

func TestATreeThatCannotGetALinkSaysSo(t *testing.T) {
	t.Parallel()
	n := sow(t)
	n.dir("one")
	write(t, filepath.Join(n.repo, "plain.txt"), "git does not ignore it\n")
	_, err := n.Prepare(t.Context(), n.q, runFor("one"), record.RepoSettings{Links: []string{"plain.txt"}})
	if err == nil || !strings.Contains(err.Error(), "plain.txt") {
		t.Errorf("it was linked: %v", err)
	}
	n.q.Workspace = orchestration.WorkspaceShared
	if setup, err := n.Prepare(t.Context(), n.q, runFor("one"), record.RepoSettings{Setup: "npm ci"}); err != nil || setup.Command != "" {
		t.Errorf("a shared tree: %+v, %v", setup, err)
	}
}

func TestARepositoryWithinATreeIsTold(t *testing.T) {
	t.Parallel()
	n := sow(t)
	inner := filepath.Join(n.dir("one"), "vendor")
	git(t, n.dir("one"), "init", "-q", inner)
	write(t, filepath.Join(inner, "x"), "x\n")
	git(t, inner, "add", "-A")
	git(t, inner, "commit", "-q", "-m", "x")
	write(t, filepath.Join(n.dir("one"), "new.txt"), "new\n")
	saved, err := n.SaveWork(t.Context(), n.q, runFor("one"))
	if err != nil || !slices.Equal(saved.Changed, []string{"new.txt"}) {
		t.Fatalf("%+v, %v", saved, err)
	}
	if len(n.notes) != 1 || !strings.HasPrefix(n.notes[0], "quest1-r1: not committed") || !strings.Contains(n.notes[0], `"vendor`) {
		t.Errorf("notes %q", n.notes)
	}
}
