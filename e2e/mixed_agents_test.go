package e2e_test

import (
	"slices"
	"strings"
	"testing"
)

// One quest, two programs: the settings give Codeweaver one of its own, the quest gives
// Lawbringer back to the server's. Each resumes its own sessions.
func TestRolesOfAQuestUseDifferentAgents(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	setOwnAgent(t, s)
	s.send("PATCH", "/api/v1/settings", `{"roles":[{"role":"codeweaver","agent":"acp:test"},{"role":"lawbringer","agent":"acp:test"}]}`).want(200)
	repo := shop(t)
	id := s.post("/quests", jsonText(object{"request": "- Greet", "repo": repo, "ward": "test -e go.mod", "size": "errand",
		"roles": object{"lawbringer": object{"agent": "simulated"}}})).want(201)["id"].(string)
	q := s.eventually(id, "a question is open", func(q object) bool { return len(objects(q["questions"])) == 1 })
	s.post("/questions/"+objects(q["questions"])[0]["id"].(string)+"/answer", `{"answer":"hello"}`).want(200)
	s.eventually(id, "the quest is complete", func(q object) bool { return q["status"] == "complete" })
	if got := onBranch(t, repo, id, "greeting.txt"); strings.TrimSpace(got) != "hello" {
		t.Errorf("the greeting on the branch is %q", got)
	}
	s.post("/quests/"+id+"/review", `{}`).want(200)
	q = s.eventually(id, "lawbringer has looked", func(q object) bool {
		return q["status"] == "complete" && slices.ContainsFunc(objects(q["runs"]), func(r object) bool { return r["role"] == "lawbringer" })
	})
	agents := map[string]string{"chaoswhisperer": "simulated", "codeweaver": "acp:test", "lawbringer": "simulated", "ward": ""}
	for _, r := range objects(q["runs"]) {
		agent, _ := r["agent"].(string)
		if want, known := agents[r["role"].(string)]; known && agent != want {
			t.Errorf("%v is carried out by %q, want %q", r["role"], agent, want)
		}
	}
	if page := s.send("GET", "/quests/"+id+"/history", "").text; !strings.Contains(page, "Codeweaver · acp:test") {
		t.Error("the history does not say who worked for Codeweaver")
	}
}

func TestAnAgentOfARoleThatIsNotHereIsRefusedWhereItIsChosen(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	repo := shop(t)
	unknown := object{"codeweaver": object{"agent": "acp:gone"}}
	for what, r := range map[string]reply{
		"a new quest":  s.post("/quests", jsonText(object{"request": "- Greet", "repo": repo, "roles": unknown})),
		"the settings": s.send("PATCH", "/api/v1/settings", `{"roles":[{"role":"codeweaver","agent":"acp:gone"}]}`),
		"a check":      s.post("/quests", jsonText(object{"request": "- Greet", "repo": repo, "roles": object{"ward": object{"agent": "simulated"}}})),
		"a bad model":  s.post("/quests", jsonText(object{"request": "- Greet", "repo": repo, "roles": object{"codeweaver": object{"model": "--x"}}})),
	} {
		if r.status != 422 {
			t.Errorf("%s: %d %s", what, r.status, r.text)
		}
	}
}
