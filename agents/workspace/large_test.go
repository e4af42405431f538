package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/workspace"
)

// thrifty is a git that gets at most 160 MB of memory.
const thrifty = "ulimit -v 160000 || exit 99\nexec git \"$@\"\n"

// A file of 200 MB is committed, merged and shown, and neither git nor we load it into
// memory. The file has a hole in the middle, so it takes little disk space and time.
func TestALargeFileIsCommittedAndShownInBoundedMemory(t *testing.T) {
	t.Parallel()
	g := newTreesTest(t, repo(t))
	one := g.dir("one")
	g.trees.Git.Exe = script(t, filepath.Join(t.TempDir(), "git"), thrifty)
	put(t, one, "large.bin", "begins\n")
	if err := os.Truncate(filepath.Join(one, "large.bin"), 200<<20); err != nil {
		t.Fatal(err)
	}
	put(t, one, "lines.txt", strings.Repeat("a line of a file that is as large as a page can show\n", 400_000)) // 21 MB
	if c := g.commit("one"); !slices.Equal(c.Files, []string{"large.bin", "lines.txt"}) || c.Markers != nil {
		t.Errorf("%+v", c)
	}
	diff, cut, err := g.trees.Diff(t.Context(), g.ref, "one")
	if err != nil || !cut || len(diff) != workspace.DiffMax {
		t.Errorf("%d bytes, cut %v, %v", len(diff), cut, err)
	}
	if want := "Binary files /dev/null and b/large.bin differ\n"; !strings.Contains(string(diff), want) {
		t.Errorf("the diff does not say %q", want)
	}
	if files, err := g.trees.Changed(t.Context(), g.ref, "one"); err != nil || !slices.Equal(files, []string{"large.bin", "lines.txt"}) {
		t.Errorf("changed %q, %v", files, err)
	}
	// A change within the file, and one that is undone.
	f, err := os.OpenFile(filepath.Join(one, "large.bin"), os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt([]byte("ends\n"), 200<<20)
	}
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	files, err := g.trees.Discard(t.Context(), g.ref, "one", workspace.Stamp{Run: "q1-r2", Role: "siegemaster"})
	if err != nil || !slices.Equal(files, []string{"large.bin"}) {
		t.Errorf("undone %q, %v", files, err)
	}
	if info, err := os.Stat(filepath.Join(one, "large.bin")); err != nil || info.Size() != 200<<20 {
		t.Errorf("%v, %v", info, err)
	}
}

// A new or deleted large file is shown as git itself would show it, whatever its name.
func TestALargeFileIsShownAsGitWould(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	hole := func(in, name string) {
		put(t, in, name, "")
		if err := os.Truncate(filepath.Join(in, name), 33<<20); err != nil {
			t.Fatal(err)
		}
	}
	hole(dir, "gone.bin")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "large")
	put(t, dir, "sub/f", "x")
	g := newTreesTest(t, filepath.Join(dir, "sub"))
	one := filepath.Dir(g.dir("one"))
	hole(one, "new\n\a\x01\"\\日.bin")
	put(t, one, "a.txt", "two\n")
	if err := os.Remove(filepath.Join(one, "gone.bin")); err != nil {
		t.Fatal(err)
	}
	c := g.commit("one")
	diff, cut, err := g.trees.Diff(t.Context(), g.ref, "one")
	want := gitOutput(t, g.ours(), "-c", "core.quotePath=false", "diff-tree", "-r", "-p", "--no-commit-id", "--no-renames", c.Commit) + "\n"
	if err != nil || cut || !slices.Equal(stanzas(string(diff)), stanzas(want)) {
		t.Errorf("%v\n%s\ngit says\n%s", err, diff, want)
	}
}

// stanzas returns a diff's parts, one per file, sorted.
func stanzas(diff string) []string {
	parts := strings.SplitAfter(diff, "\ndiff --git")
	for i := range parts {
		parts[i] = strings.TrimSuffix(strings.TrimPrefix(parts[i], "diff --git"), "diff --git")
	}
	slices.Sort(parts)
	return parts
}
