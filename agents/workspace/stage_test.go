package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"questboard/agents/workspace"
)

// If an agent removes the index, its changes are still seen.
func TestATreeWithoutAnIndexIsUndone(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	put(t, one, "a.txt", "changed\n")
	if err := os.Remove(filepath.Join(g.admin("one"), "index")); err != nil {
		t.Fatal(err)
	}
	files, err := g.trees.Discard(t.Context(), g.ref, "one", stamp("q1-r2"))
	if err != nil || !slices.Equal(files, []string{"a.txt"}) || read(t, one, "a.txt") != "one\n" || gitOutput(t, one, "status", "--porcelain") != "" {
		t.Errorf("%q, %v", files, err)
	}
}

// A server that dies during a snapshot leaves the temporary index. The next call
// removes it.
func TestTheIndexOfACutShortSnapshotGoes(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	g.dir("one")
	left := filepath.Join(g.admin("one"), "questboard-index-123")
	put(t, filepath.Dir(left), filepath.Base(left), "half an index")
	if err := g.trees.Sweep(t.Context(), g.ref); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Dir(left), filepath.Base(left)); got != "" {
		t.Error("it is left behind")
	}
}

// A file is written in the same second in which its tree was made, with the same number
// of bytes, so only its content shows the change. git reads the content as long as its
// index has the same time, so the index of a snapshot must not seem younger.
func TestAChangeInTheSameSecondIsSeenASecondLater(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	put(t, one, "a.txt", "two\n") // "one\n" before
	made, err := os.Stat(filepath.Join(one, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	<-time.After(time.Until(made.ModTime().Truncate(time.Second).Add(1010 * time.Millisecond)))
	files, err := g.trees.Discard(t.Context(), g.ref, "one", stamp("q1-r2"))
	if err != nil || !slices.Equal(files, []string{"a.txt"}) || read(t, one, "a.txt") != "one\n" {
		t.Errorf("%q, %v", files, err)
	}
}

// A link instead of a folder makes git list the files that were in it. What the link leads to is
// not in their place, so it is neither refused nor moved.
func TestWhatALinkLeadsToIsNotTakenForTheFilesThatWereThere(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(at string) error{
		"a pipe":       func(at string) error { return syscall.Mkfifo(at, 0o600) },
		"a large file": func(at string) error { return errors.Join(os.WriteFile(at, nil, 0o600), os.Truncate(at, 2<<30+1)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repo(t)
			put(t, dir, "data/model.bin", "model\n")
			put(t, dir, ".gitignore", "build\n")
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "-m", "second")
			g := newTreesTest(t, dir)
			one := g.dir("one")
			replace := func() {
				must(t, errors.Join(os.RemoveAll(filepath.Join(one, "data")), os.RemoveAll(filepath.Join(one, "build")), os.Mkdir(filepath.Join(one, "build"), 0o700),
					lay(filepath.Join(one, "build/model.bin")), os.Symlink("build", filepath.Join(one, "data"))))
			}
			replace()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // the call must not go on for ever
			defer cancel()
			want := []string{"data", "data/model.bin"}
			if files, err := g.trees.Discard(ctx, g.ref, "one", workspace.Stamp{Run: "q1-r2", Role: "ward"}); err != nil || !slices.Equal(files, want) || read(t, one, "data/model.bin") != "model\n" {
				t.Fatalf("undone: %q, %v", files, err)
			}
			if _, err := os.Lstat(filepath.Join(one, "build/model.bin")); err != nil {
				t.Errorf("what is ignored does not stay: %v", err)
			}
			replace()
			if c := g.commit("one"); !slices.Equal(c.Files, want) {
				t.Errorf("committed: %q", c.Files)
			}
			if err := g.trees.Remove(ctx, g.ref, "one"); err != nil {
				t.Error(err)
			}
		})
	}
}
