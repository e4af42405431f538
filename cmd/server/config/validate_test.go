package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/cmd/server/config"
)

func TestWhatAgentsMaySeeBesidesIsCheckedBeforeTheStart(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, data := filepath.Join(root, "home"), filepath.Join(root, "home", "data")
	for _, dir := range []string{data + "/worktrees", home + "/tools/in", root + "/cache/in"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(data, root+"/link"); err != nil {
		t.Fatal(err)
	}
	env := environment(map[string]string{"HOME": home})
	for flag, want := range map[string]string{
		"-sandbox-read=relative":                 "is not absolute",
		"-sandbox-read=" + root + "/missing":     "does not exist",
		"-sandbox-read=" + data:                  "the data directory",
		"-sandbox-write=" + data + "/worktrees":  "the data directory",
		"-sandbox-read=" + root + "/link":        "the data directory",
		"-sandbox-write=" + root:                 "the data directory",
		"-sandbox-read=" + home:                  "the data directory",
		"-sandbox-read=" + root + "/cache/in":    "put a link",
		"-sandbox-read=/":                        "the data directory",
		"-sandbox-read=" + home + "/tools/../..": "the data directory",
	} {
		args := []string{"-data", data, "-sandbox", "-sandbox-write", root + "/cache", flag}
		_, _, err := config.Parse("serve", args, env)
		var faults config.Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", flag, err, want)
		}
	}
	c, _, err := config.Parse("serve", []string{"-data", data, "-sandbox", "-sandbox-read", home + "/tools", "-sandbox-read", "/usr"}, env)
	if err != nil || len(c.SandboxRead) != 2 {
		t.Errorf("%v %v", c.SandboxRead, err)
	}
	if _, _, err := config.Parse("serve", []string{"-data", data, "-sandbox-read", "/usr"}, env); err == nil || !strings.Contains(err.Error(), "it is off") {
		t.Errorf("without -sandbox: %v", err)
	}
	far := environment(map[string]string{"HOME": home, "XDG_DATA_HOME": filepath.Join(root, "cache")})
	if _, _, err := config.Parse("serve", []string{"-sandbox", "-sandbox-read", home}, far); err == nil || !strings.Contains(err.Error(), "your home") {
		t.Errorf("the home: %v", err)
	}
}
