package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"questboard/handlers/api"
	"questboard/orchestration"
	"questboard/orchestration/record"
	"questboard/orchestration/service"
)

func TestSettingsChangeByField(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.quests.Hold(orchestration.AccountHold{Agent: "claude", Kind: orchestration.HoldLogin, Reason: "log in"})
	before := s.get("/settings").want(http.StatusOK)
	if before["slots"] != 3.0 || before["checks"] != 2.0 || before["limits"].(object)["crash"] != 3.0 || len(before["trustedRepos"].([]any)) != 0 {
		t.Errorf("at first: %v", before)
	}
	if hold := before["holds"].([]any)[0].(object); hold["kind"] != "login" || hold["until"] != nil {
		t.Errorf("the hold: %v", hold)
	}
	after := s.send(http.MethodPatch, "/settings", `{"slots":7,"checks":4,"limits":{"crash":9},"trustedRepos":["/b","/a/","/b"]}`).want(http.StatusOK)
	limits := after["limits"].(object)
	if after["slots"] != 7.0 || after["checks"] != 4.0 || limits["crash"] != 9.0 || limits["ward"] != 3.0 || !slices.Equal(after["trustedRepos"].([]any), []any{"/a", "/b"}) {
		t.Errorf("then: %v", after)
	}
	trust := after["trust"].([]any)
	if first := trust[0].(object); len(trust) != 2 || first["path"] != "/a" || first["state"] != "trusted" || first["hash"] != first["now"] || first["at"] == nil {
		t.Errorf("trust: %v", trust)
	}
	for body, field := range map[string]string{`{"slots":0}`: "slots", `{"slots":65,"limits":{"crash":1}}`: "slots",
		`{"checks":0}`: "checks", `{"checks":65,"limits":{"crash":1}}`: "checks", `{"checks":-1}`: "checks",
		`{"limits":{"crash":0}}`: "limits.crash", `{"trustedRepos":["a"]}`: "trustedRepos.0",
		`{"trustedRepos":["/a","/gone"]}`: "trustedRepos.1", `{"trustedRepos":["/odd"]}`: "trustedRepos.0",
		`{"forks":{"fresh":["lawbringer"]}}`: "forks.fresh", `{"forks":{"within":"soon"}}`: "forks.within", `{"forks":{"within":"25h"}}`: "forks.within",
		`{"forks":{"small":-1},"slots":5}`: "forks.small", `{"forks":{"large":10000001}}`: "forks.large"} {
		if fields := s.send(http.MethodPatch, "/settings", body).fields(http.StatusUnprocessableEntity); fields[field] == nil {
			t.Errorf("%s: fields %v", body, fields)
		}
	}
	now := s.get("/settings").json()
	if now["limits"].(object)["crash"] != 9.0 || now["slots"] != 7.0 {
		t.Error("a refused change changed something")
	}
	if f := now["forks"].(object); len(f["fresh"].([]any)) != 0 || f["within"] != "5m" || f["small"] != 20_000.0 || f["large"] != 60_000.0 {
		t.Errorf("the defaults of forks: %v", f)
	}
	set := s.send(http.MethodPatch, "/settings", `{"forks":{"fresh":["codeweaver"],"within":"90s","large":0}}`).want(http.StatusOK)["forks"].(object)
	if !slices.Equal(set["fresh"].([]any), []any{"codeweaver"}) || set["within"] != "1m30s" || set["large"] != 60_000.0 {
		t.Errorf("forks: %v", set)
	}
}

func TestEditorAndRepositoriesAreChecked(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	after := s.send(http.MethodPatch, "/settings", `{"editor":"vscode://file{path}","repos":[{"path":"/a/","setup":" npm ci ","links":["node_modules"]},{"path":"/empty"}]}`).
		want(http.StatusOK)
	repos := after["repos"].([]any)
	if after["editor"] != "vscode://file{path}" || len(repos) != 1 {
		t.Fatalf("then: %v", after)
	}
	if r := repos[0].(object); r["path"] != "/a" || r["setup"] != "npm ci" || !slices.Equal(r["links"].([]any), []any{"node_modules"}) || len(r["copies"].([]any)) != 0 {
		t.Errorf("the repository: %v", r)
	}
	for body, field := range map[string]string{
		`{"editor":"https://x/{path}"}`:                          "editor",
		`{"editor":"vscode://file"}`:                             "editor",
		`{"repos":[{"path":"a"}]}`:                               "repos.0.path",
		`{"repos":[{"path":"/a"},{"path":"/a/"}]}`:               "repos.1.path",
		`{"repos":[{"path":"/a","setup":"a\nb"}]}`:               "repos.0.setup",
		`{"repos":[{"path":"/a","links":["../b"]}]}`:             "repos.0.links",
		`{"repos":[{"path":"/a","copies":[".git/config"]}]}`:     "repos.0.copies",
		`{"slots":5,"editor":"javascript:alert('{path}')"}`:      "editor",
		`{"slots":5,"repos":[{"path":"/a","links":["/etc/x"]}]}`: "repos.0.links",
	} {
		if fields := s.send(http.MethodPatch, "/settings", body).fields(http.StatusUnprocessableEntity); fields[field] == nil {
			t.Errorf("%s: fields %v, want %s", body, fields, field)
		}
	}
	if now := s.get("/settings").json(); now["slots"] != 3.0 || now["editor"] != "vscode://file{path}" || len(now["repos"].([]any)) != 1 {
		t.Errorf("a refused change changed something: %v", now)
	}
}

func TestReadyFollowsTheDatabase(t *testing.T) {
	t.Parallel()
	var fault error
	e := echo.New()
	e.GET("/healthz", api.Healthz)
	e.GET("/readyz", api.Readyz(func(context.Context) error { return fault }))
	get := func(path string) int {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if strings.Contains(w.Body.String(), "disk") {
			t.Errorf("%s tells a stranger: %s", path, w.Body)
		}
		return w.Code
	}
	if h, r := get("/healthz"), get("/readyz"); h != http.StatusOK || r != http.StatusOK {
		t.Errorf("well: healthz %d, readyz %d", h, r)
	}
	fault = errors.New("disk full")
	if h, r := get("/healthz"), get("/readyz"); h != http.StatusOK || r != http.StatusServiceUnavailable {
		t.Errorf("full disk: healthz %d, readyz %d", h, r)
	}
}

func TestRolesTimeoutsAndBudgetChangeByField(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	before := s.get("/settings").want(http.StatusOK)
	roles := before["roles"].([]any)
	if first := roles[0].(object); len(roles) != len(orchestration.Roles)-1 || first["role"] != "chaoswhisperer" || first["edited"] != false || !strings.Contains(first["prompt"].(string), "ChaosWhisperer") {
		t.Fatalf("at first: %v", roles)
	}
	if before["timeouts"].(object)["stuck"] != "" || before["budgetUsd"] != 0.0 {
		t.Errorf("at first: %v", before)
	}
	after := s.send(http.MethodPatch, "/settings", `{"budgetUsd":7.5,"timeouts":{"stuck":"90s","ward":"1h"},`+
		`"roles":[{"role":"codeweaver","prompt":"Write haiku.","model":"haiku","effort":"max","allow":["WebSearch"]}]}`).want(http.StatusOK)
	times := after["timeouts"].(object)
	weaver := after["roles"].([]any)[2].(object)
	if after["budgetUsd"] != 7.5 || times["stuck"] != "1m30s" || times["ward"] != "1h" || times["run"] != "" ||
		weaver["prompt"] != "Write haiku." || weaver["edited"] != true || weaver["model"] != "haiku" || weaver["effort"] != "max" || len(weaver["allow"].([]any)) != 1 {
		t.Errorf("then: %v", after)
	}
	again := s.send(http.MethodPatch, "/settings", `{"timeouts":{"stuck":""},"roles":[{"role":"codeweaver","prompt":""}]}`).want(http.StatusOK)
	weaver = again["roles"].([]any)[2].(object)
	if again["timeouts"].(object)["stuck"] != "" || again["timeouts"].(object)["ward"] != "1h" || weaver["edited"] != false || weaver["model"] != "haiku" {
		t.Errorf("in the end: %v", again)
	}
	for body, field := range map[string]string{`{"budgetUsd":-1}`: "budgetUsd", `{"timeouts":{"stuck":"1s"}}`: "timeouts.stuck", `{"timeouts":{"stuck":"soon"}}`: "timeouts.stuck",
		`{"timeouts":{"nap":"1m"}}`: "timeouts.nap", `{"roles":[{"role":"ward","model":"x"}]}`: "roles.0.role", `{"roles":[{"role":"codeweaver","effort":"a lot"}]}`: "roles.0.effort",
		`{"roles":[{"role":"codeweaver","model":"--x y"}]}`: "roles.0.model", `{"roles":[{"role":"codeweaver","prompt":"{{.Nope}}"}]}`: "roles.0.prompt",
		`{"roles":[{"role":"codeweaver","deny":["!"]}]}`: "roles.0.deny", `{"roles":[{"role":"codeweaver"},{"role":"codeweaver"}]}`: "roles.1.role"} {
		if fields := s.send(http.MethodPatch, "/settings", body).fields(http.StatusUnprocessableEntity); fields[field] == nil {
			t.Errorf("%s: fields %v", body, fields)
		}
	}
}

// A quest without a budget of its own gets the budget of the settings. 0 is none.
func TestANewQuestGetsTheBudgetOfTheSettings(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.send(http.MethodPatch, "/settings", `{"budgetUsd":7.5}`).want(http.StatusOK)
	for body, want := range map[string]float64{`{"request":"a","repo":"/repo"}`: 7.5, `{"request":"b","repo":"/repo","budgetUsd":0}`: 0, `{"request":"c","repo":"/repo","budgetUsd":3}`: 3} {
		if q := s.post("/quests", body).want(http.StatusCreated); q["budgetUsd"] != want {
			t.Errorf("%s: budget %v, want %v", body, q["budgetUsd"], want)
		}
	}
}

func TestTheDoctorAnswersWithAllThatItFound(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.doctor.Find(epoch, service.Finding{What: "git", Says: "2.47", Took: 100 * time.Millisecond}, service.Finding{What: "claude", Bad: true, Says: "not logged in: run claude"},
		service.Finding{What: "sandbox", Idle: "off", Says: "agents run with your full rights"})
	report := s.get("/doctor").want(http.StatusOK)
	found := report["checks"].([]any)
	if report["ok"] != false || len(found) != 3 || found[2].(object)["state"] != "off" || found[2].(object)["ok"] != true || found[1].(object)["says"] != "not logged in: run claude" || found[0].(object)["ok"] != true {
		t.Errorf("%v", report)
	}
}

// trustedRepos is about what Claude Code loads. A repository's own file counts once the
// user sends the hash of what the user has read.
func TestARepositorysOwnFileIsTrustedByItsHashAlone(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	file := func(text string) service.RepoFile {
		return service.RepoFile{File: &orchestration.RepoFile{Check: text}, Config: record.RepoConfig{Own: true,
			Files: []record.WantedFile{{Path: ".questboard/config.yaml", Sum: text}},
			List:  []record.Want{{File: ".questboard/config.yaml", Text: "check: " + text}}}.Sealed()}
	}
	ask := func(query string) object { return s.get("/repository-file?repo=/a" + query).want(http.StatusOK) }
	if none := ask(""); none["state"] != "none" || none["hash"] != "" {
		t.Errorf("there is none: %v", none)
	}
	*s.own = file("make")
	s.send(http.MethodPatch, "/settings", `{"trustedRepos":["/a"]}`).want(http.StatusOK)
	seen := ask("&base=next")
	text := seen["files"].([]any)[0].(object)
	if seen["state"] != "untrusted" || seen["base"] != "next" || text["text"] != "check: make" || text["path"] != ".questboard/config.yaml" {
		t.Errorf("after trustedRepos: %v", seen)
	}
	hash := seen["hash"].(string)
	after := s.send(http.MethodPatch, "/settings", `{"trustedFiles":[{"repo":"/a/","hash":"`+hash+`","base":"next"}]}`).want(http.StatusOK)
	if listed := after["trustedFiles"].([]any); len(listed) != 1 || listed[0].(object)["repo"] != "/a" || listed[0].(object)["hash"] != hash ||
		after["trust"].([]any)[0].(object)["fileState"] != "counts" || ask("")["state"] != "counts" {
		t.Errorf("trusted: %v", after)
	}

	// It changes: what was read before is trusted still, and nothing else.
	*s.own = file("evil")
	if now := ask(""); now["state"] != "changed" || now["hash"] == hash {
		t.Errorf("changed: %v", now)
	}
	after = s.send(http.MethodPatch, "/settings", `{"trustedFiles":[{"repo":"/a","hash":"`+hash+`"}]}`).want(http.StatusOK)
	if len(after["trustedFiles"].([]any)) != 1 || ask("")["state"] != "changed" {
		t.Errorf("kept: %v", after)
	}
	refused := func(body, field, why string) {
		t.Helper()
		if fields := s.send(http.MethodPatch, "/settings", body).fields(http.StatusUnprocessableEntity); !strings.Contains(fmt.Sprint(fields[field]), why) {
			t.Errorf("%s: %v", body, fields)
		}
		if listed := s.get("/settings").json()["trustedFiles"].([]any); len(listed) != 1 || listed[0].(object)["hash"] != hash {
			t.Errorf("%s changed %v", body, listed)
		}
	}
	refused(`{"trustedFiles":[{"repo":"/b","hash":"`+hash+`"}]}`, "trustedFiles.0.hash", "is not the content that is there now: read it with GET /repository-file")
	refused(`{"slots":5,"trustedFiles":[{"repo":"/a","hash":"x"}]}`, "trustedFiles.0.hash", "is not the content")
	refused(`{"trustedFiles":[{"repo":"a","hash":"x"}]}`, "trustedFiles.0.repo", "absolute")
	refused(`{"trustedFiles":[{"repo":"/a","hash":"x","base":"nowhere"}]}`, "trustedFiles.0.base", "there is no branch nowhere")
	*s.own = service.RepoFile{Config: record.RepoConfig{Own: true, Faults: []string{"config.yaml:2: there is no key"}}.Sealed()}
	refused(`{"trustedFiles":[{"repo":"/b","hash":"x"}]}`, "trustedFiles.0.repo", "config.yaml:2: there is no key")
	if faulty := ask(""); faulty["state"] != "faulty" || len(faulty["faults"].([]any)) != 1 {
		t.Errorf("faulty: %v", faulty)
	}
	*s.own = service.RepoFile{}
	refused(`{"trustedFiles":[{"repo":"/b","hash":"x"}]}`, "trustedFiles.0.repo", "has no file of its own")

	after = s.send(http.MethodPatch, "/settings", `{"trustedRepos":[]}`).want(http.StatusOK)
	if trust := after["trust"].([]any); len(trust) != 1 || trust[0].(object)["state"] != "untrusted" || len(after["trustedFiles"].([]any)) != 1 {
		t.Errorf("what Claude Code loads was withdrawn: %v", after)
	}
	if after = s.send(http.MethodPatch, "/settings", `{"trustedFiles":[]}`).want(http.StatusOK); len(after["trust"].([]any)) != 0 {
		t.Errorf("all was withdrawn: %v", after["trust"])
	}
	for query, field := range map[string]string{"a": "repo", "/a&base=nowhere": "base"} {
		if fields := s.get("/repository-file?repo=" + query).fields(http.StatusUnprocessableEntity); fields[field] == nil || len(fields) != 1 {
			t.Errorf("%s: fields %v", query, fields)
		}
	}
}
