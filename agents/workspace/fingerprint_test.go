package workspace_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestEveryChangeGivesAnotherFingerprint(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	put(t, dir, ".gitignore", "*.log\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "ignore")
	seen := map[string]string{fingerprint(t, dir): "clean"}
	change := func(name string, do func()) {
		t.Helper()
		do()
		print := fingerprint(t, dir)
		if earlier, double := seen[print]; double {
			t.Errorf("%s: the same fingerprint as %s", name, earlier)
		}
		if print != fingerprint(t, dir) {
			t.Errorf("%s: two fingerprints of one tree", name)
		}
		seen[print] = name
	}
	path := filepath.Join(dir, "a.txt")
	change("edit", func() { put(t, dir, "a.txt", "two\n") })
	change("edit of the same size", func() { put(t, dir, "a.txt", "six\n") })
	change("executable", func() { _ = os.Chmod(path, 0o700) })
	change("gone", func() { _ = os.Remove(path) })
	change("symlink", func() { _ = os.Symlink("/etc/passwd", path) })
	change("another symlink", func() { _ = os.Remove(path); _ = os.Symlink("/etc/group", path) })
	for _, name := range oddNames {
		change("new file "+name, func() { put(t, dir, name, "x") })
		change("edit of "+name, func() { put(t, dir, name, "y") })
	}
	change("new file in a new folder", func() { put(t, dir, "deep/er/f", "1") })
	change("edit of it", func() { put(t, dir, "deep/er/f", "2") })
	change("staged", func() { git(t, dir, "add", "a.txt") })
	change("commit", func() { git(t, dir, "add", "-A"); git(t, dir, "commit", "-q", "-m", "all") })
	change("repository within", func() { git(t, dir, "init", "-q", "nested"); put(t, dir, "nested/f", "1") })
	change("edit within it", func() { put(t, dir, "nested/f", "2") })

	before := fingerprint(t, dir)
	put(t, dir, "debug.log", "ignored")
	if fingerprint(t, dir) != before {
		t.Error("an ignored file changed the fingerprint")
	}
	if err := os.Chtimes(filepath.Join(dir, "deep/er/f"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if fingerprint(t, dir) != before {
		t.Error("a touched file changed the fingerprint")
	}
}

func TestAnEditWithinASubmoduleIsNoticed(t *testing.T) {
	t.Parallel()
	dir, lib := repo(t), repo(t)
	git(t, dir, "submodule", "--quiet", "add", lib, "lib")
	git(t, dir, "commit", "-q", "-m", "submodule")
	before := fingerprint(t, dir)
	put(t, dir, "lib/a.txt", "edited\n")
	after := fingerprint(t, dir)
	if before == after || after == "" {
		t.Errorf("fingerprints %q and %q", before, after)
	}
}

func TestAFingerprintTouchesNothing(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	path := filepath.Join(dir, "a.txt")
	// Change the time, so that git would refresh its index.
	if err := os.Chtimes(path, time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "new", "x")
	before := contents(t, dir)
	fingerprint(t, dir)
	if after := contents(t, dir); !bytes.Equal(before, after) {
		t.Error("the repository is not as it was")
	}
}

func TestAFolderWithoutGitHasNoFingerprint(t *testing.T) {
	t.Parallel()
	if print := fingerprint(t, t.TempDir()); print != "" {
		t.Errorf("fingerprint = %q, want none", print)
	}
}

func TestARepositoryWithoutACommitHasAFingerprint(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	before := fingerprint(t, dir)
	put(t, dir, "f", "x")
	if after := fingerprint(t, dir); before == "" || after == before {
		t.Errorf("fingerprints %q and %q", before, after)
	}
}

// contents lists every file with size, time and bytes.
func contents(t *testing.T, dir string) []byte {
	t.Helper()
	var all bytes.Buffer
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all.WriteString(path + info.ModTime().String() + string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.Bytes()
}

// BenchmarkFingerprint measures a repository of 5,000 files, of which 20 differ.
func BenchmarkFingerprint(b *testing.B) {
	dir := b.TempDir()
	git(b, dir, "init", "-q")
	for i := range 5000 {
		put(b, dir, fmt.Sprintf("d%d/f%d.txt", i%50, i), "content\n")
	}
	git(b, dir, "add", "-A")
	git(b, dir, "commit", "-q", "-m", "all")
	for i := range 20 {
		put(b, dir, fmt.Sprintf("d%d/f%d.txt", i%50, i), "changed\n")
	}
	g := gitOf(b)
	for b.Loop() {
		if _, err := g.Fingerprint(b.Context(), dir); err != nil {
			b.Fatal(err)
		}
	}
}
