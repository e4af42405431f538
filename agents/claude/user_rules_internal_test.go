package claude

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

// A rule by which the user allows commands is denied to a role that only reads, unless it
// allows only commands that change nothing.
func TestCommandsThatTheUserAllowsAreDeniedToAReader(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	settings := func(dir, name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, ".claude"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".claude", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &Runner{cfg: Config{Environ: []string{"HOME=" + home}}}
	denied := func(role orchestration.Role, trusted bool) string {
		return strings.Join(r.commandsOfUser(agents.Spec{Role: role, Dir: dir, Trusted: trusted}), ",")
	}
	if got := denied(orchestration.PathSeeker, true); got != "" {
		t.Errorf("there are no settings, and %s is denied", got)
	}
	for rule, want := range map[string]string{
		"Bash": "Bash", "Bash(*)": "Bash", "Bash(:*)": "Bash", "Bash( * )": "Bash", "Bash()": "Bash",
		"Bash(npm run test:*)": "Bash(npm run test:*)", "Bash(git *)": "Bash(git *)", "Bash(git:*)": "Bash(git:*)", "Bash(touch made)": "Bash(touch made)",
		"Bash(echo \\\"a, b\\\")": "Bash", "Bash(sort *)": "Bash(sort *)", "Bash(lsof *)": "Bash(lsof *)", "Bash(ls*)": "Bash(ls*)", "Bash(cat *; rm *)": "Bash(cat *; rm *)",
		"Bash(ls *)": "", "Bash(git log:*)": "", "Bash(grep -r *)": "", "Bash(cat CLAUDE.md)": "", "Read(*)": "", "WebSearch": "", "mcp__x__y": "", " Bash ": "Bash",
	} {
		settings(home, "settings.json", `{"permissions": {"allow": [7, "`+rule+`"]}}`)
		if got := denied(orchestration.ChaosWhisperer, false); got != want {
			t.Errorf("%s: %q is denied, want %q", rule, got, want)
		}
		if got := denied(orchestration.Codeweaver, true); got != "" {
			t.Errorf("%s: %q is denied to a role that writes", rule, got)
		}
	}
	settings(home, "settings.json", `{"permissions": {"allow": ["Bash(make *)"]}}`)
	settings(dir, "settings.json", `{"permissions": {"allow": ["Bash(make *)", "Bash(npm *)"]}}`)
	settings(dir, "settings.local.json", `{"permissions": {"allow": ["Bash(go test *)"]}}`)
	if got := denied(orchestration.PathSeeker, false); got != "Bash(make *)" {
		t.Errorf("not trusted: %s", got)
	}
	if got := denied(orchestration.PathSeeker, true); got != "Bash(make *),Bash(npm *),Bash(go test *)" {
		t.Errorf("trusted: %s", got)
	}
	for text, want := range map[string]string{
		"": "", " \n": "", "{}": "", `{"sandbox": {"enabled": false}}`: "", `{"sandbox": {"enabled": true, "autoAllowBashIfSandboxed": false}}`: "",
		"{": "Bash", `{"permissions": 3}`: "Bash", `{"permissions": {"allow": "Bash"}}`: "Bash", // what we cannot read may allow anything
		"\ufeff" + `{"permissions": {"allow": ["Bash(make *)"]}}`: "Bash(make *)",
		`{"sandbox": {"enabled": true}}`:                          "Bash",
	} {
		settings(home, "settings.json", text)
		if got := denied(orchestration.PathSeeker, false); got != want {
			t.Errorf("%q: %q is denied, want %q", text, got, want)
		}
	}
	settings(home, "settings.json", `{"permissions": {"allow": ["Bash(npm view *)", "Bash(make *)"]}}`)
	chosen := agents.Spec{Role: orchestration.PathSeeker, Dir: dir, Allow: []string{"Bash(npm view *)"}}
	if got := r.commandsOfUser(chosen); !slices.Equal(got, []string{"Bash(make *)"}) {
		t.Errorf("what the person chose for the role is denied: %q", got)
	}
	elsewhere := &Runner{cfg: Config{Environ: []string{"HOME=" + dir, "CLAUDE_CONFIG_DIR=" + filepath.Join(home, ".claude")}}}
	if got := elsewhere.commandsOfUser(agents.Spec{Role: orchestration.PathSeeker, Dir: dir}); !slices.Contains(got, "Bash(make *)") {
		t.Errorf("the folder that the variable names is not read: %q", got)
	}
	settings(home, "settings.json", strings.Repeat(" ", maxSettings+1))
	if got := r.commandsOfUser(agents.Spec{Role: orchestration.PathSeeker, Dir: dir}); !slices.Equal(got, []string{everyCommand}) {
		t.Errorf("too large: %q", got)
	}
}
