package e2e_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"questboard/agents/agentstest"
)

// The settings of a role apply to its next agent: its text, model, effort and tools.
// The text about the protocol stays.
func TestRealCLIIsStartedAsTheSettingsOfItsRoleSay(t *testing.T) {
	t.Parallel()
	repo := shop(t)
	model := agentstest.NewModel(t, func(r agentstest.Request) agentstest.Reply {
		if r.Turn() == 0 && strings.Contains(r.Text(), "role=codeweaver") {
			return agentstest.Say(signal("needs-user-input", "alone", "question", "Is that so?", "context", "none"))
		}
		return agentstest.Say(say("Done."))
	})
	s := startReal(t, claudeCLI(t, cliVersion), model)
	s.send("PATCH", "/api/v1/settings", jsonText(object{"roles": []object{{"role": "codeweaver", "prompt": "You are a poet. Write haiku about {{code .Line}}.",
		"model": "claude-opus-4-8", "effort": "low", "allow": []string{"WebSearch"}, "deny": []string{"NotebookEdit"}}}})).want(200)
	id := s.post("/quests", jsonText(object{"request": "- Be polite", "repo": repo, "workspace": "shared",
		"plan": object{"steps": []object{{"id": "alone", "title": "Greet"}}}})).want(201)["id"].(string)
	s.eventually(id, "a question is open", func(q object) bool { return len(objects(q["questions"])) == 1 })
	first := model.Requests()[0]
	text := first.Text()
	for _, want := range []string{"Write haiku about `alone`.", "[questboard] quest=" + id, "`signal-back`"} {
		if !strings.Contains(text, want) {
			t.Errorf("the agent was not told %q", want)
		}
	}
	if strings.Contains(text, "You implement one piece of work") {
		t.Error("the agent was told the built-in text, too")
	}
	if effort := gjson.GetBytes(first.Body, "output_config.effort").String(); first.Model() != "claude-opus-4-8" || effort != "low" {
		t.Errorf("model %q, effort %q", first.Model(), effort)
	}
	if tools := first.Tools(); slices.Contains(tools, "NotebookEdit") || !slices.Contains(tools, signalBack) || !slices.Contains(tools, "Edit") {
		t.Errorf("tools %v", tools)
	}

	// A resumed session keeps its text but gets the new model.
	s.send("PATCH", "/api/v1/settings", `{"roles":[{"role":"codeweaver","prompt":"You are a painter.","model":"claude-sonnet-5"}]}`).want(200)
	q := s.get("/quests/" + id).want(200)
	s.post("/questions/"+objects(q["questions"])[0]["id"].(string)+"/answer", `{"answer":"It is."}`).want(200)
	var resumed agentstest.Request
	poll(t, 2*time.Minute, func() bool {
		for _, r := range model.Requests() {
			if strings.Contains(r.Text(), "start=answer") {
				resumed = r
				return true
			}
		}
		return false
	}, func() string { return "the session goes on" })
	if text := resumed.Text(); strings.Contains(text, "painter") || !strings.Contains(text, "haiku") || resumed.Model() != "claude-sonnet-5" {
		t.Errorf("the resumed session, by %s:\n%s", resumed.Model(), text)
	}
	s.post("/quests/"+id+"/abandon", "").want(200)
}
