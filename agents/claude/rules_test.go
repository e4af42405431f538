package claude_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"questboard/agents"
	"questboard/agents/claude"
	"questboard/orchestration"
)

// rulesOf returns what a run's agent is told of its repository's rules.
func rulesOf(t *testing.T, spec agents.Spec) string {
	t.Helper()
	cfg := configured(t, "2.1.329 (Claude Code)|in")
	files, err := claude.New(cfg).WriteFiles(spec)
	if err != nil {
		t.Fatal(err)
	}
	if files.System == "" {
		return ""
	}
	data, err := os.ReadFile(files.System)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRulesOfTheRepository(t *testing.T) {
	t.Parallel()
	spec := specOf(t, orchestration.Codeweaver)
	if got := rulesOf(t, spec); got != "" {
		t.Errorf("rules %q without a CLAUDE.md", got)
	}
	write(t, filepath.Join(spec.Dir, "CLAUDE.md"), "top rules \x00\xff\n")
	write(t, filepath.Join(spec.Dir, ".claude", "CLAUDE.md"), strings.Repeat("x", 100<<10))
	got := rulesOf(t, spec)
	for _, want := range []string{"# Project rules", `<file path="CLAUDE.md">`, "top rules", `<file path=".claude/CLAUDE.md">`, "cut after 64 KiB"} {
		if !strings.Contains(got, want) {
			t.Errorf("the rules have no %q", want)
		}
	}
	if len(got) > 70<<10 || strings.Contains(got, "\x00") || !utf8.ValidString(got) {
		t.Errorf("the rules have %d bytes", len(got))
	}
	spec.Trusted = true
	if got := rulesOf(t, spec); got != "" {
		t.Error("the CLI reads a trusted repository's rules itself: twice is once too often")
	}
}

func TestRulesThatAreNoFileOfTheRepositoryAreLeftOut(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"a folder":     func(path string) error { return os.Mkdir(path, 0o755) },
		"a device":     func(path string) error { return os.Symlink("/dev/zero", path) },
		"a link out":   func(path string) error { return os.Symlink("/etc/passwd", path) },
		"a dead link":  func(path string) error { return os.Symlink("nowhere", path) },
		"a link round": func(path string) error { return os.Symlink("CLAUDE.md", path) },
		"empty":        func(path string) error { return os.WriteFile(path, []byte(" \n"), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := specOf(t, orchestration.Codeweaver)
			if err := make(filepath.Join(spec.Dir, "CLAUDE.md")); err != nil {
				t.Fatal(err)
			}
			if got := rulesOf(t, spec); got != "" {
				t.Errorf("rules %.100q", got)
			}
		})
	}
}

// What every run of a quest is told comes first, then the repository's rules. A resumed
// session gets both, too. In a trusted repository the CLI reads the rules itself.
func TestTheSystemPartHasTheCommonPartAndTheRules(t *testing.T) {
	t.Parallel()
	for _, resume := range []bool{false, true} {
		for _, trusted := range []bool{false, true} {
			spec := specOf(t, orchestration.Siegemaster)
			spec.System, spec.Resume, spec.Trusted = "# For all\n", resume, trusted
			write(t, filepath.Join(spec.Dir, "CLAUDE.md"), "use tabs\n")
			cfg := configured(t, "2.1.329 (Claude Code)|in")
			runner := claude.New(cfg)
			files, err := runner.WriteFiles(spec)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(files.System)
			if err != nil {
				t.Fatal(err)
			}
			common, rules, both := strings.Cut(string(got), "\n# Project rules\n")
			if common != "# For all\n" || both == trusted || both && !strings.Contains(rules, "use tabs") {
				t.Errorf("resumed %v, trusted %v: %q", resume, trusted, got)
			}
			if !slices.Contains(runner.Argv(spec, files), "--append-system-prompt-file="+files.System) {
				t.Errorf("resumed %v, trusted %v: the command line does not name it", resume, trusted)
			}
		}
	}
}
