package workspace_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"questboard/agents/workspace"
)

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
