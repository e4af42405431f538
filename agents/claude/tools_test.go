package claude_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/agents/claude"
	"questboard/orchestration"
)

func TestToolsOfARoleAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role        orchestration.Role
		allow, deny string
		fault       string // the field, or ""
	}{
		{orchestration.Codeweaver, "WebSearch;WebFetch(domain:example.org);mcp__github__get_issue", "Task;Agent;Bash(git push *)", ""},
		{orchestration.PathSeeker, "Bash(npm view *)", "", ""},
		{orchestration.PathSeeker, "Bash", "", "allow"},
		{orchestration.PathSeeker, "Bash(*)", "", "allow"},
		{orchestration.PathSeeker, "Edit", "", "allow"},
		{orchestration.PathSeeker, "Write(notes.md)", "", "allow"},
		{orchestration.Codeweaver, "AskUserQuestion", "", "allow"},
		{orchestration.Codeweaver, "WebSearch", "WebSearch", "allow"},
		{orchestration.Codeweaver, "", "mcp__quest__signal-back", "deny"},
		{orchestration.Codeweaver, "", "mcp__quest", "deny"},
		{orchestration.Codeweaver, "", "mcp__*", "deny"},
		{orchestration.Codeweaver, "", "*", "deny"},
		{orchestration.Codeweaver, "Bash(a,b)", "", "allow"},
		{orchestration.Codeweaver, "Bash(a) Edit", "", "allow"},
		{orchestration.Codeweaver, "--dangerously-skip-permissions", "", "allow"},
		{orchestration.Codeweaver, "Bash(a\nb)", "", "allow"},
		{orchestration.Codeweaver, strings.Repeat("a;", 50) + "a", "", "allow"},
		{orchestration.Codeweaver, strings.Repeat("a", 201), "", "allow"},
	} {
		list := func(s string) []string {
			return slices.DeleteFunc(strings.Split(s, ";"), func(s string) bool { return s == "" })
		}
		faults := claude.CheckTools(c.role, list(c.allow), list(c.deny))
		if c.fault == "" && len(faults) > 0 || c.fault != "" && (len(faults) != 1 || faults[c.fault] == "") {
			t.Errorf("%s, allow %.40q, deny %.40q: %v, want a fault of %q", c.role, c.allow, c.deny, faults, c.fault)
		}
	}
}

// The role's settings win over those of the server. The tools that the user allows are
// added to those of the role, and the user's own arguments come last.
func TestCommandLineOfARoleWithSettings(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "2.1.329 (Claude Code)|in")
	cfg.Model, cfg.Args = "opus", []string{"--max-turns", "9"}
	spec := specOf(t, orchestration.Codeweaver)
	spec.Model, spec.Effort, spec.Allow, spec.Deny = "haiku", "max", []string{"WebSearch"}, []string{"Task", "Agent"}
	args := play(t, claude.New(cfg), cfg, spec).Args
	if tail := args[len(args)-4:]; !slices.Equal(tail, []string{"--model=haiku", "--effort=max", "--max-turns", "9"}) {
		t.Errorf("the end of the command line: %q", tail)
	}
	if slices.Contains(args, "--model=opus") {
		t.Error("the server's model is named, too")
	}
	for _, end := range []string{",WebSearch", ",ReportFindings,Task,Agent"} {
		if !slices.ContainsFunc(args, func(a string) bool { return strings.HasSuffix(a, end) }) {
			t.Errorf("%q has no list that ends with %s", args, end)
		}
	}
	allowed, denied := claude.Tools(orchestration.Codeweaver)
	if slices.Contains(allowed, "WebSearch") || slices.Contains(denied, "Task") {
		t.Error("what one run was given stays for the next")
	}
}
