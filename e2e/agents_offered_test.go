package e2e_test

import (
	"strings"
	"testing"
)

// The simulated agent builds nothing. A person who chooses it by mistake would wait for nothing.
func TestTheSimulatedAgentIsOfferedOnlyWhereItIsTheDefault(t *testing.T) {
	t.Parallel()
	first := startAPI(t, holding)
	if form := first.page("/quests/new"); !strings.Contains(form, `value="simulated"`) {
		t.Error("the server of the simulated agent does not offer it")
	}
	quest := jsonText(object{"request": "- Hold", "repo": apiRepo(t), "ward": "", "agent": "simulated",
		"plan": object{"steps": []object{{"id": "hold", "title": "Hold"}}}})
	old := first.post("/quests", quest).want(201)["id"].(string)
	first.stop()

	s := startAPI(t, holding, "-data", first.data, "-agent", "claude")
	if form := s.page("/quests/new"); strings.Contains(form, `"simulated"`) || !strings.Contains(form, `value="claude"`) {
		t.Error("the form of a server of Claude Code offers the simulated agent, or not its own")
	}
	if got := jsonText(s.post("/quests", quest).want(422)); !strings.Contains(got, "must be one of claude, codex, gemini, opencode") {
		t.Errorf("the API says %s", got)
	}
	if was := s.get("/quests/" + old).want(200); was["agent"] != "simulated" {
		t.Errorf("the quest from before has the agent %v", was["agent"])
	}
	if board := s.page("/quests/" + old); !strings.Contains(board, "Hold") {
		t.Errorf("the board of the quest from before is %s", board)
	}
	s.eventually(old, "its agent goes on", func(q object) bool { return q["status"] == "running" })
}
