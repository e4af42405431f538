package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"questboard/agents/agentstest"
	"questboard/orchestration"
)

// attempt is one tool call that a model tries.
type attempt struct {
	tool    string
	input   map[string]string
	allowed bool
}

func bash(command string, allowed bool) attempt {
	return attempt{"Bash", map[string]string{"command": command, "description": "try it"}, allowed}
}

func file(tool, name string, allowed bool) attempt {
	return attempt{tool, map[string]string{"file_path": name, "content": "x"}, allowed}
}

// Each role has its rights. The planners cannot change a file in any way that the CLI
// has. The other roles edit files and run commands. No role may use a tool that
// bypasses the server.
func TestRealCLIRightsPerRole(t *testing.T) {
	t.Parallel()
	reads := []attempt{
		bash("git log -1 --format=%s", true),
		bash("git diff HEAD", true),
		bash("ls", true),
		bash("touch made", false),
		bash("mkdir made", false),
		bash("rm CLAUDE.md", false),
		bash("git log -1 > made", false),
		bash("git log -1; touch made", false),
		bash("git diff --output=made HEAD", false),
		bash("git log --output=made -1", false),
		file("Write", "made", false),
		file("Edit", "CLAUDE.md", false),
	}
	writes := []attempt{
		bash("test -z \"$SECRET\" && echo x > made", true),
		file("Write", "written", true),
		bash("rm made written", true),
		{"ScheduleWakeup", map[string]string{"delaySeconds": "60"}, false},
		{"EnterWorktree", map[string]string{"name": "away"}, false},
	}
	tests := map[orchestration.Role][]attempt{
		orchestration.ChaosWhisperer: reads, orchestration.PathSeeker: reads,
		orchestration.Codeweaver: writes, orchestration.Siegemaster: writes,
		orchestration.Lawbringer: writes, orchestration.Spiritmender: writes,
	}
	for role, attempts := range tests {
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			var dir string
			r := newRig(t, cliVersion, role, func(req agentstest.Request) agentstest.Reply {
				if req.N >= len(attempts) {
					return done(req)
				}
				a := attempts[req.N]
				input := map[string]string{}
				for key, value := range a.input {
					if key == "file_path" {
						value = filepath.Join(dir, value)
					}
					input[key] = value
				}
				return agentstest.Say(agentstest.Use(a.tool, input))
			})
			dir = r.spec.Dir
			if ended := r.play(); ended.End != orchestration.EndClean {
				t.Fatalf("ended %+v\n%s", ended, r.output())
			}
			for i, a := range attempts {
				text, isError := r.model.Requests()[i+1].LastResult()
				if isError == a.allowed {
					t.Errorf("%s %v: allowed = %v, want %v: %s", a.tool, a.input, !isError, a.allowed, text)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
				t.Error("something was made")
			}
			if _, err := os.Stat(filepath.Join(dir, "CLAUDE.md")); err != nil {
				t.Error(err)
			}
		})
	}
}
