package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
	"questboard/e2e/e2etest"
)

func TestARepositoryThatCannotBeginSaysWhy(t *testing.T) {
	t.Parallel()
	begin := func(ref workspace.Ref) error { _, err := newTrees(t.TempDir()).Begin(t.Context(), ref); return err }
	empty, bare := t.TempDir(), filepath.Join(t.TempDir(), "bare")
	git(t, empty, "init", "-q")
	git(t, empty, "init", "-q", "--bare", bare)
	_, main := withBare(t, ".git")
	named := filepath.Dir(main)
	must(t, os.Mkdir(filepath.Join(named, "sub"), 0o700))
	taken, quest, dir := repo(t), repo(t), repo(t)
	git(t, taken, "branch", "quest/q1")
	git(t, quest, "branch", "quest")
	for _, c := range []struct {
		ref  workspace.Ref
		want error
	}{
		{workspace.Ref{Quest: "q1", Repo: empty}, workspace.ErrNoCommit},
		{workspace.Ref{Quest: "q1", Repo: bare}, workspace.ErrBare},
		{workspace.Ref{Quest: "q1", Repo: named}, workspace.ErrBare},
		{workspace.Ref{Quest: "q1", Repo: filepath.Join(named, "sub")}, workspace.ErrBare},
		{workspace.Ref{Quest: "q1", Repo: t.TempDir()}, workspace.ErrNotGit},
		{workspace.Ref{Quest: "q1", Repo: taken}, workspace.ErrBranchTaken},
		{workspace.Ref{Quest: "q1", Repo: quest}, workspace.ErrBranchTaken},
	} {
		if err := begin(c.ref); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.ref.Repo, err, c.want)
		}
	}
	for _, name := range append(oddNames, "", "..", "a/b", "-x", ".a", "a..b", "a.lock", "_quest", strings.Repeat("a", 200)) {
		if err := begin(workspace.Ref{Quest: name, Repo: dir}); !errors.Is(err, workspace.ErrName) {
			t.Errorf("quest %q: %v", name, err)
		}
	}
	own := usersOwn(t, dir)
	for _, base := range append(oddNames, "--exec=touch x", "-h", "none", "main^{tree}", "main..main", "HEAD:a.txt") {
		if err := begin(workspace.Ref{Quest: "q1", Repo: dir, Base: base}); err == nil {
			t.Errorf("base %q was taken", base)
		}
	}
	if string(own) != string(usersOwn(t, dir)) {
		t.Error("the repository changed")
	}
	if err := begin(workspace.Ref{Quest: "q1", Repo: dir}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"", "..", "a/b", "-x", "_quest2", "a.lock", "a\nb"} {
		if _, err := newTrees(t.TempDir()).Dir(t.Context(), workspace.Ref{Quest: "q1", Repo: dir}, step); !errors.Is(err, workspace.ErrName) {
			t.Errorf("line %q: %v", step, err)
		}
	}
}

func TestAQuestStartsWhereItIsTold(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	first := gitOutput(t, dir, "rev-parse", "HEAD")
	git(t, dir, "tag", "quest/q1", first) // a tag with the branch's name must make no difference
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "second")
	put(t, dir, "sub/f", "x")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "third")
	git(t, dir, "checkout", "-q", "--detach")
	trees := newTrees(t.TempDir())
	for quest, c := range map[string]struct{ base, want string }{"q1": {"", "HEAD"}, "q2": {"main~1", "main~1"}, "q3": {first, first}, "quest": {"main", "main"}} {
		ref := workspace.Ref{Quest: quest, Repo: filepath.Join(dir, "sub"), Base: c.base}
		base, err := trees.Begin(t.Context(), ref)
		if want := gitOutput(t, dir, "rev-parse", c.want); err != nil || base != want {
			t.Errorf("%s: %s, %v, want %s", quest, base, err, want)
		}
		for _, step := range []string{"plan", "quest", "one"} { // a step may have the id "quest"
			home, err := trees.Dir(t.Context(), ref, step)
			if err != nil || filepath.Base(home) != "sub" || gitOutput(t, home, "rev-parse", "HEAD") != base {
				t.Errorf("%s/%s: %s, %v", quest, step, home, err)
			}
		}
		if again, err := trees.Begin(t.Context(), ref); err != nil || again != base {
			t.Errorf("%s again: %s, %v", quest, again, err)
		}
	}
}

func TestOddFilesSurviveTheWay(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	outside := filepath.Join(t.TempDir(), "outside")
	put(t, filepath.Dir(outside), "outside", "not ours\n")
	for _, name := range oddNames {
		put(t, one, name, name)
	}
	if err := os.Symlink(outside, filepath.Join(one, "link")); err != nil {
		t.Fatal(err)
	}
	put(t, one, ".gitignore", "*.log\n")
	put(t, one, "debug.log", "ignored")
	git(t, one, "init", "-q", "within")
	git(t, one, "-C", "within", "commit", "-q", "--allow-empty", "-m", "x")
	c := g.commit("one")
	want := append([]string{"link", ".gitignore"}, oddNames...)
	if slices.Sort(want); !slices.Equal(c.Files, want) || !slices.Equal(c.Nested, []string{"within"}) {
		t.Errorf("%q, within: %q\nwant %q", c.Files, c.Nested, want)
	}
	g.bring("one", workspace.UpToDate) // this moves nested repositories aside
	g.advance("one")
	plan := g.dir("plan")
	for _, name := range oddNames {
		if read(t, plan, name) != name {
			t.Errorf("%q did not arrive", name)
		}
	}
	// A run that should only read writes through the link and overwrites everything.
	for _, name := range want {
		_ = os.Remove(filepath.Join(plan, name))
	}
	put(t, plan, "link/f", "a folder now")
	if _, err := g.trees.Discard(t.Context(), g.ref, "plan", stamp("q1-r2")); err != nil {
		t.Fatal(err)
	}
	if gitOutput(t, plan, "status", "--porcelain") != "" || read(t, filepath.Dir(outside), "outside") != "not ours\n" {
		t.Error("not undone, or something outside was touched")
	}
}

func TestAWorktreeThatSomebodyDeletedIsMadeAgain(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	put(t, one, "f", "x\n")
	g.commit("one")
	for _, spoil := range []func(){
		func() { _ = os.RemoveAll(one) },
		func() { git(t, g.ours(), "worktree", "remove", "-f", "-f", one) },
		func() {
			git(t, g.ours(), "worktree", "remove", "-f", "-f", one)
			put(t, one, "mine/f", "x")
		},
		func() { _ = os.RemoveAll(filepath.Join(g.ours(), "worktrees")) },
		func() { git(t, g.ours(), "update-ref", "-d", "refs/heads/quest-steps/q1/one") },
		func() { _ = os.RemoveAll(g.trees.Root) },
	} {
		spoil()
		if err := g.trees.Sweep(t.Context(), g.ref); err != nil {
			t.Error(err)
		}
		if dir := g.dir("one"); dir != one || read(t, one, "f") != "x\n" {
			t.Error("not made again")
		}
		put(t, one, "g", read(t, one, "g")+"x")
		g.commit("one")
	}
	_ = os.RemoveAll(one)
	if _, err := g.trees.Commit(t.Context(), g.ref, "one", stamp("r")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("commit without a tree: %v", err)
	}
}

func TestNothingOfARepositoryIsExecutedByTrees(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	proof := filepath.Join(t.TempDir(), "executed")
	script := filepath.Join(t.TempDir(), "evil")
	if err := e2etest.WriteProgram(script, []byte("#!/bin/sh\necho \"$0 $@\" >>'"+proof+"'\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, dir, ".gitattributes", "*.txt filter=evil diff=evil merge=evil\n")
	put(t, dir, ".gitmodules", "[submodule \"s\"]\n\tpath = s\n\turl = ext::"+script+"\n\tupdate = !"+script+"\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "second")
	for key, value := range map[string]string{
		"filter.evil.clean": script, "filter.evil.smudge": script, "filter.evil.process": script, "filter.evil.required": "true",
		"merge.evil.driver": script + " %A", "diff.evil.textconv": script, "diff.evil.command": script, "diff.external": script,
		"core.fsmonitor": script, "core.pager": script, "core.editor": script, "sequence.editor": script, "gpg.program": script,
		"commit.gpgSign": "true", "merge.verifySignatures": "true", "alias.commit": "!" + script, "merge.tool": "evil",
		"mergetool.evil.cmd": script, "core.askPass": script, "credential.helper": "!" + script, "gc.auto": "1",
		"trailer.role.command": script, "submodule.recurse": "true", "core.hooksPath": filepath.Dir(script),
	} {
		git(t, dir, "config", key, value)
	}
	for _, hook := range []string{"pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "post-checkout", "pre-merge-commit", "post-merge", "reference-transaction", "post-index-change", "pre-push"} {
		for _, at := range []string{filepath.Join(dir, ".git/hooks", hook), filepath.Join(filepath.Dir(script), hook)} {
			if err := os.Symlink(script, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = os.Remove(proof)
	g := newTreesTest(t, dir)
	one, two := g.dir("one"), g.dir("two")
	put(t, one, "a.txt", "one's\n")
	put(t, two, "a.txt", "two's\n")
	g.commit("one")
	g.commit("two")
	g.advance("one")
	g.bring("two", workspace.Conflict)
	if got := read(t, two, "a.txt"); !strings.Contains(got, "one's") || !strings.Contains(got, "two's") {
		t.Errorf("merged by whom? %q", got)
	}
	put(t, two, "a.txt", "both\n")
	g.commit("two")
	g.advance("two")
	for _, check := range []func() error{
		func() error { _, _, err := g.trees.Diff(t.Context(), g.ref, "two"); return err },
		func() error { _, err := g.trees.Patch(t.Context(), g.ref); return err },
		func() error { _, err := g.trees.Deliver(t.Context(), g.ref, workspace.MergeCommit, ""); return err },
		func() error { return g.trees.Remove(t.Context(), g.ref, "two") },
	} {
		if err := check(); err != nil {
			t.Error(err)
		}
	}
	if b, err := os.ReadFile(proof); err == nil {
		t.Errorf("executed: %s", b)
	}
}
