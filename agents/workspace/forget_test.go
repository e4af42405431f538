package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration/record"
)

// busy returns a quest with a merged step, a committed step, a step with uncommitted
// files, and a step that was given up.
func busy(t *testing.T) *treesTest {
	t.Helper()
	g := newTreesTest(t, repo(t))
	for _, step := range []string{"merged", "committed", "loose", "over"} {
		put(t, g.dir(step), step+".txt", step+"\n")
	}
	g.commit("merged")
	g.advance("merged")
	g.commit("committed")
	g.commit("over")
	if err := g.trees.Remove(t.Context(), g.ref, "over"); err != nil {
		t.Fatal(err)
	}
	put(t, g.dir("plan"), "scribble.txt", "a reader's\n")
	return g
}

func (g *treesTest) forget(what workspace.Forgetting) {
	g.Helper()
	if err := g.trees.Forget(g.Context(), g.ref, what); err != nil {
		g.Fatal(err)
	}
}

// keptFiles returns the files in the kept work, each with its step.
func (g *treesTest) keptFiles() string {
	g.Helper()
	kept, err := g.trees.Kept(g.Context(), g.ref.Repo, g.ref.Quest)
	if err != nil {
		g.Fatal(err)
	}
	var all []string
	for _, k := range kept {
		for name := range strings.Lines(gitOutput(g.T, g.ours(), "ls-tree", "-r", "--name-only", k.Commit)) {
			all = append(all, k.Step+"/"+strings.TrimSpace(name))
		}
	}
	return strings.Join(all, " ")
}

func (g *treesTest) steps() []string {
	g.Helper()
	steps, err := g.trees.Steps(g.Context(), g.ref)
	if err != nil {
		g.Fatal(err)
	}
	return steps
}

func TestAForgottenQuestLosesNothing(t *testing.T) {
	t.Parallel()
	g := busy(t)
	if got := g.steps(); !slices.Equal(got, []string{"committed", "loose", "merged"}) {
		t.Errorf("lines: %q", got)
	}
	user := usersOwn(t, g.ref.Repo)
	for range 2 {
		g.forget(workspace.Forgetting{})
		if got := g.steps(); len(got) > 0 {
			t.Errorf("lines are left: %q", got)
		}
		if _, err := os.Stat(filepath.Join(g.trees.Root, "q1")); err == nil {
			t.Error("the quest's folder is left")
		}
		if got := gitOutput(t, g.ref.Repo, "branch", "--list", "--format=%(refname:short)"); got != "main\nquest/q1" {
			t.Errorf("branches: %q", got)
		}
	}
	kept := g.keptFiles()
	for _, want := range []string{"committed/committed.txt", "loose/loose.txt", "over/over.txt", "_quest/scribble.txt"} {
		if !strings.Contains(kept, want) {
			t.Errorf("%s is not kept: %s", want, kept)
		}
	}
	if !slices.Equal(user, usersOwn(t, g.ref.Repo)) {
		t.Error("the user's checkout, index, stash or settings changed")
	}
	// A follow-up makes the trees again.
	if got := read(t, g.dir("again"), "merged.txt"); got != "merged\n" {
		t.Errorf("a new line does not stand on the quest's branch: %q", got)
	}
}

func TestAForgottenBranchIsKeptUnlessAnotherHoldsIt(t *testing.T) {
	t.Parallel()
	for how, want := range map[workspace.How]bool{"": true, workspace.Squash: true, workspace.FastForward: false, workspace.MergeCommit: false} {
		g := busy(t)
		tip := gitOutput(t, g.ref.Repo, "rev-parse", "quest/q1")
		if how != "" {
			if _, err := g.deliver(how); err != nil {
				t.Fatal(err)
			}
		}
		main := gitOutput(t, g.ref.Repo, "rev-parse", "main")
		for range 2 {
			g.forget(workspace.Forgetting{Branch: true})
		}
		refs := gitOutput(t, g.ref.Repo, "for-each-ref", "--format=%(refname)")
		all, err := g.trees.Kept(t.Context(), g.ref.Repo, "q1")
		if err != nil {
			t.Fatal(err)
		}
		is := slices.ContainsFunc(all, func(k record.Kept) bool { return k.Step == "_quest" && k.Label == "branch" })
		if kept := "refs/questboard/kept/q1/_quest/branch"; is != want {
			t.Errorf("%q: kept or not? %+v", how, all)
		} else if want {
			if err := g.trees.Restore(t.Context(), g.ref.Repo, kept, "quest/q1"); err != nil {
				t.Error(err)
			}
			if got := gitOutput(t, g.ref.Repo, "rev-parse", "quest/q1"); got != tip {
				t.Errorf("%q: restored at %s, was %s", how, got, tip)
			}
			git(t, g.ref.Repo, "branch", "-D", "quest/q1")
		}
		for ref := range strings.Lines(refs) {
			if ref = strings.TrimSpace(ref); ref != "refs/heads/main" {
				t.Errorf("%q: %s is left", how, ref)
			}
		}
		if got := gitOutput(t, g.ref.Repo, "rev-parse", "main"); got != main {
			t.Errorf("%q: main moved", how)
		}
		if _, err := g.trees.Begin(t.Context(), g.ref); err != nil {
			t.Errorf("%q: begun anew: %v", how, err)
		}
	}
}

// A deletion that is finished only at a later start removes no branch that somebody has
// used since, and no branch of that name that was never ours.
func TestALateForgettingLeavesABranchThatMoved(t *testing.T) {
	t.Parallel()
	late := workspace.Forgetting{Branch: true, Unmoved: true}
	g := busy(t)
	g.forget(workspace.Forgetting{})
	left := gitOutput(t, g.ref.Repo, "rev-parse", "quest/q1")
	git(t, g.ref.Repo, "branch", "-f", "quest/q1", gitOutput(t, g.ref.Repo, "commit-tree", "-m", "mine", "-p", left, left+"^{tree}"))
	mine := gitOutput(t, g.ref.Repo, "rev-parse", "quest/q1")
	g.forget(late)
	if got := gitOutput(t, g.ref.Repo, "rev-parse", "quest/q1"); got != mine {
		t.Errorf("somebody's branch is at %q, was at %s", got, mine)
	}
	git(t, g.ref.Repo, "branch", "-f", "quest/q1", left)
	g.forget(late)
	if got := gitOutput(t, g.ref.Repo, "branch", "--list", "--format=%(refname:short)"); got != "main" {
		t.Errorf("branches left: %q", got)
	}
	git(t, g.ref.Repo, "branch", "quest/q1", left)
	g.forget(late)
	if got := gitOutput(t, g.ref.Repo, "rev-parse", "quest/q1"); got != left {
		t.Errorf("a branch that was not ours is at %q", got)
	}
}

func TestABranchSomebodyIsOnIsNotForgotten(t *testing.T) {
	t.Parallel()
	g := busy(t)
	g.forget(workspace.Forgetting{})
	git(t, g.ref.Repo, "checkout", "-q", "quest/q1")
	own := usersOwn(t, g.ref.Repo)
	err := g.trees.Forget(t.Context(), g.ref, workspace.Forgetting{Branch: true})
	if !errors.Is(err, workspace.ErrInUse) || !strings.Contains(err.Error(), g.ref.Repo) {
		t.Errorf("%v", err)
	}
	if !slices.Equal(own, usersOwn(t, g.ref.Repo)) || gitOutput(t, g.ref.Repo, "status", "--porcelain") != "" {
		t.Error("the user's checkout changed")
	}
	put(t, g.dir("late"), "late.txt", "late\n")
	g.commit("late")
	done, err := g.trees.Advance(t.Context(), g.ref, "late", "")
	if err != nil || !strings.Contains(done.Unpublished, g.ref.Repo) || !slices.Equal(own, usersOwn(t, g.ref.Repo)) {
		t.Errorf("under the user's feet: %+v, %v", done, err)
	}
	git(t, g.ref.Repo, "checkout", "-q", "main")
	if g.advance("late"); gitOutput(t, g.ref.Repo, "rev-parse", "quest/q1") != done.Commit {
		t.Error("the branch is free, and does not follow")
	}
	g.forget(workspace.Forgetting{Branch: true})
}

// A branch with the quest's name that we did not make is never deleted.
func TestAQuestThatNeverBeganForgetsNothing(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	git(t, dir, "branch", "quest/q1")
	g := &treesTest{T: t, trees: newTrees(t.TempDir()), ref: workspace.Ref{Quest: "q1", Repo: dir}}
	g.forget(workspace.Forgetting{Branch: true})
	gitOutput(t, dir, "rev-parse", "--verify", "quest/q1")
}

func TestWorktreesThatSomebodyDeletedAreForgotten(t *testing.T) {
	t.Parallel()
	g := busy(t)
	detached := g.dir("committed")
	git(t, detached, "checkout", "-q", "--detach")
	put(t, detached, "beside.txt", "b\n")
	git(t, detached, "add", "-A")
	git(t, detached, "commit", "-q", "-m", "beside the branch")
	git(t, g.dir("loose"), "add", "-A")
	git(t, g.dir("plan"), "checkout", "-q", "--detach")
	git(t, g.dir("plan"), "commit", "-q", "--allow-empty", "-m", "the planner's")
	planners := gitOutput(t, g.dir("plan"), "rev-parse", "HEAD")
	if err := os.RemoveAll(filepath.Join(g.trees.Root, "q1")); err != nil {
		t.Fatal(err)
	}
	// Somebody has also deleted our records.
	git(t, g.ours(), "update-ref", "-d", "refs/questboard/tip/q1/committed")
	g.forget(workspace.Forgetting{})
	kept := g.keptFiles()
	for _, want := range []string{"committed/committed.txt", "committed/beside.txt", "loose/loose.txt"} {
		if !strings.Contains(kept, want) {
			t.Errorf("%s is not kept: %s", want, kept)
		}
	}
	if got := gitOutput(t, g.ours(), "for-each-ref", "--contains", planners); got == "" {
		t.Error("no ref leads to the planner's commit")
	}
	if got := gitOutput(t, g.ours(), "worktree", "list"); strings.Contains(got, "_quest") {
		t.Errorf("git knows of %s", got)
	}
}

func TestTheFolderOfAVanishedRepositoryGoesOnlyWhenTold(t *testing.T) {
	t.Parallel()
	g := busy(t)
	gone := g.ref.Repo + "-moved"
	if err := g.trees.RemoveFolder(t.Context(), "q1"); !errors.Is(err, workspace.ErrInUse) || !strings.Contains(err.Error(), g.ref.Repo) {
		t.Errorf("the repository is there: %v", err)
	}
	if err := os.Rename(g.ref.Repo, gone); err != nil {
		t.Fatal(err)
	}
	err := g.trees.Forget(t.Context(), g.ref, workspace.Forgetting{Branch: true})
	if !errors.Is(err, workspace.ErrGone) || !strings.Contains(err.Error(), g.ref.Repo) {
		t.Errorf("%v", err)
	}
	if err := os.Mkdir(g.ref.Repo, 0o700); err != nil {
		t.Fatal(err)
	}
	err = g.trees.Forget(t.Context(), g.ref, workspace.Forgetting{})
	if !errors.Is(err, workspace.ErrNotGit) || !strings.Contains(err.Error(), g.ref.Repo) {
		t.Errorf("%v", err)
	}
	if got := read(t, g.trees.Root, "q1/loose/loose.txt"); got != "loose\n" {
		t.Error("the files are gone")
	}
	if got, err := g.trees.Quests(); err != nil || !slices.Equal(got, []string{"q1"}) {
		t.Errorf("quests with folders: %q, %v", got, err)
	}
	if repo, err := g.trees.Repository(t.Context(), "q1"); err != nil || repo != "" {
		t.Errorf("the repository is %q, %v", repo, err)
	}
	for range 2 {
		if err := g.trees.RemoveFolder(t.Context(), "q1"); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := g.trees.Quests(); err != nil || got != nil {
		t.Errorf("quests with folders: %q, %v", got, err)
	}
	for _, name := range []string{"", "..", "_turns", "a/b"} {
		if err := g.trees.RemoveFolder(t.Context(), name); !errors.Is(err, workspace.ErrName) {
			t.Errorf("folder %q: %v", name, err)
		}
	}
	// The repository comes back at another place, without the folders.
	g.ref.Repo = gone
	g.forget(workspace.Forgetting{})
	if kept := g.keptFiles(); !strings.Contains(kept, "committed/committed.txt") {
		t.Errorf("kept: %s", kept)
	}
}

// A quest's repository is found through its worktrees, and the quest is forgotten there.
func TestAQuestIsForgottenByItsFolder(t *testing.T) {
	t.Parallel()
	g := busy(t)
	repo, err := g.trees.Repository(t.Context(), "q1")
	if err != nil || repo != g.ref.Repo {
		t.Fatalf("%q, %v", repo, err)
	}
	if err := g.trees.Forget(t.Context(), workspace.Ref{Quest: "q1", Repo: repo}, workspace.Forgetting{Branch: true}); err != nil {
		t.Fatal(err)
	}
	if kept := g.keptFiles(); !strings.Contains(kept, "loose/loose.txt") || !strings.Contains(kept, "_quest/merged.txt") {
		t.Errorf("kept: %s", kept)
	}
	if got := gitOutput(t, g.ref.Repo, "branch"); got != "* main" {
		t.Errorf("branches: %s", got)
	}
}
