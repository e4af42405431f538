package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"questboard/agents/workspace"
)

// withSubmodule returns a repository with the submodule sub, which is checked out.
func withSubmodule(t *testing.T) string {
	t.Helper()
	inner, dir := repo(t), repo(t)
	git(t, dir, "submodule", "--quiet", "add", inner, "sub")
	git(t, dir, "commit", "-q", "-m", "submodule")
	return dir
}

// A worktree does not contain the submodules' files. Every commit keeps the submodules
// as they are, and the user's own files of them are not touched.
func TestSubmodulesStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	dir := withSubmodule(t)
	link := gitOutput(t, dir, "rev-parse", "HEAD:sub")
	put(t, dir, "sub/users", "at work\n")
	g := newTreesTest(t, dir)
	one, two := g.dir("one"), g.dir("two")
	if entries, err := os.ReadDir(filepath.Join(one, "sub")); err != nil || len(entries) > 0 {
		t.Errorf("sub holds %q, %v", entries, err)
	}
	put(t, one, "one.txt", "1\n")
	put(t, two, "two.txt", "2\n")
	if c := g.commit("one"); !slices.Equal(c.Files, []string{"one.txt"}) || c.Nested != nil {
		t.Errorf("%+v", c)
	}
	git(t, two, "submodule", "--quiet", "update", "--init") // a set-up command may do this
	if c := g.commit("two"); !slices.Equal(c.Files, []string{"two.txt"}) || c.Nested != nil {
		t.Errorf("%+v", c)
	}
	g.advance("one")
	g.bring("two", workspace.Updated)
	g.ward("two")
	g.advance("two")
	if _, err := g.deliver(workspace.FastForward); err != nil {
		t.Error(err)
	}
	g.forget(workspace.Forgetting{Branch: true})
	if got := gitOutput(t, dir, "rev-parse", "HEAD:sub"); got != link {
		t.Errorf("sub is at %s, was at %s", got, link)
	}
	if read(t, dir, "sub/users") != "at work\n" || read(t, dir, "two.txt") != "2\n" || gitOutput(t, dir, "status", "--porcelain", "--ignore-submodules=untracked") != "" {
		t.Error("the user's checkout is not as it should be")
	}
	if _, err := os.Stat(filepath.Join(g.trees.Root, "q1")); err == nil {
		t.Error("a submodule without any work was kept")
	}
}

// No commit of the quest contains the work of an agent within a submodule. It is moved
// aside before the worktree is removed.
func TestWorkInASubmoduleIsKept(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, withSubmodule(t))
	for step, work := range map[string]func(sub string){
		"committed": func(sub string) {
			put(t, sub, "new.txt", "new\n")
			git(t, sub, "add", "-A")
			git(t, sub, "commit", "-q", "-m", "the agent's")
		},
		"loose":   func(sub string) { put(t, sub, "new.txt", "new\n") },
		"stashed": func(sub string) { put(t, sub, "a.txt", "new\n"); git(t, sub, "stash", "-q") },
		"broken": func(sub string) {
			put(t, sub, "new.txt", "new\n")
			put(t, sub, ".git", "gitdir: /nowhere\n")
		},
	} {
		home := g.dir(step)
		git(t, home, "submodule", "--quiet", "update", "--init")
		work(filepath.Join(home, "sub"))
		if err := g.trees.Remove(t.Context(), g.ref, step); err != nil {
			t.Fatal(step, err)
		}
		kept := filepath.Join(g.trees.Root, "q1/_kept", step, "1/sub")
		switch step {
		case "committed":
			if gitOutput(t, kept, "log", "-1", "--format=%s") != "the agent's" || gitOutput(t, kept, "status", "--porcelain") != "" {
				t.Error("the commit is not kept as a repository that works")
			}
		case "stashed":
			if gitOutput(t, kept, "stash", "show", "-p", "--format=") == "" {
				t.Error("the stash is not kept")
			}
		default:
			if read(t, kept, "new.txt") != "new\n" {
				t.Errorf("%s: the file is not kept", step)
			}
		}
	}
}

// Only the worktree's repository has an agent's commit within a submodule. If a commit
// of ours named it, nobody could check it out.
func TestCommitsWithinASubmoduleMoveNoCommitOfOurs(t *testing.T) {
	t.Parallel()
	dir := withSubmodule(t)
	link := gitOutput(t, dir, "rev-parse", "HEAD:sub")
	g := newTreesTest(t, dir)
	one := g.dir("one")
	git(t, one, "submodule", "--quiet", "update", "--init")
	put(t, filepath.Join(one, "sub"), "new.txt", "new\n")
	git(t, filepath.Join(one, "sub"), "add", "-A")
	git(t, filepath.Join(one, "sub"), "commit", "-q", "-m", "the agent's")
	put(t, one, "one.txt", "1\n")
	if c := g.commit("one"); !slices.Equal(c.Files, []string{"one.txt"}) {
		t.Errorf("%+v", c)
	}
	if got := gitOutput(t, g.ours(), "rev-parse", "quest-steps/q1/one:sub"); got != link {
		t.Errorf("sub is at %s, was at %s", got, link)
	}
	// The removal of a submodule, or its replacement by a file, is committed.
	for _, work := range []func() error{nil, func() error { return os.WriteFile(filepath.Join(one, "sub"), []byte("plain\n"), 0o600) }} {
		if err := os.RemoveAll(filepath.Join(one, "sub")); err != nil {
			t.Fatal(err)
		}
		if work != nil && work() != nil {
			t.Fatal("no file")
		}
		if c := g.commit("one"); !slices.Equal(c.Files, []string{"sub"}) {
			t.Errorf("%+v", c)
		}
	}
}

// An agent can write the configuration of a submodule. So the git that changes it runs
// in the sandbox, like every git that reads trees.
func TestASubmodulesConfigurationIsChangedInTheSandbox(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, withSubmodule(t))
	var mu sync.Mutex
	var all []string
	g.trees.Git.Confine = func(_ string, _, writes []string) []string {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, writes...)
		return []string{"env"}
	}
	one := g.dir("one")
	git(t, one, "submodule", "--quiet", "update", "--init")
	put(t, filepath.Join(one, "sub"), "new.txt", "new\n")
	if err := g.trees.Remove(t.Context(), g.ref, "one"); err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(one, "sub/.git"); !slices.Contains(all, want) {
		t.Errorf("nothing was told that it writes %s: %q", want, all)
	}
}
