package main_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// docs/architecture.md shows the patches of two changes that it describes. Each patch must fit
// the current code: it applies to a copy of the repository. With both, the copy builds and passes
// the tests that would notice missing parts.
func TestTheExamplesOfChangesFitTheCode(t *testing.T) {
	t.Parallel()
	dir := copyOfTheRepository(t)
	for name, most := range map[string]int{"confidence": 5, "loremaster": 8} { // numbers of files, as the page says
		text, err := os.ReadFile(example(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if files := bytes.Count(text, []byte("\n+++ b/")); files > most || files == 0 {
			t.Errorf("%s touches %d files; the page promises %d", name, files, most)
		}
	}
	applyBoth(t, dir)
	// The build must not contain paths, so that the copy can use the build cache.
	run(t, dir, "go", "build", "-trimpath", "./...")
	run(t, dir, "go", "test", "-trimpath", "-vet=off", "./agents/signalback", "./cmd/server", "-run", "Schemas|InterfacesAre")
	run(t, dir, "go", "test", "-trimpath", "-vet=off", "./orchestration", "./agents", "./handlers/present",
		"-run", "Loremaster|Specification|EveryList|EveryRole|EveryAgent")
}

// applyBoth applies each patch alone, and then both together: what compiles once takes half the
// time. They change other words of one line of docs/interfaces.md, so that page is merged by words.
func applyBoth(t *testing.T, dir string) {
	t.Helper()
	const page = "docs/interfaces.md"
	words := func(name string) {
		text, err := os.ReadFile(filepath.Join(dir, page))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(string(text), " ", " \n")), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	words("base")
	run(t, dir, "git", "apply", example(t, "loremaster"))
	words("theirs")
	run(t, dir, "git", "apply", "-R", example(t, "loremaster"))
	run(t, dir, "git", "apply", example(t, "confidence"))
	words("ours")
	run(t, dir, "git", "apply", "--exclude", page, example(t, "loremaster"))
	run(t, dir, "git", "merge-file", "ours", "base", "theirs")
	text, err := os.ReadFile(filepath.Join(dir, "ours"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, page), []byte(strings.ReplaceAll(string(text), " \n", " ")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func example(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(root(t), "docs/examples", name+".patch")
}

// copyOfTheRepository copies every file that is in git, or will be.
func copyOfTheRepository(t *testing.T) string {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root(t)
	names, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name := range strings.SplitSeq(string(bytes.TrimRight(names, "\x00")), "\x00") {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted but not committed yet
		}
		to := filepath.Join(dir, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o700)
		}
		if err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}
