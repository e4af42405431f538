package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
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
