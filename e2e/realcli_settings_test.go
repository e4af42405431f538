package e2e_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/agentstest"
	"questboard/orchestration"
)

// generous and common are settings of users. The first lets Claude Code do everything.
const (
	generous = `{"permissions": {"defaultMode": "bypassPermissions", "allow": ["Bash", "Bash(*)", "Bash(touch *)", "Edit", "Edit(//**)", "Write", "NotebookEdit"]}}`
	common   = `{"permissions": {"allow": ["Bash(git branch *)", "Bash(sh:*)", "Bash(find *)", "Bash(python3 *)", "Bash(cat *)", "Bash(git log:*)", "Bash(rm *)"]}}`
)

// What a user allows in ~/.claude/settings.json gives a role that only reads nothing that it
// must not have. If that is every command, the role has none. So it is with the oldest supported release and with the pinned one.
func TestRealCLIAllowRulesOfTheUserGiveAReaderNothing(t *testing.T) {
	t.Parallel()
	var attempts []attempt
	for _, command := range []string{"touch made", "rm CLAUDE.md", "sed -i s/animal/bird/ CLAUDE.md", "git log -1 > made", "git log -1 --output=made",
		"cp CLAUDE.md made", "git branch made", "sh -c 'echo x > made'", "find . -name CLAUDE.md -delete", "python3 -c 'open(\"made\",\"w\")'",
		"cat CLAUDE.md; touch made", "cat $(touch made)", "cat `touch made`", "cat CLAUDE.md > made"} {
		attempts = append(attempts, bash(command, false))
	}
	attempts = append(attempts, changes(false)[1:4]...)
	for name, c := range map[string]struct {
		version, settings string
		reads             bool // it may still run what reads
	}{
		"everything/oldest release": {oldestCLI, generous, false}, "everything": {cliVersion, generous, false},
		"commands/oldest release": {oldestCLI, common, true}, "commands": {cliVersion, common, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attempts := slices.Concat(attempts, []attempt{bash("git log -1 --format=%s", c.reads), bash("cat CLAUDE.md | head -1", c.reads)})
			var r *rig
			r = newRig(t, c.version, orchestration.PathSeeker, func(req agentstest.Request) agentstest.Reply {
				if req.N >= len(attempts) {
					return done(req)
				}
				return agentstest.Say(agentstest.Use(attempts[req.N].tool, r.placed(attempts[req.N].input)))
			})
			r.config.Model = "claude-opus-4-8" // with no model, the oldest release takes another one at its very first start
			write(t, filepath.Join(r.home(), ".claude", "settings.json"), c.settings)
			before := contents(t, r.spec.Dir)
			if ended := r.play(); ended.End != orchestration.EndClean {
				t.Fatalf("ended %+v\n%s", ended, r.output())
			}
			for i, a := range attempts {
				if text, isError := r.model.Requests()[i+1].LastResult(); isError == a.allowed || !a.allowed && !strings.Contains(text, "denied") && !strings.Contains(text, "No such tool available: Bash") {
					t.Errorf("%s %v: allowed = %v, want %v: %s", a.tool, a.input, !isError, a.allowed, text)
				}
			}
			if first := r.model.Requests()[0]; first.HasTool("Bash") != c.reads {
				t.Errorf("the tools are %v", first.Tools())
			}
			if after := contents(t, r.spec.Dir); !maps.Equal(before, after) {
				t.Errorf("files changed: %v\n%v", before, after)
			}
		})
	}
}
