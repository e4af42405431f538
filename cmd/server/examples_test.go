package main_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/architecture.md shows the patches of two changes that it describes. Each patch must fit
// the current code: it applies to a copy of the repository, and the copy builds and
// passes the tests that would notice missing parts.
func TestTheExamplesOfChangesFitTheCode(t *testing.T) {
	t.Parallel()
	dir := copyOfTheRepository(t)
	for _, example := range []struct {
		name  string
		most  int      // number of files, as the page says
		tests []string // packages and a pattern of tests
	}{
		{"confidence", 5, []string{"./agents/signalback", "./cmd/server", "-run", "Schemas|InterfacesAre"}},
		{"loremaster", 8, []string{"./orchestration", "./agents", "./handlers/present", "-run", "Loremaster|Specification|EveryList|EveryRole|EveryAgent"}},
	} {
		patch := filepath.Join(root(t), "docs/examples", example.name+".patch")
		text, err := os.ReadFile(patch)
		if err != nil {
			t.Fatal(err)
		}
		files := regexp.MustCompile(`(?m)^\+\+\+ b/(.+)$`).FindAllStringSubmatch(string(text), -1)
		var touched []string
		for _, file := range files {
			if path := file[1]; filepath.Ext(path) == ".go" {
				touched = append(touched, "./"+filepath.Dir(path))
			}
		}
		if len(files) > example.most || len(touched) == 0 {
			t.Errorf("%s touches %d files; the page promises %d", example.name, len(files), example.most)
		}
		run(t, dir, "git", "apply", patch)
		slices.Sort(touched)
		// The build must not contain paths, so that the copy can use the build cache.
		run(t, dir, "go", "build", "-trimpath", "./...")
		run(t, dir, "go", append([]string{"vet", "-trimpath"}, slices.Compact(touched)...)...)
		run(t, dir, "go", append([]string{"test", "-trimpath"}, example.tests...)...)
		run(t, dir, "git", "apply", "-R", patch)
	}
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
