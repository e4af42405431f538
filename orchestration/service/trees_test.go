package service_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration"
	"questboard/orchestration/service"
)

// finished is a complete quest in a real repository. hello.txt is on its branch, and
// the base branch is checked out.
type finished struct {
	*testing.T
	service.Worktrees
	q     *orchestration.Quest
	lost  error // the error of the next submit
	bin   string
	repo  string
	wrote int // number of inputs that were committed
}

// submit plays the engine.
func (f *finished) submit(_ context.Context, _, actor string, input orchestration.InputKind) (*orchestration.Quest, error) {
	if err := f.lost; err != nil {
		f.lost = nil
		return f.q, err
	}
	done := input.(orchestration.QuestDelivered)
	q := *f.q
	q.Delivered = &orchestration.Delivery{How: done.How, Branch: done.Branch, Commit: done.Commit}
	f.q, f.wrote = &q, f.wrote+1
	return f.q, nil
}

func finish(t *testing.T, base string) *finished {
	t.Helper()
	f := &finished{T: t, bin: t.TempDir(), repo: sampleRepo(t)}
	environ := append(os.Environ(), "PATH="+f.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	f.Worktrees = service.Worktrees{Trees: &workspace.Trees{Git: workspace.Git{Dir: t.TempDir()}, Root: filepath.Join(t.TempDir(), "worktrees")}, Submit: f.submit}
	f.Trees.Git.Environ = environ
	f.q = &orchestration.Quest{ID: "quest1", Title: "Say hello", Request: "Please.", Repo: f.repo, Branch: base,
		Workspace: orchestration.WorkspaceWorktree, Phase: orchestration.PhaseComplete,
		Steps: orchestration.TableOf(&orchestration.Step{PlanStep: orchestration.PlanStep{ID: "one"}, Stage: orchestration.StageDone, Changed: []string{"hello.txt"}})}
	ref, ctx := refOf(f.q), t.Context()
	_, err := f.Trees.Begin(ctx, ref)
	dir, dirErr := f.Trees.Dir(ctx, ref, "one")
	write(t, filepath.Join(dir, "hello.txt"), "hello\n")
	_, commitErr := f.Trees.Commit(ctx, ref, "one", workspace.Stamp{Run: "quest1-r1", Role: "codeweaver", Summary: "hello"})
	_, wardErr := f.Trees.Discard(ctx, ref, "one", workspace.Stamp{Run: "quest1-r2", Role: "ward"})
	_, bringErr := f.Trees.Bring(ctx, ref, "one")
	_, advanceErr := f.Trees.Advance(ctx, ref, "one", "")
	if err := errors.Join(err, dirErr, commitErr, wardErr, bringErr, advanceErr); err != nil {
		t.Fatal(err)
	}
	return f
}

// refOf names a quest in its repository.
func refOf(q *orchestration.Quest) workspace.Ref {
	return workspace.Ref{Quest: q.ID, Repo: q.Repo, Base: q.Branch}
}

func sampleRepo(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	write(t, filepath.Join(dir, "a.txt"), "a\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=T", "-c", "user.email=t@example.com"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// refused checks that the error is a refusal with this code that contains all the words.
func refused(t *testing.T, err error, code orchestration.Code, words ...string) {
	t.Helper()
	if orchestration.CodeOf(err) != code {
		t.Errorf("%v: code %q, want %q", err, orchestration.CodeOf(err), code)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

func TestADeliveryIsRecordedAfterGitEvenAcrossACrash(t *testing.T) {
	t.Parallel()
	f := finish(t, "main")
	f.lost = errors.New("the server was killed")
	if _, err := f.Deliver(t.Context(), f.q, "user", "merge", "Say hello to all"); err == nil {
		t.Fatal("the record was not lost")
	}
	arrived := git(t, f.repo, "rev-parse", "main")
	if _, err := os.Stat(filepath.Join(f.repo, "hello.txt")); err != nil || git(t, f.repo, "status", "--porcelain") != "" {
		t.Error("the checkout does not hold the work")
	}
	if subject := git(t, f.repo, "log", "-1", "--format=%s", "main"); subject != "Say hello to all" {
		t.Errorf("the commit is called %q", subject)
	}
	for range 2 {
		q, err := f.Deliver(t.Context(), f.q, "user", "merge", "")
		if err != nil || q.Delivered == nil || *q.Delivered != (orchestration.Delivery{How: "merge", Branch: "main", Commit: arrived}) {
			t.Fatalf("%+v, %v; want the commit that has arrived", q.Delivered, err)
		}
	}
	if f.wrote != 1 || git(t, f.repo, "rev-parse", "main") != arrived {
		t.Errorf("recorded %d times, main at %s", f.wrote, git(t, f.repo, "rev-parse", "main"))
	}
}

// Closing the browser must not leave an incomplete delivery.
func TestADeliveryOutlivesItsRequest(t *testing.T) {
	t.Parallel()
	f := finish(t, "main")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if q, err := f.Deliver(ctx, f.q, "user", "fast-forward", ""); err != nil || q.Delivered == nil {
		t.Errorf("%v", err)
	}
}

func TestADeliveryThatCannotBeSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base  string
		spoil func(f *finished)
		how   string
		says  []string
	}{
		"dirty": {"main", func(f *finished) { write(t, filepath.Join(f.repo, "a.txt"), "mine\n") }, "merge",
			[]string{"uncommitted changes", "commit, stash or move", `a.txt`}},
		"conflict": {"main", func(f *finished) { f.commit("hello.txt", "hi\n") }, "merge",
			[]string{"conflict", "hello.txt", "Merge quest/quest1 into main by hand", "merge here again"}},
		"moved on":    {"main", func(f *finished) { f.commit("b.txt", "b\n") }, "fast-forward", []string{"main has new commits", "choose Merge commit or Squash"}},
		"from commit": {"HEAD", func(f *finished) { f.q.Branch = git(t, f.repo, "rev-parse", "HEAD") }, "merge", []string{"not a branch", "quest/quest1", "patch"}},
		"goes on":     {"main", func(f *finished) { f.q.Phase = orchestration.PhaseSteps }, "merge", []string{"not complete yet"}},
		"abandoned":   {"main", func(f *finished) { f.q.Abandoned = true }, "merge", []string{"abandoned", "branch quest/quest1"}},
		"shared":      {"main", func(f *finished) { f.q.Workspace = orchestration.WorkspaceShared }, "merge", []string{"in the repository itself"}},
		"repository gone": {"main", func(f *finished) { f.q.Repo = filepath.Join(f.repo, "gone") }, "merge",
			[]string{"the git repository at", "put it back"}},
		"never begun": {"main", func(f *finished) { f.q.ID = "quest2" }, "merge", []string{"has no branch"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := finish(t, c.base)
			c.spoil(f)
			before := git(t, f.repo, "status", "--porcelain", "--branch") + git(t, f.repo, "rev-parse", "main")
			_, err := f.Deliver(t.Context(), f.q, "user", c.how, "")
			refused(t, err, orchestration.CodeConflict, c.says...)
			if f.wrote != 0 || git(t, f.repo, "status", "--porcelain", "--branch")+git(t, f.repo, "rev-parse", "main") != before {
				t.Error("a refusal changed something")
			}
		})
	}
}

func (f *finished) commit(name, text string) {
	write(f.T, filepath.Join(f.repo, name), text)
	git(f.T, f.repo, "add", "-A")
	git(f.T, f.repo, "commit", "-q", "-m", name)
}

// After a person has resolved the conflict by hand, delivering records that the work
// has arrived.
func TestAConflictSettledByHandIsADelivery(t *testing.T) {
	t.Parallel()
	f := finish(t, "main")
	f.commit("hello.txt", "hi\n")
	git(t, f.repo, "merge", "-q", "-s", "ours", "-m", "by hand", "quest/quest1")
	q, err := f.Deliver(t.Context(), f.q, "user", "merge", "")
	if err != nil || q.Delivered.Commit != git(t, f.repo, "rev-parse", "main") {
		t.Errorf("%+v, %v", q.Delivered, err)
	}
}

func TestAPushOpensAPullRequestOrSaysHow(t *testing.T) {
	t.Parallel()
	f := finish(t, "main")
	_, err := f.Push(t.Context(), f.q)
	refused(t, err, orchestration.CodeConflict, "no remote")
	bare := filepath.Join(t.TempDir(), "bare")
	git(t, f.repo, "init", "-q", "--bare", bare)
	git(t, f.repo, "remote", "add", "origin", bare)
	gh := filepath.Join(f.bin, "gh")
	script := func(text string) {
		if err := os.WriteFile(gh, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script("echo 'not logged in' >&2; exit 4")
	done, err := f.Push(t.Context(), f.q)
	if err != nil || done.Branch != "quest/quest1" || done.Remote != "origin" || done.PullRequest != "" ||
		!strings.Contains(done.Note, "not logged in") || !strings.Contains(done.Command, "gh pr create") {
		t.Errorf("gh that is not logged in: %+v, %v", done, err)
	}
	if git(t, bare, "rev-parse", "quest/quest1") != git(t, f.repo, "rev-parse", "quest/quest1") {
		t.Error("nothing was pushed")
	}
	script("echo https://example.com/pull/7")
	if done, err = f.Push(t.Context(), f.q); err != nil || done.PullRequest != "https://example.com/pull/7" || done.Note != "" {
		t.Errorf("gh: %+v, %v", done, err)
	}
	git(t, f.repo, "remote", "set-url", "origin", filepath.Join(bare, "nowhere"))
	_, err = f.Push(t.Context(), f.q)
	refused(t, err, orchestration.CodeConflict, "By hand: git -C", "push -u")
	f.q.Phase = orchestration.PhaseReview
	_, err = f.Push(t.Context(), f.q)
	refused(t, err, orchestration.CodeConflict, "not complete yet")
}

func TestKeptWorkOfAnotherQuestIsNotRestored(t *testing.T) {
	t.Parallel()
	f := finish(t, "main")
	dir, err := f.Trees.Dir(t.Context(), refOf(f.q), "two")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "draft.txt"), "half\n")
	if err := f.Trees.Remove(t.Context(), refOf(f.q), "two"); err != nil {
		t.Fatal(err)
	}
	kept, err := f.Kept(t.Context(), f.q)
	if err != nil || len(kept) != 1 || kept[0].Step != "two" || kept[0].Label != "uncommitted" || kept[0].At.IsZero() {
		t.Fatalf("kept %+v, %v", kept, err)
	}
	ref := kept[0].Ref
	refused(t, f.Restore(t.Context(), f.q, "refs/heads/main", "x"), orchestration.CodeNotFound)
	other := *f.q
	other.ID = "quest2"
	refused(t, f.Restore(t.Context(), &other, ref, "x"), orchestration.CodeNotFound)
	for _, branch := range []string{"-x", "a..b", "a b", "x.lock"} {
		refused(t, f.Restore(t.Context(), f.q, ref, branch), orchestration.CodeInvalid, "branch", "git does not accept this branch name")
	}
	refused(t, f.Restore(t.Context(), f.q, ref, "main"), orchestration.CodeInvalid, "branch", "another name")
	if err := f.Restore(t.Context(), f.q, ref, "kept/two"); err != nil || git(t, f.repo, "show", "kept/two:draft.txt") != "half" {
		t.Errorf("restored: %v", err)
	}
}

func TestPlacesDiskAndPatch(t *testing.T) {
	t.Parallel()
	f := finish(t, "main")
	place := f.Place(f.q, "one")
	if _, err := os.Stat(place.Dir); err != nil || !place.Exists || filepath.Dir(place.Dir) != f.Root(f.q) {
		t.Errorf("%+v below %s: %v", place, f.Root(f.q), err)
	}
	if size, err := f.Disk(t.Context(), f.q); err != nil || size < 4096 {
		t.Errorf("%d bytes, %v", size, err)
	}
	if patch, err := f.Patch(t.Context(), f.q); err != nil || !strings.Contains(string(patch), "+hello") {
		t.Errorf("%s, %v", patch, err)
	}
	f.q.Workspace = orchestration.WorkspaceShared
	kept, err := f.Kept(t.Context(), f.q)
	if place := f.Place(f.q, "one"); place.Dir != "" || place.Exists || f.Root(f.q) != "" || len(kept) > 0 || err != nil {
		t.Errorf("a shared tree: %+v, %v, %v", place, kept, err)
	}
	_, err = f.Patch(t.Context(), f.q)
	refused(t, err, orchestration.CodeConflict, "in the repository itself")
}

func TestForgettingWorksWithoutTheRepository(t *testing.T) {
	t.Parallel()
	f := finish(t, "main")
	if err := f.Forget(t.Context(), orchestration.DeletionOf(f.q), false); err != nil {
		t.Fatal(err)
	}
	if branches := git(t, f.repo, "for-each-ref", "--format=%(refname)", "refs/heads"); branches != "refs/heads/main" {
		t.Errorf("branches left: %s", branches)
	}
	if kept, err := f.Kept(t.Context(), f.q); err != nil || len(kept) != 1 {
		t.Errorf("kept %v, %v: want the branch that was never merged", kept, err)
	}
	for how, lose := range map[string]func(f *finished) error{
		"removed": func(f *finished) error { return os.RemoveAll(f.repo) },
		"made bare": func(f *finished) error {
			git(t, f.repo, "config", "core.bare", "true")
			return nil
		},
	} {
		f = finish(t, "main")
		if err := lose(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Forget(t.Context(), orchestration.DeletionOf(f.q), true); err == nil {
			t.Errorf("%s: later, a repository that is not there may come back", how)
		} else if _, err := os.Stat(f.Root(f.q)); err != nil {
			t.Error(err)
		}
		if err := f.Forget(t.Context(), orchestration.DeletionOf(f.q), false); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(f.Root(f.q)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the worktrees are still there: %v", how, err)
		}
	}
}
