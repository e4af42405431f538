package e2e_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/agentstest"
	"questboard/orchestration"
)

// generous are settings of a user who lets Claude Code do everything.
const generous = `{"permissions": {"defaultMode": "bypassPermissions",
	"allow": ["Bash", "Bash(*)", "Bash(touch *)", "Edit", "Edit(//**)", "Write", "NotebookEdit", "WebFetch", "WebSearch", "Skill"]}}`

// What a user allows in ~/.claude/settings.json gives a role that only reads nothing that it
// must not have. So it is with the oldest supported release and with the pinned one.
func TestRealCLIAllowRulesOfTheUserGiveAReaderNothing(t *testing.T) {
	t.Parallel()
	attempts := []attempt{bash("git log -1 --format=%s", true)}
	for _, command := range []string{"touch made", "rm CLAUDE.md", "sed -i s/animal/bird/ CLAUDE.md", "git log -1 > made",
		"cp CLAUDE.md made", "git branch made", "sh -c 'echo x > made'", "find . -name CLAUDE.md -delete", "python3 -c 'open(\"made\",\"w\")'"} {
		attempts = append(attempts, bash(command, false))
	}
	attempts = append(attempts, changes(false)[:4]...)
	for _, version := range []string{oldestCLI, cliVersion} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			var r *rig
			r = newRig(t, version, orchestration.PathSeeker, func(req agentstest.Request) agentstest.Reply {
				if req.N >= len(attempts) {
					return done(req)
				}
				return agentstest.Say(agentstest.Use(attempts[req.N].tool, r.placed(attempts[req.N].input)))
			})
			r.config.Model = "claude-opus-4-8" // with no model, the oldest release takes another one at its very first start
			write(t, filepath.Join(r.home(), ".claude", "settings.json"), generous)
			before := contents(t, r.spec.Dir)
			if ended := r.play(); ended.End != orchestration.EndClean {
				t.Fatalf("ended %+v\n%s", ended, r.output())
			}
			for i, a := range attempts {
				if text, isError := r.model.Requests()[i+1].LastResult(); isError == a.allowed || !a.allowed && !strings.Contains(text, "denied") {
					t.Errorf("%s %v: allowed = %v, want %v: %s", a.tool, a.input, !isError, a.allowed, text)
				}
			}
			if after := contents(t, r.spec.Dir); !maps.Equal(before, after) {
				t.Errorf("files changed: %v\n%v", before, after)
			}
		})
	}
}
