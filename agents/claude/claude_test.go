package claude_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"questboard/agents"
	"questboard/agents/claude"
	"questboard/orchestration"
)

// The whole command line, as the program gets it
// (docs/hardening.md#how-it-starts).
func TestCommandLine(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "2.1.329 (Claude Code)|in")
	cfg.Model, cfg.Args = "opus", []string{"--effort", "high"}
	runner := claude.New(cfg)
	spec := specOf(t, orchestration.PathSeeker)
	write(t, filepath.Join(spec.Dir, "CLAUDE.md"), "rules")
	c := play(t, runner, cfg, spec)
	want := []string{
		"-p", "--verbose", "--output-format=stream-json", "--session-id=" + spec.SessionID,
		"--mcp-config=" + filepath.Join(cfg.RunsDir, "q1-r1", "mcp.json"),
		"--setting-sources=user", "--permission-mode=default",
		"--allowedTools=Task,Read,Glob,Grep,Agent,mcp__quest__signal-back,mcp__quest__get-quest,mcp__quest__set-size,mcp__quest__set-requirements,mcp__quest__plan-steps",
		"--disallowedTools=AskUserQuestion,EnterPlanMode,ExitPlanMode,EnterWorktree,ExitWorktree,ScheduleWakeup,CronCreate,CronDelete,CronList,RemoteTrigger,SendMessage,ListAgents,Monitor,Workflow,ReportFindings,Edit(//**)",
		"--permission-prompt-tool=mcp__quest__permit",
		"--exclude-dynamic-system-prompt-sections",
		`--settings={"permissions":{"ask":["Bash"]},"sandbox":{"autoAllowBashIfSandboxed":false}}`,
		"--strict-mcp-config",
		"--append-system-prompt-file=" + filepath.Join(cfg.RunsDir, "q1-r1", "system.md"),
		"--model=opus", "--effort", "high",
	}
	if diff := cmp.Diff(want, c.Args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	if c.Mode != 0o600 || c.MCP != `{"mcpServers":{"quest":{"type":"http","url":"http://127.0.0.1:8420/mcp","headers":{"Authorization":"Bearer the-token"},"alwaysLoad":true}}}` {
		t.Errorf("MCP file of mode %o: %s", c.Mode, c.MCP)
	}
	for _, arg := range c.Args {
		if strings.Contains(arg, "the-token") || strings.Contains(arg, "--version") {
			t.Errorf("a secret or the prompt is in the arguments: %s", arg)
		}
	}
	if _, err := os.Stat(filepath.Join(cfg.RunsDir, "q1-r1", "mcp.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the token outlives its run: %v", err)
	}
}

func TestCommandLineOfAResumedRunInATrustedRepository(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "2.1.329 (Claude Code)|in")
	spec := specOf(t, orchestration.Codeweaver)
	spec.Resume, spec.Trusted = true, true
	write(t, filepath.Join(spec.Dir, "CLAUDE.md"), "rules")
	c := play(t, claude.New(cfg), cfg, spec)
	for _, arg := range []string{"--resume=" + spec.SessionID, "--setting-sources=user,project,local", "--permission-mode=acceptEdits"} {
		if !slices.Contains(c.Args, arg) {
			t.Errorf("%v has no %s", c.Args, arg)
		}
	}
	for _, arg := range c.Args {
		if strings.HasPrefix(arg, "--session-id") || strings.HasPrefix(arg, "--settings") || strings.HasPrefix(arg, "--append-system-prompt-file") || arg == "--strict-mcp-config" {
			t.Errorf("%s has no place here", arg)
		}
	}
}

// Agents see only the variables of docs/interfaces.md#what-agents-see-of-the-environment.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "2.1.329 (Claude Code)|in")
	c := play(t, claude.New(cfg), cfg, specOf(t, orchestration.Codeweaver))
	var names []string
	for _, entry := range c.Env {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{"AWS_REGION", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "CLAUDE_CODE_MAX_RETRIES", "CLAUDE_CODE_PLAY",
		"DISABLE_AUTOUPDATER", "HOME", "MINE", "PATH", "QUESTBOARD_RUN_ID"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

// A role that only reads has settings by which git starts nothing that a folder of the tree names.
func TestAReadersGitObeysNoFolderOfTheTree(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "2.1.329 (Claude Code)|in")
	c := play(t, claude.New(cfg), cfg, specOf(t, orchestration.PathSeeker))
	for _, want := range []string{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit",
		"GIT_CONFIG_KEY_1=core.fsmonitor", "GIT_CONFIG_VALUE_1=false", "GIT_OPTIONAL_LOCKS=0"} {
		if !slices.Contains(c.Env, want) {
			t.Errorf("environment %v without %s", c.Env, want)
		}
	}
}

func TestTheUsersOwnRetriesStand(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "2.1.329 (Claude Code)|in")
	cfg.Environ = append(cfg.Environ, "CLAUDE_CODE_MAX_RETRIES=9")
	c := play(t, claude.New(cfg), cfg, specOf(t, orchestration.Codeweaver))
	if !slices.Contains(c.Env, "CLAUDE_CODE_MAX_RETRIES=9") {
		t.Errorf("environment %v", c.Env)
	}
}

func TestAMissingCLIIsNotStarted(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "")
	cfg.Path = filepath.Join(t.TempDir(), "claude")
	_, err := claude.New(cfg).Start(t.Context(), specOf(t, orchestration.Codeweaver), ignore{})
	var notStarted *agents.NotStarted
	if !errors.As(err, &notStarted) || !strings.Contains(notStarted.Why, "npm install") {
		t.Errorf("error %v, want NotStarted that says how to install it", err)
	}
	if left, _ := filepath.Glob(filepath.Join(cfg.RunsDir, "*", "mcp.json")); len(left) > 0 {
		t.Errorf("left on disk: %v", left)
	}
}

func TestACLIThatIsNotFitIsNotStarted(t *testing.T) {
	t.Parallel()
	for version, says := range map[string]string{"1.0.0 (Claude Code)": "`claude update`", "hello": "is not Claude Code"} {
		cfg := configured(t, version+"|in")
		_, err := claude.New(cfg).Start(t.Context(), specOf(t, orchestration.Codeweaver), ignore{})
		var notStarted *agents.NotStarted
		if !errors.As(err, &notStarted) || !strings.Contains(notStarted.Why, says) {
			t.Errorf("%s: error %v, want NotStarted that says %q", version, err, says)
		}
		if left, _ := filepath.Glob(filepath.Join(cfg.RunsDir, "*", "mcp.json")); len(left) > 0 {
			t.Errorf("left on disk: %v", left)
		}
	}
}

func TestARunIDIsNoPath(t *testing.T) {
	t.Parallel()
	cfg := configured(t, "")
	for _, id := range []string{"", "..", "a/b", "/etc", "../up"} {
		spec := specOf(t, orchestration.Codeweaver)
		spec.RunID = id
		if _, err := claude.New(cfg).Start(t.Context(), spec, ignore{}); err == nil {
			t.Errorf("run id %q was taken", id)
		}
	}
}

// play runs the imitated CLI and returns how it was called.
func play(t *testing.T, runner *claude.Runner, cfg claude.Config, spec agents.Spec) called {
	t.Helper()
	p, err := runner.Start(t.Context(), spec, ignore{})
	if err != nil {
		t.Fatal(err)
	}
	if ended := p.Wait(); ended.End != orchestration.EndClean {
		t.Fatalf("ended %+v", ended)
	}
	output, err := os.ReadFile(filepath.Join(cfg.RunsDir, spec.RunID, "output.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var result struct{ Result string }
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	var c called
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &result); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(result.Result), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
