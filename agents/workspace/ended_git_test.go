package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/workspace"
	"questboard/e2e/e2etest"
)

// gitEndedAt makes the git of the trees one that is killed at the call that has these words. It
// leaves its lock files, as git does when nothing lets it clean up.
func (g *treesTest) gitEndedAt(words string, locks ...string) {
	g.Helper()
	exe, err := exec.LookPath("git")
	if err != nil {
		g.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\ncase \" $* \" in *'" + words + "'*)\n")
	for _, lock := range locks {
		b.WriteString("mkdir -p '" + filepath.Dir(lock) + "'; : >'" + lock + "'\n")
	}
	b.WriteString("kill -KILL $$;; esac\nexec '" + exe + "' \"$@\"\n")
	dying := filepath.Join(g.TempDir(), "git")
	if err := e2etest.WriteProgram(dying, []byte(b.String()), 0o700); err != nil {
		g.Fatal(err)
	}
	g.trees.Git.Exe = dying
}

// A stopped run, a request that is over and the limit of time end git while the server lives on.
// What it leaves would keep out all further work, until a person removes it.
func TestNoLockFileOfAGitThatWasEndedKeepsWorkOut(t *testing.T) {
	t.Parallel()
	work := func(g *treesTest) error {
		_, err := g.trees.Dir(g.Context(), g.ref, "late")
		return err
	}
	deliver := func(g *treesTest) error {
		_, err := g.deliver(workspace.MergeCommit)
		return err
	}
	for name, c := range map[string]struct {
		made  func(*testing.T) *treesTest
		at    string // the call of git that is ended
		ours  []string
		users []string // in the git directory of the user's repository
		act   func(*treesTest) error
	}{
		"the branch of a step": {finished, "questboard: start late", []string{"refs/heads/quest-steps/q1/late.lock"}, nil, work},
		"our copy of a branch": {finished, "questboard: follow the user", []string{"refs/heads/main.lock"}, nil, deliver},
		"the packed refs":      {finished, "questboard: deliver", nil, []string{"packed-refs.lock", "packed-refs.new"}, deliver},
		"the user's branch":    {finished, "questboard: deliver", nil, []string{"refs/heads/main.lock", "HEAD.lock"}, deliver},
		"the user's index":     {finished, "read-tree -m -u", nil, []string{"index.lock"}, deliver},
		"an old quest, ours":   {old, "questboard: carry over", []string{"refs/questboard/base/q1.lock"}, nil, work},
		"an old quest, the user's": {old, "questboard: carried over", nil,
			[]string{"refs/questboard/base/q1.lock", "refs/heads/quest-steps/q1/one.lock", "packed-refs.lock"}, work},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := c.made(t)
			put(t, g.ref.Repo, "theirs.txt", "theirs\n")
			git(t, g.ref.Repo, "add", "theirs.txt")
			git(t, g.ref.Repo, "commit", "-q", "-m", "theirs")
			var locks []string
			for _, lock := range c.ours {
				locks = append(locks, filepath.Join(g.trees.Git.Dir, g.ref.Quest, "trees", lock))
			}
			for _, lock := range c.users {
				locks = append(locks, filepath.Join(g.ref.Repo, ".git", lock))
			}
			g.gitEndedAt(c.at, locks...)
			if err := c.act(g); err == nil {
				t.Fatalf("no call of git had the words %q", c.at)
			}
			g.trees.Git.Exe = ""
			if err := c.act(g); err != nil {
				t.Error(err)
			}
			for _, lock := range locks {
				if _, err := os.Lstat(lock); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s is there still: %v", lock, err)
				}
			}
		})
	}
}
