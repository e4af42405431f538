package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/claude"
)

// Doctor needs to know whether the CLI was found, its version, and whether it is logged
// in. Each fault comes with its remedy.
func TestProbe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule  string
		play  string
		want  claude.Found
		fault string
	}{
		{"good", "2.1.329 (Claude Code)|in", claude.Found{Version: "2.1.329", LoggedIn: true}, ""},
		{"the oldest one", "2.1.163 (Claude Code)|in", claude.Found{Version: "2.1.163", LoggedIn: true}, ""},
		{"a later line", "3.0.0-beta.1 (Claude Code)|in", claude.Found{Version: "3.0.0-beta.1", LoggedIn: true}, ""},
		{"too old", "2.1.99 (Claude Code)|in", claude.Found{Version: "2.1.99", Old: true, LoggedIn: true}, "claude update"},
		{"not logged in", "2.1.329 (Claude Code)|out", claude.Found{Version: "2.1.329"}, "log in"},
		{"another program", "GNU ed 1.20|in", claude.Found{}, "is not Claude Code"},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			cfg := configured(t, tt.play)
			found, err := claude.New(cfg).Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if found.Version != tt.want.Version || found.Old != tt.want.Old || found.LoggedIn != tt.want.LoggedIn {
				t.Errorf("found %+v, want %+v", found, tt.want)
			}
			if (found.Fault == "") != (tt.fault == "") || !strings.Contains(found.Fault, tt.fault) {
				t.Errorf("fault %q, want %q", found.Fault, tt.fault)
			}
		})
	}
}

// Every user of the machine can leave settings in the folder for temporary files.
func TestAProbeStartsWhereNobodyLeavesSettings(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "")
	cfg.Path = filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(cfg.Path, []byte("#!/bin/sh\npwd >>\"$0.dirs\"\necho '2.1.329 (Claude Code)'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := claude.New(cfg).Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	if dirs, err := os.ReadFile(cfg.Path + ".dirs"); string(dirs) != "/\n/\n" {
		t.Errorf("it starts in %q: %v", dirs, err)
	}
}

func TestProbeOfAMissingCLI(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "")
	for _, path := range []string{"no-such-claude", filepath.Join(t.TempDir(), "claude")} {
		cfg.Path = path
		found, err := claude.New(cfg).Probe(t.Context())
		if err != nil || !strings.Contains(found.Fault, "npm install") {
			t.Errorf("found %+v, error %v: want the way to install it", found, err)
		}
	}
}
