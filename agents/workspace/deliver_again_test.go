package workspace_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// interrupted returns a quest whose delivery was cut short after the branch moved.
func interrupted(t *testing.T) *treesTest {
	t.Helper()
	g := finished(t)
	repo := g.ref.Repo
	from, to := gitOutput(t, repo, "rev-parse", "main"), gitOutput(t, repo, "rev-parse", "quest/q1")
	put(t, repo, ".git/questboard-delivering", from+" "+to+"\n")
	git(t, repo, "update-ref", "refs/heads/main", to)
	put(t, repo, "new.txt", "new\n")
	return g
}

// What the user has staged since, or has in the middle of a merge, is nowhere but in the index.
func TestADeliveryThatGoesOnKeepsTheUsersIndex(t *testing.T) {
	t.Parallel()
	stage := func(name string) func(dir string) {
		return func(dir string) {
			put(t, dir, name, "staged\n")
			git(t, dir, "add", name)
		}
	}
	for name, c := range map[string]struct {
		since func(dir string)
		says  string
		end   func(dir string)
	}{
		"a staged file": {stage("other"), "other", func(dir string) { git(t, dir, "restore", "--staged", "other") }},
		"a file of the delivery that is staged as another": {func(dir string) {
			stage("a.txt")(dir)
			put(t, dir, "a.txt", "one\n")
		}, "a.txt", func(dir string) { git(t, dir, "restore", "--staged", "a.txt") }},
		"a merge": {func(dir string) { put(t, dir, ".git/MERGE_HEAD", gitOutput(t, dir, "rev-parse", "HEAD")) }, "not finished",
			func(dir string) { _ = os.Remove(filepath.Join(dir, ".git", "MERGE_HEAD")) }},
		"a git at work": {func(dir string) { put(t, dir, ".git/index.lock", "") }, "at work",
			func(dir string) { _ = os.Remove(filepath.Join(dir, ".git", "index.lock")) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := interrupted(t)
			repo := g.ref.Repo
			c.since(repo)
			before := string(usersOwn(t, repo))
			if _, err := g.deliver(workspace.FastForward); !errors.Is(err, workspace.ErrDirty) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("it goes on: %v", err)
			}
			if string(usersOwn(t, repo)) != before {
				t.Error("something was touched")
			}
			c.end(repo)
			if _, err := g.deliver(workspace.FastForward); err != nil || read(t, repo, "a.txt") != "quest\n" {
				t.Errorf("after that it does not go on: %v, %q", err, read(t, repo, "a.txt"))
			}
		})
	}
}

// A user who meets half of a delivery restores the branch, and goes on with other work.
func TestADeliveryThatTheUserCompletedIsOver(t *testing.T) {
	t.Parallel()
	g := interrupted(t)
	repo := g.ref.Repo
	git(t, repo, "reset", "-q", "--hard")
	put(t, repo, "other", "staged\n")
	git(t, repo, "add", "other")
	put(t, repo, ".git/MERGE_HEAD", gitOutput(t, repo, "rev-parse", "HEAD"))
	if _, err := g.deliver(workspace.FastForward); err != nil {
		t.Error(err)
	}
	if got := gitOutput(t, repo, "status", "--porcelain"); got != "A  other" {
		t.Errorf("the index has %q", got)
	}
	if _, err := os.Lstat(filepath.Join(repo, ".git", "questboard-delivering")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the note is there still: %v", err)
	}
}

// git would take a word of the note for an option, such as one that names a file to write.
func TestTheNoteOfADeliveryHoldsCommitsAlone(t *testing.T) {
	t.Parallel()
	for _, note := range []string{"--output=%s %s", "%.0s--index-output=%[1]s %[2]s", "HEAD^{/%.0s} %s"} {
		g := finished(t)
		outside := filepath.Join(t.TempDir(), "keys")
		if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		main := gitOutput(t, g.ref.Repo, "rev-parse", "main")
		put(t, g.ref.Repo, ".git/questboard-delivering", fmt.Sprintf(note, outside, main)+"\n")
		if _, err := g.deliver(workspace.FastForward); err != nil {
			t.Errorf("%s: %v", note, err)
		}
		if got, err := os.ReadFile(outside); string(got) != "mine" {
			t.Errorf("%s: the file of the user has %q, %v", note, got, err)
		}
	}
}

// A delivery that goes on does not check out what the user left out, and forgets none of it.
func TestADeliveryThatGoesOnKeepsASparseCheckout(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	put(t, dir, "far/away.txt", "away\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "far")
	g := newTreesTest(t, dir)
	put(t, g.dir("one"), "a.txt", "quest\n")
	g.commit("one")
	g.advance("one")
	from, to := gitOutput(t, dir, "rev-parse", "main"), gitOutput(t, dir, "rev-parse", "quest/q1")
	git(t, dir, "sparse-checkout", "set", "--no-cone", "/*", "!/far/")
	put(t, dir, ".git/questboard-delivering", from+" "+to+"\n")
	git(t, dir, "update-ref", "refs/heads/main", to)
	if _, err := g.deliver(workspace.FastForward); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, dir, "status", "--porcelain"); got != "" || read(t, dir, "a.txt") != "quest\n" {
		t.Errorf("%q", got)
	}
	if _, err := os.Lstat(filepath.Join(dir, "far")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what the user left out is there: %v", err)
	}
}

// The delivery replaces a folder by a link, and git was ended after it made the link. What the link
// leads to has files of the same names.
func TestADeliveryThatGoesOnDeletesNothingBehindALink(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	put(t, dir, "old/f.txt", "old\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "old")
	g := newTreesTest(t, dir)
	one := g.dir("one")
	if err := errors.Join(os.RemoveAll(filepath.Join(one, "old")), os.Symlink("new", filepath.Join(one, "old"))); err != nil {
		t.Fatal(err)
	}
	g.commit("one")
	g.advance("one")
	from, to := gitOutput(t, dir, "rev-parse", "main"), gitOutput(t, dir, "rev-parse", "quest/q1")
	put(t, dir, "new/f.txt", "the user's\n")
	if err := errors.Join(os.RemoveAll(filepath.Join(dir, "old")), os.Symlink("new", filepath.Join(dir, "old"))); err != nil {
		t.Fatal(err)
	}
	put(t, dir, ".git/questboard-delivering", from+" "+to+"\n")
	git(t, dir, "update-ref", "refs/heads/main", to)
	if _, err := g.deliver(workspace.FastForward); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "new", "f.txt")); string(got) != "the user's\n" {
		t.Errorf("the user's file has %q, %v", got, err)
	}
}
