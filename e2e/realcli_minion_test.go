package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/agents/agentstest"
	"questboard/orchestration"
)

// Minions are an agent's own sub-agents. They work within its turn, in the foreground,
// and have the rights of its role.
func TestRealCLIMinionWorksWithinTheTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t, cliVersion, orchestration.PathSeeker, func(req agentstest.Request) agentstest.Reply {
		if !strings.Contains(req.Text(), "[questboard]") {
			if req.Turn() == 0 {
				return agentstest.Say(agentstest.Use("Bash", map[string]string{"command": "touch made", "description": "try it"}))
			}
			text, _ := req.LastResult()
			return agentstest.Say(agentstest.Text("MINION SAW: " + text))
		}
		if req.Turn() == 0 {
			return agentstest.Say(agentstest.Use("Agent", map[string]string{
				"description": "look around", "prompt": "make a file", "subagent_type": "general-purpose"}))
		}
		return done(req)
	})
	ended := r.play()
	if ended.End != orchestration.EndClean || len(r.quests.signals()) != 1 {
		t.Fatalf("ended %+v, signals %v\n%s", ended, r.quests.signals(), r.output())
	}
	var heard string
	for _, req := range r.model.Requests() {
		if text, _ := req.LastResult(); strings.Contains(text, "MINION SAW") {
			heard = text
			break
		}
	}
	if !strings.Contains(heard, "denied") {
		t.Errorf("the planner's minion could write; it said %q", heard)
	}
	if n := strings.Count(r.output(), `"type":"result"`); n != 1 {
		t.Errorf("%d results: work in the background was not avoided", n)
	}
	if !slices.Equal(ended.Exit.Denied, []string{"Bash"}) {
		t.Errorf("denied %q, want Bash for the card", ended.Exit.Denied)
	}
}
