package e2e_test

import (
	"strings"
	"testing"
)

// loggedOut is a scenario in which the account of the simulated agent stops working during the
// step held. Nobody of it is to work on the step new.
const loggedOut = `
- {role: codeweaver, step: held, visit: 1, do: [{say: I begin.}, {api-error: auth}]}
- {role: codeweaver, step: new, do: [{exit: 3}]}
- {role: codeweaver, do: [{tool: {name: signal-back, input: {signal: complete, summary: done}}}]}
`

// heldQuest begins a quest of two steps whose Codeweaver has another agent to go on with, and
// returns it when the session on the first one waits for the account.
func heldQuest(t *testing.T, plan string) (*apiServer, string, object) {
	t.Helper()
	s := startAPI(t, loggedOut)
	setOwnAgent(t, s)
	quest := s.begin(apiRepo(t), `,"slots":1,"roles":{"codeweaver":{"fallback":["acp:test"]}},"plan":{"steps":[`+plan+`]}`)
	q := s.until(quest, "the session waits", func(q object) bool {
		runs := ofStep(q, "codeweaver", "held")
		return len(runs) == 2 && runs[1]["state"] == "queued"
	})
	return s, quest, q
}

// The account of one agent is held: what is new goes on with the other one, which resumes its
// own sessions. The session of the first waits, and goes on when the account works.
func TestAnotherAgentGoesOnWhileAnAccountIsHeld(t *testing.T) {
	t.Parallel()
	s, quest, _ := heldQuest(t, `{"id":"held","title":"Held"},{"id":"new","title":"New"}`)
	q := s.until(quest, "the other agent asks", func(q object) bool { return len(objects(q["questions"])) == 1 })
	if r := ofStep(q, "codeweaver", "new")[0]; r["agent"] != "acp:test" || r["inPlaceOf"] != "simulated" {
		t.Errorf("%v works in the place of %v", r["agent"], r["inPlaceOf"])
	}
	if held := ofStep(q, "codeweaver", "held"); len(held) != 2 || held[1]["state"] != "queued" || held[1]["resumedFrom"] != held[0]["id"] {
		t.Errorf("the session does not wait for its own account: %s", jsonText(held))
	}
	if need := needOf(q, "fallback"); need == nil || need["step"] != "held" || need["agent"] != "acp:test" {
		t.Errorf("what a person may do: %s", jsonText(q["needs"]))
	}
	if card := s.send("GET", "/quests/"+quest+"/history", "").text; !strings.Contains(card, "acp:test for simulated") {
		t.Error("the history does not say for whom the other agent works")
	}
	s.post("/questions/"+objects(q["questions"])[0]["id"].(string)+"/answer", `{"answer":"hello"}`).want(200)
	q = s.until(quest, "the other agent goes on", func(q object) bool {
		runs := ofStep(q, "codeweaver", "new")
		return len(runs) == 2 && runs[1]["state"] == "ended"
	})
	if r := ofStep(q, "codeweaver", "new")[1]; r["agent"] != "acp:test" || r["inPlaceOf"] != "simulated" {
		t.Errorf("its session is resumed by %v in the place of %v", r["agent"], r["inPlaceOf"])
	}
	s.post("/quests/"+quest+"/resume", "").want(200) // somebody has logged in
	q = s.untilStatus(quest, "complete")
	if r := ofStep(q, "codeweaver", "held")[1]; r["agent"] != "simulated" || r["inPlaceOf"] != nil || r["outcome"] != "signalled" {
		t.Errorf("the session went on with %v: %s", r["agent"], jsonText(r))
	}
}

// A person does not want to wait: the other agent begins a new session with what is known.
func TestAPersonHasAnotherAgentGoOnForASession(t *testing.T) {
	t.Parallel()
	s, quest, _ := heldQuest(t, `{"id":"held","title":"Held"}`)
	s.post("/quests/"+quest+"/steps/held/fallback", "").want(200)
	q := s.until(quest, "the other agent has worked", func(q object) bool {
		runs := ofStep(q, "codeweaver", "held")
		return len(runs) == 2 && runs[1]["state"] == "ended"
	})
	if r := ofStep(q, "codeweaver", "held")[1]; r["agent"] != "acp:test" || r["inPlaceOf"] != "simulated" || r["start"] != "handoff" || r["outcome"] != "signalled" {
		t.Errorf("it went on as %s", jsonText(r))
	}
	s.post("/quests/"+quest+"/steps/held/fallback", "").want(409)
	s.post("/quests/"+quest+"/steps/nobody/fallback", "").want(404)
}

func TestAFallbackThatCannotBeIsRefusedWhereItIsChosen(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	setOwnAgent(t, s)
	repo := apiRepo(t)
	role := func(program object) string {
		return jsonText(object{"request": "- Greet", "repo": repo, "roles": object{"codeweaver": program}})
	}
	for what, program := range map[string]object{
		"to itself":             {"agent": "acp:test", "fallback": []string{"acp:test"}},
		"to the quest's agent":  {"fallback": []string{"simulated"}},
		"in a circle":           {"fallback": []string{"acp:test", "acp:test"}},
		"to an agent elsewhere": {"fallback": []string{"acp:gone"}},
		"after no time":         {"fallback": []string{"acp:test"}, "fallbackAfter": -1},
	} {
		if r := s.post("/quests", role(program)); r.status != 422 || !strings.Contains(r.text, "roles.codeweaver.fallback") {
			t.Errorf("%s: %d %s", what, r.status, r.text)
		}
	}
	for what, edit := range map[string]string{
		"to itself":             `{"role":"codeweaver","agent":"acp:test","fallback":["acp:test"]}`,
		"to an agent elsewhere": `{"role":"codeweaver","fallback":["acp:gone"]}`,
	} {
		if r := s.send("PATCH", "/api/v1/settings", `{"roles":[`+edit+`]}`); r.status != 422 || !strings.Contains(r.text, "roles.0.fallback") {
			t.Errorf("the settings, %s: %d %s", what, r.status, r.text)
		}
	}
	s.send("PATCH", "/api/v1/settings", `{"roles":[{"role":"codeweaver","fallback":["simulated","acp:test"],"fallbackAfter":1}]}`).want(200)
	q := s.post("/quests", jsonText(object{"request": "- Greet", "repo": repo})).want(201)
	if got := jsonText(q["roles"].(object)["codeweaver"]); !strings.Contains(got, `"acp:test"`) || !strings.Contains(got, `"fallbackAfter":1`) {
		t.Errorf("the quest has %s from the settings", got)
	}
}

// needOf returns what waits of a kind; nil: nothing.
func needOf(q object, kind string) object {
	for _, n := range objects(q["needs"]) {
		if n["kind"] == kind {
			return n
		}
	}
	return nil
}
