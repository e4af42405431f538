package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

func TestANewQuestBeginsWithChaosWhisperer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	a := s.post("/quests", `{"request":"  Greet the world\nin three languages ","repo":"/repo/","ward":"make test","slots":2,"budgetUsd":1.5}`)
	q := a.want(http.StatusCreated)
	for field, want := range (object{"title": "Greet the world", "repo": "/repo", "ward": "make test", "phase": "requirements",
		"status": "running", "workspace": "worktree", "agent": "simulated", "branch": "quest/" + q["id"].(string), "base": "main", "slots": 2.0, "budgetUsd": 1.5, "endedAt": nil,
		"createdAt": "2026-11-01T11:00:00Z"}) {
		if q[field] != want {
			t.Errorf("%s is %v; want %v", field, q[field], want)
		}
	}
	if got := a.header.Get("Location"); got != "/api/v1/quests/"+q["id"].(string) {
		t.Errorf("Location %q", got)
	}
	run := q["runs"].([]any)[0].(object)
	if run["role"] != "chaoswhisperer" || run["step"] != "requirements" || run["state"] != "queued" || run["startedAt"] != nil || run["signal"] != nil {
		t.Errorf("the first run: %v", run)
	}
	line := q["lines"].([]any)[0].(object)
	if !slices.Equal(line["runs"].([]any), []any{run["id"]}) {
		t.Errorf("the line requirements has the runs %v", line["runs"])
	}
}

// Worktrees are the default if the repository allows them.
func TestTheRepositoryDecidesWhereAgentsWork(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string][3]any{
		`"repo":"/repo"`:                         {"worktree", "quest/q01", "main"},
		`"repo":"/empty"`:                        {"shared", "main", nil},
		`"repo":"/repo","workspace":"shared"`:    {"shared", "main", nil},
		`"repo":"/repo","base":"release"`:        {"worktree", "quest/q01", "release"},
		`"repo":"/repo/","workspace":"worktree"`: {"worktree", "quest/q01", "main"},
		`"repo":"/repo","base":" "`:              {"worktree", "quest/q01", "main"},
	} {
		q := newServer(t).post("/quests", `{"request":"x",`+fields+`}`).want(http.StatusCreated)
		if got := [3]any{q["workspace"], q["branch"], q["base"]}; got != want {
			t.Errorf("%s: %v; want %v", fields, got, want)
		}
		if baseline := q["baseline"].(object); baseline["state"] != "off" || baseline["run"] != nil || q["delivered"] != nil {
			t.Errorf("%s: baseline %v, delivered %v", fields, baseline, q["delivered"])
		}
	}
}

// docs/state-machine.md#gates: gates are on by default.
func TestGatesAreOnUnlessTheListSaysOtherwise(t *testing.T) {
	t.Parallel()
	for approve, want := range map[string]object{
		``:                                    {"requirements": "pending", "plan": "pending"},
		`,"approve":[]`:                       {"requirements": "off", "plan": "off"},
		`,"approve":["plan"]`:                 {"requirements": "off", "plan": "pending"},
		`,"approve":["requirements"]`:         {"requirements": "pending", "plan": "off"},
		`,"approve":["requirements", "plan"]`: {"requirements": "pending", "plan": "pending"},
	} {
		q := newServer(t).post("/quests", `{"request":"x","repo":"/repo"`+approve+`}`).want(http.StatusCreated)
		if !maps.Equal(q["gates"].(object), want) {
			t.Errorf("%s: gates %v; want %v", approve, q["gates"], want)
		}
	}
}

func TestAPlanOfOnesOwnBeginsWithItsSteps(t *testing.T) {
	t.Parallel()
	s := begun(t)
	q := s.get("/quests/q01").want(http.StatusOK)
	if q["phase"] != "steps" || !maps.Equal(q["gates"].(object), object{"requirements": "off", "plan": "off"}) {
		t.Errorf("phase %v, gates %v", q["phase"], q["gates"])
	}
	one, two := q["steps"].([]any)[0].(object), q["steps"].([]any)[1].(object)
	if one["stage"] != "codeweaver" || one["hold"] != nil || !slices.Equal(one["runs"].([]any), []any{"q01-r1"}) {
		t.Errorf("step one: %v", one)
	}
	if two["stage"] != "waiting" || !slices.Equal(two["dependsOn"].([]any), []any{"one"}) || two["why"] == "" {
		t.Errorf("step two: %v", two)
	}
}

// Each wrong value is named, and no quest is created.
func TestAQuestWithWrongValuesIsRefusedByField(t *testing.T) {
	t.Parallel()
	for body, field := range map[string]string{
		`{"request":"","repo":"/repo"}`:                                                 "request",
		`{"request":" \n\t","repo":"/repo"}`:                                            "request",
		`{"repo":"/repo"}`:                                                              "request",
		`{"request":"a\u0000b","repo":"/repo"}`:                                         "request",
		`{"request":"a\u001b[31mb","repo":"/repo"}`:                                     "request",
		`{"request":"x"}`:                                                               "repo",
		`{"request":"x","repo":"repo"}`:                                                 "repo",
		`{"request":"x","repo":"/nowhere"}`:                                             "repo",
		`{"request":"x","repo":"/repo\n/x"}`:                                            "repo",
		`{"request":"x","repo":"/repo","slots":0}`:                                      "slots",
		`{"request":"x","repo":"/repo","slots":65}`:                                     "slots",
		`{"request":"x","repo":"/repo","slots":-1}`:                                     "slots",
		`{"request":"x","repo":"/repo","budgetUsd":-1}`:                                 "budgetUsd",
		`{"request":"x","repo":"/repo","workspace":"cloud"}`:                            "workspace",
		`{"request":"x","repo":"/empty","workspace":"worktree"}`:                        "workspace",
		`{"request":"x","repo":"/repo","base":"nowhere"}`:                               "base",
		`{"request":"x","repo":"/repo","base":"a\nb"}`:                                  "base",
		`{"request":"x","repo":"/repo","approve":["steps"]}`:                            "approve",
		`{"request":"x","repo":"/repo","agent":"other"}`:                                "agent",
		`{"request":"x","repo":"/repo","title":"a\nb"}`:                                 "title",
		`{"request":"x","repo":"/repo","title":"` + strings.Repeat("é", 201) + `"}`:     "title",
		`{"request":"x","repo":"/repo","ward":"make\u0007"}`:                            "ward",
		`{"request":"x","repo":"/repo","plan":{"steps":[]}}`:                            "plan.steps",
		`{"request":"x","repo":"/repo","plan":{"steps":[{"id":"a","title":"\u0000"}]}}`: "plan.steps.0.title",
	} {
		s := newServer(t)
		if fields := s.post("/quests", body).fields(http.StatusUnprocessableEntity); fields[field] == nil {
			t.Errorf("%s: fields %v; want %s", body, fields, field)
		}
		if list := s.get("/quests").want(http.StatusOK)["quests"].([]any); len(list) != 0 {
			t.Errorf("%s: a quest is there", body)
		}
	}
}

func TestAllWrongValuesAreNamedAtOnce(t *testing.T) {
	t.Parallel()
	fields := newServer(t).post("/quests", `{"request":"","repo":"x","slots":65,"workspace":"cloud","agent":"other","approve":["x"],"budgetUsd":-1}`).
		fields(http.StatusUnprocessableEntity)
	got := slices.Sorted(maps.Keys(fields))
	if want := []string{"agent", "approve", "budgetUsd", "repo", "request", "slots", "workspace"}; !slices.Equal(got, want) {
		t.Errorf("fields %v; want %v", got, want)
	}
}

// Before which calls a quest asks: what cannot work is said at its field, by a new quest, a
// draft and a change.
func TestRulesThatCannotAskAreNamed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	quest := s.post("/quests", `{"request":"x","repo":"/repo"}`).want(http.StatusCreated)["id"].(string)
	draft := s.post("/drafts", `{"ask":["WebFetch"],"askTimeout":"90m"}`).want(http.StatusCreated)
	if got := fmt.Sprint(draft["asks"]); got != "map[rules:[WebFetch] timeout:1h30m]" {
		t.Errorf("the draft asks %s", got)
	}
	for rule, says := range map[string]string{
		`"git push"`: `"git push" cannot be read: a rule is a tool with a use in brackets`, `"WebFetch","Bash(*)"`: "Bash(*) matches everything",
		`"Bash(` + strings.Repeat("x", 10_000) + `)"`: "a rule has 10006 characters, and 10,000 are allowed", `"WebFetch","WebFetch"`: "WebFetch is there twice",
	} {
		for path, method := range map[string]string{"/quests": http.MethodPost, "/drafts": http.MethodPost, "/drafts/draft1": http.MethodPatch, "/quests/" + quest: http.MethodPatch} {
			body := `{"ask":[` + rule + `],"askTimeout":"soon"`
			switch path {
			case "/quests":
				body += `,"request":"x","repo":"/repo"`
			case "/drafts/draft1":
				body += `,"version":1`
			}
			got := s.send(method, path, body+"}").fields(http.StatusUnprocessableEntity)
			if why, _ := got["ask"].(string); !strings.HasPrefix(why, says) || got["askTimeout"] != "must be a time such as 2h or 45m, or empty" || len(got) != 2 {
				t.Errorf("%s %s %.40s: %.300v", method, path, rule, got)
			}
		}
	}
	s.send(http.MethodPatch, "/drafts/draft1", `{"version":1,"request":"x","repo":"/repo","ask":["WebFetch","WebSearch"]}`).want(http.StatusOK)
	if q := s.post("/drafts/draft1/start", "").want(http.StatusCreated); fmt.Sprint(q["asks"]) != "map[rules:[WebFetch WebSearch] timeout:1h30m]" {
		t.Errorf("its quest asks %v", q["asks"])
	}
}

// A cycle, an unknown dependency, two equal ids and a step that replaces one: all in one
// answer, the cycle as its path.
func TestAllFaultsOfAPlanAreNamedAtOnce(t *testing.T) {
	t.Parallel()
	a := newServer(t).post("/quests", `{"request":"x","repo":"/repo","plan":{"steps":[
		{"id":"a","title":"A","dependsOn":["b"]},{"id":"b","title":"B","dependsOn":["a"]},
		{"id":"c","title":"C","dependsOn":["nobody"]},{"id":"c","title":"C"},{"id":"d","title":"D","replaces":"a"}]}}`)
	said, _ := a.fields(http.StatusUnprocessableEntity)["plan.steps"].(string)
	for _, want := range []string{"a -> b -> a", "nobody", "c: the id is used twice", `d: replaces "a": there is no step to replace`} {
		if !strings.Contains(said, want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
}

// repoFile of POST /quests is what GET /repository-file answered: if that is not what
// applies, the quest does not start, and the API says what the form says.
func TestAQuestOfTheAPIStartsOnlyWithTheFileThatItNames(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	file := func(text string) service.RepoFile {
		return service.RepoFile{File: &orchestration.RepoFile{Check: text}, Config: record.RepoConfig{Own: true,
			Files: []record.WantedFile{{Path: ".questboard/config.yaml", Sum: text}}}.Sealed()}
	}
	named := func() string {
		seen := s.get("/repository-file?repo=/repo").want(http.StatusOK)
		return fmt.Sprintf(`{"request":"x","repo":"/repo","repoFile":{"state":%q,"hash":%q}}`, seen["state"], seen["hash"])
	}
	none := named()
	s.post("/quests", none).want(http.StatusCreated)
	*s.own = file("make")
	untrusted := named()
	s.post("/quests", untrusted).want(http.StatusCreated)
	s.quests.settings.AddTrust("/repo", s.own.Config, epoch)
	counts := named()
	if q := s.post("/quests", counts).want(http.StatusCreated); q["ward"] != "make" {
		t.Errorf("the file counts, and the check is %v", q["ward"])
	}
	*s.own = file("evil")
	for body, why := range map[string]string{none: "which you were not shown yet", untrusted: "another content than you were shown", counts: "another content than you were shown"} {
		a := s.post("/quests", body)
		if fields := a.fields(http.StatusConflict); !strings.Contains(fmt.Sprint(fields["repoFile"]), why) || len(fields) != 1 {
			t.Errorf("%s: %v", body, fields)
		}
		if said := a.json()["error"].(object)["message"].(string); !strings.Contains(said, "Nothing was started. Read what applies now") {
			t.Errorf("%s: %q", body, said)
		}
	}
	for file, field := range map[string]string{`{"state":"","hash":""}`: "repoFile.state", `{"state":"good","hash":"x"}`: "repoFile.state",
		`{"state":"none","hash":"x"}`: "repoFile.hash", `{"state":"counts","hash":""}`: "repoFile.hash"} {
		if fields := s.post("/quests", `{"request":"x","repo":"/repo","repoFile":`+file+`}`).fields(http.StatusUnprocessableEntity); fields[field] == nil {
			t.Errorf("%s: %v", file, fields)
		}
	}
	s.post("/quests", `{"request":"x","repo":"/repo","repoFile":{"state":"none","hash":"","more":1}}`).want(http.StatusBadRequest)
	if all := s.get("/quests").json()["quests"].([]any); len(all) != 3 {
		t.Errorf("%d quests; the refused ones start nothing", len(all))
	}
	s.post("/quests", `{"request":"x","repo":"/repo"}`).want(http.StatusCreated)
}
