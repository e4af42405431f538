package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

func TestIgnoredPathsAreProvided(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	put(t, dir, ".gitignore", "node_modules\n.env\nout\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "ignore")
	put(t, dir, "node_modules/x/index.js", "x\n")
	put(t, dir, ".env", "KEY=1\n")
	put(t, dir, "plain", "not ignored\n")
	if err := os.Symlink("/etc", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	g := newTreesTest(t, dir)
	one := g.dir("one")
	for range 2 {
		err := g.trees.Provide(t.Context(), g.ref, "one", []workspace.Link{{Path: "node_modules"}, {Path: ".env", Copy: true}, {Path: "absent"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read(t, one, "node_modules/x/index.js") != "x\n" || read(t, one, ".env") != "KEY=1\n" {
		t.Error("not provided")
	}
	put(t, one, ".env", "KEY=2\n")
	if read(t, dir, ".env") != "KEY=1\n" {
		t.Error("the copy is no copy")
	}
	if c := g.commit("one"); c.Commit != "" {
		t.Errorf("committed: %q", c.Files)
	}
	for _, path := range []string{"..", "../x", "/etc/passwd", ".git", ".git/config", ".", "", "a/../.env", "out", "plain", "node_modules/../../x"} {
		if err := g.trees.Provide(t.Context(), g.ref, "two", []workspace.Link{{Path: path}}); err == nil {
			t.Errorf("%q was provided to a line without a tree", path)
		}
		g.dir("two")
		err := g.trees.Provide(t.Context(), g.ref, "two", []workspace.Link{{Path: path}, {Path: path, Copy: true}})
		if _, there := os.Lstat(filepath.Join(g.dir("two"), path)); err == nil {
			t.Errorf("%q was provided (%v)", path, there)
		}
	}
}

// What the user's list of ignored files names later is ignored by agents' git, too: else the copy of
// a file with keys gets into an agent's own commit.
func TestAgentsGitIgnoresWhatTheUserIgnoresLater(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	g := newTreesTest(t, dir)
	one := g.dir("one")
	put(t, dir, ".git/info/exclude", ".env\n")
	put(t, dir, ".env", "KEY=1\n")
	if err := g.trees.Provide(t.Context(), g.ref, "one", []workspace.Link{{Path: ".env", Copy: true}}); err != nil {
		t.Fatal(err)
	}
	common, err := g.trees.TreesGit(g.ref.Quest)
	if err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	for what, change := range map[string]func(){
		"a later line": func() {},
		"a list that a full disk left out": func() {
			_ = os.Remove(filepath.Join(common, "info", "exclude"))
		},
		"a folder in its place": func() {
			_ = errors.Join(os.Remove(filepath.Join(common, "info", "exclude")), os.MkdirAll(filepath.Join(common, "info", "exclude", "x"), 0o700))
		},
		"a link in the place of its folder": func() {
			_ = errors.Join(os.RemoveAll(filepath.Join(common, "info")), os.Symlink(outside, filepath.Join(common, "info")))
		},
	} {
		change()
		g.dir("one")
		git(t, one, "add", "-A")
		if got := gitOutput(t, one, "status", "--porcelain"); got != "" {
			t.Errorf("%s: an agent's git adds %q", what, got)
		}
		git(t, one, "reset", "-q")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("%s was written outside", left[0].Name())
	}
}

// git-lfs makes its folder in agents' git where the user has none. What agents keep there is
// nowhere else.
func TestFilesOfLFSThatAgentsKeepStay(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	g := newTreesTest(t, dir)
	g.dir("one")
	common, err := g.trees.TreesGit(g.ref.Quest)
	if err != nil {
		t.Fatal(err)
	}
	put(t, common, "lfs/objects/x", "kept\n")
	g.dir("one")
	put(t, dir, ".git/lfs/objects/y", "the user's\n")
	g.dir("one")
	if got := read(t, common, "lfs/objects/x"); got != "kept\n" {
		t.Errorf("%q is left", got)
	}
	if err := os.RemoveAll(filepath.Join(common, "lfs")); err != nil {
		t.Fatal(err)
	}
	g.dir("one")
	if got := read(t, common, "lfs/objects/y"); got != "the user's\n" {
		t.Errorf("agents' git-lfs has %q of the user's", got)
	}
}

// endsWhen is a context that is over once something is so.
type endsWhen struct {
	context.Context
	so func() bool
}

func (e endsWhen) Err() error {
	if e.so() {
		return context.Canceled
	}
	return e.Context.Err()
}

// A copy that was cut short is no copy: the next run would work with half a folder.
func TestACopyThatWasCutShortIsMadeAgain(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	put(t, dir, ".gitignore", "deps\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "ignore")
	put(t, dir, "deps/a.txt", "a\n")
	put(t, dir, "deps/b.txt", "b\n")
	put(t, dir, "deps/c.txt", "c\n")
	g := newTreesTest(t, dir)
	one := g.dir("one")
	copied := []workspace.Link{{Path: "deps", Copy: true}}
	begun := func() (is bool) {
		_ = filepath.WalkDir(g.trees.Root, func(at string, _ fs.DirEntry, _ error) error {
			is = is || strings.HasSuffix(at, "deps/a.txt")
			return nil
		})
		return is
	}
	if err := g.trees.Provide(endsWhen{t.Context(), begun}, g.ref, "one", copied); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(one, "deps")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a copy is there: %v", err)
	}
	if err := g.trees.Provide(t.Context(), g.ref, "one", copied); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		if read(t, one, "deps/"+name+".txt") != name+"\n" {
			t.Errorf("deps/%s.txt is not copied", name)
		}
	}
}
