package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/architecture.md tells a field of a signal as its example of a change. The
// patch that it shows fits the code of today, and what it touches builds.
func TestTheExampleOfAChangeFitsTheCode(t *testing.T) {
	t.Parallel()
	const example = "docs/examples/confidence.patch"
	patched := t.TempDir()
	overlay, touched := map[string]string{}, []string{}
	for _, m := range regexp.MustCompile(`(?m)^\+\+\+ b/(.+)$`).FindAllStringSubmatch(strings.Join(lines(t, example), "\n"), -1) {
		from, to := filepath.Join(root(t), m[1]), filepath.Join(patched, m[1])
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o700)
		}
		if err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if overlay[from] = to; filepath.Ext(to) == ".go" {
			touched = append(touched, "./"+filepath.Dir(m[1]))
		}
	}
	if len(overlay) > 5 {
		t.Errorf("%d files are touched; the page promises 5", len(overlay))
	}
	run(t, patched, "git", "apply", "--unidiff-zero", filepath.Join(root(t), example))
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err == nil {
		err = os.WriteFile(filepath.Join(patched, "overlay.json"), list, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(touched)
	run(t, root(t), "go", append([]string{"build", "-overlay", filepath.Join(patched, "overlay.json")}, slices.Compact(touched)...)...)
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}
