package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The official MCP conformance suite and the MCP inspector, at fixed versions. The
// suite needs Node 22 or newer, which npm installs as a package.
var conformancePackages = []string{
	"node@24",
	"@modelcontextprotocol/conformance@0.1.16",
	"@modelcontextprotocol/inspector@2.12.0",
}

// verdict counts the checks that a scenario wrote into its results folder.
func verdict(t *testing.T, results string) (passed, warned, failed int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the scenario left %d results (%v)", len(files), err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var checks []struct{ Status string }
	if err := json.Unmarshal(raw, &checks); err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			passed++
		case "WARNING":
			warned++
		case "FAILURE":
			failed++
		}
	}
	return passed, warned, failed
}

// nodeTools is a folder with npm packages.
type nodeTools string

// run runs one of their programs, which must exit 0, and returns its output.
func (n nodeTools) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	bin := filepath.Join(string(n), "node_modules", ".bin")
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, name), args...)
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// installConformance installs the packages once per machine, outside the tree.
// With CI set nothing is skipped: a missing npm fails the test.
func installConformance(t *testing.T) nodeTools {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("npm is needed")
		}
		t.Skip("npm is needed")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	key := strings.NewReplacer("/", "-", "@", "").Replace(strings.Join(conformancePackages, "_"))
	dir := filepath.Join(cache, "questboard-test", key)
	if _, err := os.Stat(dir); err == nil {
		return nodeTools(dir)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	// Install to another folder and rename that when it is complete, because another
	// test may do the same.
	aside, err := os.MkdirTemp(filepath.Dir(dir), "npm-") //nolint:usetesting // beside dir, so that the rename stays on one disk
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(aside) })
	args := slices.Concat([]string{"install", "--no-audit", "--no-fund", "--prefix", aside}, conformancePackages)
	if out, err := exec.CommandContext(t.Context(), "npm", args...).CombinedOutput(); err != nil {
		t.Fatalf("npm %q: %v\n%s", args, err, out)
	}
	if err := os.Rename(aside, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			t.Fatal(err)
		}
	}
	return nodeTools(dir)
}
