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
