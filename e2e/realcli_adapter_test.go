package e2e_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/agentstest"
	"questboard/orchestration"
)

const signalBack = agents.SignalTool

// done is a model that signals complete and ends its turn.
func done(r agentstest.Request) agentstest.Reply {
	if text, _ := r.LastResult(); strings.HasPrefix(text, "Stored.") {
		return agentstest.Say(agentstest.Text("The work is done."))
	}
	return agentstest.Say(agentstest.Text("Signalling."), agentstest.Use(signalBack,
		map[string]string{"signal": "complete", "stepId": "s1", "summary": "done"}))
}

// The command line of every role works (docs/hardening.md#how-it-starts) with the
// oldest supported release and with the pinned one.
func TestRealCLIEveryRoleCanSignal(t *testing.T) {
	t.Parallel()
	for _, role := range orchestration.Roles {
		if !role.Agent() {
			continue
		}
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			everyRoleCanSignal(t, cliVersion, role)
		})
	}
	for _, role := range []orchestration.Role{orchestration.PathSeeker, orchestration.Codeweaver} {
		t.Run("oldest release/"+string(role), func(t *testing.T) {
			t.Parallel()
			everyRoleCanSignal(t, oldestCLI, role)
		})
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
	for _, name := range []string{"Edit", "Write", "mcp__quest__set-size", "mcp__quest__set-requirements", "mcp__quest__plan-steps"} {
		if !first.HasTool(name) { // all roles see the same tools
			t.Errorf("%s has no %s", role, name)
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
