package e2e_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ownKey = "sk-own-0123456789"

// setOwnAgent makes the test binary the agent acp:test.
func setOwnAgent(t *testing.T, s *apiServer) {
	t.Helper()
	setOwnAgentWith(t, s, object{"OWN_KEY": ownKey})
}

// setOwnAgentWith gives it these variables.
func setOwnAgentWith(t *testing.T, s *apiServer, env object) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.send("PATCH", "/api/v1/settings", jsonText(object{"agents": object{"test": object{"command": exe, "args": []string{ownAgentArg}, "env": env}}})).want(200)
}

// A program that cannot work with us is not started again and again: the quest waits and says why.
// Once the program is another one, it goes on.
func TestAQuestWaitsForAProgramThatCanWorkWithUs(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	setOwnAgentWith(t, s, object{ownAgentSpeaks: "2"})
	id := s.post("/quests", jsonText(object{"request": "- Greet", "repo": shop(t), "ward": "test -e go.mod", "size": "errand", "agent": "acp:test"})).want(201)["id"].(string)
	q := s.eventually(id, "the quest waits", func(q object) bool { return unblocked(t, q) && q["wait"] != nil })
	if wait := q["wait"].(object); wait["kind"] != "start" || !strings.Contains(jsonText(wait), "it speaks version 2 of the Agent Client Protocol, and Questboard version 1") {
		t.Errorf("it waits for %s", jsonText(wait))
	}
	if runs := ofStep(q, "codeweaver", "errand"); len(runs) != 2 || runs[0]["outcome"] != "failed-to-start" {
		t.Errorf("the runs are %s", jsonText(runs))
	}
	setOwnAgent(t, s)
	s.post("/quests/"+id+"/resume", "").want(200)
	s.eventually(id, "it asks", func(q object) bool { return unblocked(t, q) && len(objects(q["questions"])) == 1 })
}

// A request becomes a finished change with a program that only the settings name. It asks, is
// loaded again with the answer, works, and leaves a process behind.
func TestAProgramOfTheSettingsCarriesAQuestFromRequestToComplete(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	setOwnAgent(t, s)
	repo := shop(t)
	id := s.post("/quests", jsonText(object{"request": "- Greet", "repo": repo, "ward": "test -e go.mod", "size": "errand", "agent": "acp:test"})).want(201)["id"].(string)
	q := s.eventually(id, "a question is open", func(q object) bool { return len(objects(q["questions"])) == 1 })
	if q["agent"] != "acp:test" {
		t.Errorf("the agent is %v", q["agent"])
	}
	s.post("/questions/"+objects(q["questions"])[0]["id"].(string)+"/answer", `{"answer":"hello"}`).want(200)
	q = s.eventually(id, "the quest is complete", func(q object) bool { return q["status"] == "complete" })
	if got := onBranch(t, repo, id, "greeting.txt"); strings.TrimSpace(got) != "hello" {
		t.Errorf("the greeting on the branch is %q", got)
	}
	for _, r := range objects(q["runs"]) {
		if r["role"] != "ward" && r["sessionId"] != "own-session" {
			t.Errorf("the run %s: the agent chooses its session", jsonText(r))
		}
	}
	// A guest sees no secret of the settings, even where an agent says it.
	share := s.post("/quests/"+id+"/shares", `{}`).want(201)
	if page := s.send("GET", strings.TrimPrefix(share["url"].(string), s.base), "").text; strings.Contains(page, ownKey) || !strings.Contains(page, "<h1") {
		t.Errorf("a guest reads %s", page)
	}
}

func TestOnlyThisMachineSetsAProgramAndItsVariablesAreNeverShownAgain(t *testing.T) {
	t.Parallel()
	s := startAPI(t, workers)
	setOwnAgent(t, s)
	form := func(values url.Values, header ...string) reply {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/settings/agents", strings.NewReader(values.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", "Bearer "+apiToken)
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return s.do(r)
	}
	change := url.Values{"stored": {"test"}, "command": {"/bin/true\nacp"}, "env": {"OWN_KEY\nMORE=1"}}
	if r := form(change, "X-Forwarded-For", "203.0.113.7"); r.status != http.StatusUnprocessableEntity {
		t.Errorf("through a proxy: %d", r.status)
	}
	wrong := form(url.Values{"name": {"Bad Name"}, "command": {"./here"}, "env": {"LOST"}})
	for _, fault := range []string{"agent-new-name-error", "agent-new-command-error", "agent-new-env-error"} {
		if wrong.status != http.StatusUnprocessableEntity || !strings.Contains(wrong.text, fault) {
			t.Errorf("a wrong form: %d, without %s", wrong.status, fault)
		}
	}
	if r := form(change); r.status != http.StatusOK || !strings.Contains(r.text, "Agent saved") {
		t.Errorf("from here: %d", r.status)
	}
	now := s.send("GET", "/api/v1/settings", "")
	now.want(200)
	for _, want := range []string{`"command":"/bin/true"`, `"args":["acp"]`, `"OWN_KEY":null`, `"MORE":null`} {
		if !strings.Contains(now.text, want) {
			t.Errorf("the settings lack %s", want)
		}
	}
	page := s.send("GET", "/settings", "").text
	if strings.Contains(now.text+page, ownKey) || !strings.Contains(page, "acp:test") {
		t.Error("a page or the API shows the value of a variable")
	}
	s.send("PATCH", "/api/v1/settings", `{"agents":{"x":{"command":"/bin/true","env":{"NONE":null}}}}`).want(422)
	s.send("PATCH", "/api/v1/settings", `{"agents":{"test":null}}`).want(200)
	s.post("/quests", jsonText(object{"request": "- Greet", "repo": shop(t), "agent": "acp:test"})).want(422)
}

// A program that asks whether it may make a call gets its answer from a person, if a rule says
// so: after a restart of the server, in the same session, and the call is made once.
func TestAProgramOfTheSettingsAsksAPersonBeforeACall(t *testing.T) {
	t.Parallel()
	for _, decision := range []string{"once", "deny"} {
		t.Run(decision, func(t *testing.T) {
			t.Parallel()
			made := filepath.Join(t.TempDir(), "made")
			call := "echo pushed >>" + made
			s := startAPI(t, workers)
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			s.send("PATCH", "/api/v1/settings", jsonText(object{"agents": object{"test": object{"command": exe, "args": []string{ownAgentArg}, "env": object{ownAgentAsks: call}}}})).want(200)
			id := s.post("/quests", jsonText(object{"request": "- Publish", "repo": shop(t), "ward": "true", "size": "errand", "agent": "acp:test", "ask": []string{"Bash(echo pushed *)"}})).want(201)["id"].(string)
			q := s.eventually(id, "a question is open, and the run has ended", func(q object) bool {
				return len(objects(q["questions"])) == 1 && ofStep(q, "codeweaver", "errand")[0]["state"] == "ended"
			})
			question, run := objects(q["questions"])[0], ofStep(q, "codeweaver", "errand")[0]
			if asked := objects(question["calls"]); len(asked) != 1 || asked[0]["text"] != call || jsonText(asked[0]["rules"]) != `["Bash(echo pushed *)"]` || len(objects(run["deniedCalls"])) != 0 {
				t.Errorf("the question is %s of %s", jsonText(question), jsonText(run))
			}
			s.stop()
			s = startAPI(t, workers, "-data", s.data)
			s.post("/questions/"+question["id"].(string)+"/answer", jsonText(object{"decisions": []string{decision}, "answer": "NOT ON A FRIDAY"})).want(200)
			q = s.eventually(id, "the quest is complete", func(q object) bool { return q["status"] == "complete" })
			runs := ofStep(q, "codeweaver", "errand")
			if len(runs) != 2 || runs[1]["sessionId"] != run["sessionId"] || runs[1]["resumedFrom"] != run["id"] {
				t.Errorf("the runs were %s", jsonText(runs))
			}
			if told := strings.Contains(jsonText(runs[1]["signal"]), "NOT ON A FRIDAY"); told != (decision == "deny") {
				t.Errorf("the agent was told the reason: %v", told)
			}
			got, _ := os.ReadFile(made) // if it is not there, nothing was made
			if want := map[string]string{"once": "pushed\n", "deny": ""}[decision]; string(got) != want {
				t.Errorf("the calls made %q, want %q", got, want)
			}
		})
	}
}
