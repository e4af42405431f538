package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/agentstest"
	"questboard/orchestration"
)

const signalBack = agents.SignalTool

// done is the model that signals complete and ends its turn.
func done(r agentstest.Request) agentstest.Reply {
	if text, _ := r.LastResult(); strings.HasPrefix(text, "Stored.") {
		return agentstest.Say(agentstest.Text("The work is done."))
	}
	return agentstest.Say(agentstest.Text("Signalling."), agentstest.Use(signalBack,
		map[string]string{"signal": "complete", "stepId": "s1", "summary": "done"}))
}

// claude-cli.md, "Start": the command line of every role, on the oldest
// release that we support and on the pinned one.
func TestRealCLIEveryRoleCanSignal(t *testing.T) {
	t.Parallel()
	for _, version := range []string{oldestCLI, cliVersion} {
		for _, role := range orchestration.Roles {
			if role.Agent() {
				t.Run(version+"/"+string(role), func(t *testing.T) {
					t.Parallel()
					everyRoleCanSignal(t, version, role)
				})
			}
		}
	}
}

func everyRoleCanSignal(t *testing.T, version string, role orchestration.Role) {
	r := newRig(t, version, role, done)
	r.spec.Prompt = "- [ ] an item; --version\n" + r.spec.Prompt + strings.Repeat("\nlong", 1<<15) // 160 KiB
	watch := &seen{}
	ended := r.start(watch).Wait()
	if ended.End != orchestration.EndClean {
		t.Fatalf("ended %+v\n%s", ended, r.output())
	}
	signals := r.quests.signals()
	if len(signals) != 1 || signals[0].Kind != orchestration.Complete {
		t.Errorf("signals %+v, want one complete", signals)
	}
	first := r.model.Requests()[0]
	if !strings.Contains(strings.Join(first.Said(), ""), r.spec.Prompt) {
		t.Error("the prompt did not reach the model as it is")
	}
	if !strings.Contains(first.Text(), "PLATYPUS") {
		t.Error("the repository's CLAUDE.md did not reach the model")
	}
	for _, name := range []string{signalBack, "mcp__quest__get-quest", "Read", "Glob", "Grep", "Bash", "Agent"} {
		if !first.HasTool(name) {
			t.Errorf("%s has no %s among %v", role, name, first.Tools())
		}
	}
	for _, name := range []string{"Edit", "Write"} {
		if first.HasTool(name) != role.Writes() {
			t.Errorf("%s has %s: %v", role, name, first.HasTool(name))
		}
	}
	owned := map[string]orchestration.Role{
		"mcp__quest__set-requirements": orchestration.ChaosWhisperer, "mcp__quest__plan-steps": orchestration.PathSeeker,
	}
	for name, owner := range owned {
		if first.HasTool(name) != (role == owner) {
			t.Errorf("%s has %s: %v", role, name, first.HasTool(name))
		}
	}
	if !slices.Equal(watch.sessions, []string{r.spec.SessionID}) {
		t.Errorf("sessions %v, want our own %s", watch.sessions, r.spec.SessionID)
	}
	if !slices.Contains(watch.lines, "signal-back complete") {
		t.Errorf("the card showed %q", watch.lines)
	}
	left, err := filepath.Glob(filepath.Join(r.config.RunsDir, "*", "mcp.json"))
	if err != nil || len(left) != 0 {
		t.Errorf("left on disk: %v (%v)", left, err)
	}
}

// Rights per role: the planners cannot change a file by any way that the CLI
// knows of; the others edit and run.
func TestRealCLIRightsPerRole(t *testing.T) {
	t.Parallel()
	tests := []struct {
		role    orchestration.Role
		tool    string
		input   map[string]string
		allowed bool
	}{
		{orchestration.PathSeeker, "Bash", map[string]string{"command": "git log -1 --format=%s"}, true},
		{orchestration.PathSeeker, "Bash", map[string]string{"command": "git diff HEAD"}, true},
		{orchestration.PathSeeker, "Bash", map[string]string{"command": "ls"}, true},
		{orchestration.PathSeeker, "Bash", map[string]string{"command": "touch made"}, false},
		{orchestration.PathSeeker, "Bash", map[string]string{"command": "git log -1 > made"}, false},
		{orchestration.PathSeeker, "Bash", map[string]string{"command": "git log -1; touch made"}, false},
		{orchestration.PathSeeker, "Bash", map[string]string{"command": "git diff --output=made HEAD"}, false},
		{orchestration.PathSeeker, "Bash", map[string]string{"command": "rm CLAUDE.md"}, false},
		{orchestration.PathSeeker, "Write", map[string]string{"file_path": "made", "content": "x"}, false},
		{orchestration.ChaosWhisperer, "Write", map[string]string{"file_path": "made", "content": "x"}, false},
		{orchestration.ChaosWhisperer, "Bash", map[string]string{"command": "mkdir made"}, false},
		{orchestration.Codeweaver, "Write", map[string]string{"file_path": "made", "content": "x"}, true},
		{orchestration.Codeweaver, "Bash", map[string]string{"command": "echo x > made && test -z \"$SECRET\""}, true},
		{orchestration.Siegemaster, "Bash", map[string]string{"command": "mkdir made"}, true},
		{orchestration.Lawbringer, "Write", map[string]string{"file_path": "made", "content": "x"}, true},
		{orchestration.Spiritmender, "Bash", map[string]string{"command": "touch made"}, true},
		{orchestration.Codeweaver, "ScheduleWakeup", map[string]string{"delaySeconds": "60"}, false},
	}
	for _, tt := range tests {
		t.Run(string(tt.role)+"/"+tt.tool+" "+tt.input["command"], func(t *testing.T) {
			t.Parallel()
			var dir string
			r := newRig(t, cliVersion, tt.role, func(req agentstest.Request) agentstest.Reply {
				if req.Turn() > 0 {
					return done(req)
				}
				input := map[string]string{"description": "try it"}
				for k, v := range tt.input {
					if k == "file_path" {
						v = filepath.Join(dir, v)
					}
					input[k] = v
				}
				return agentstest.Say(agentstest.Use(tt.tool, input))
			})
			dir = r.spec.Dir
			if ended := r.play(); ended.End != orchestration.EndClean {
				t.Fatalf("ended %+v\n%s", ended, r.output())
			}
			text, isError := r.model.Requests()[1].LastResult()
			if isError == tt.allowed {
				t.Errorf("allowed = %v, want %v: %s", !isError, tt.allowed, text)
			}
			_, err := os.Stat(filepath.Join(dir, "made"))
			if !tt.allowed && err == nil {
				t.Error("it made a file")
			}
			if _, err := os.Stat(filepath.Join(dir, "CLAUDE.md")); err != nil {
				t.Error(err)
			}
		})
	}
}
