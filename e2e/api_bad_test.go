package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Bad input through the API gets a clear message where the user looks, and changes
// nothing.
func TestTheAPIRefusesBadInputAndStaysAsItWas(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, greeting), apiRepo(t)
	file := filepath.Join(repo, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	body := func(rest string) string { return fmt.Sprintf(`{"request":"x","repo":%q%s}`, repo, rest) }
	for name, c := range map[string]struct{ body, field, says string }{
		"no such path":   {`{"request":"x","repo":"/nowhere/at/all"}`, "repo", "/nowhere/at/all"},
		"no git":         {fmt.Sprintf(`{"request":"x","repo":%q}`, t.TempDir()), "repo", "git"},
		"a file":         {fmt.Sprintf(`{"request":"x","repo":%q}`, file), "repo", "directory"},
		"relative":       {`{"request":"x","repo":"here"}`, "repo", "absolute"},
		"empty request":  {fmt.Sprintf(`{"request":" ","repo":%q}`, repo), "request", "empty"},
		"0 slots":        {body(`,"slots":0`), "slots", "1 to 64"},
		"65 slots":       {body(`,"slots":65`), "slots", "1 to 64"},
		"no such agent":  {body(`,"agent":"hal"`), "agent", "hal"},
		"a cycle":        {body(`,"plan":{"steps":[{"id":"a","title":"A","dependsOn":["b"]},{"id":"b","title":"B","dependsOn":["a"]}]}`), "plan.steps", "a -> b -> a"},
		"an unknown one": {body(`,"plan":{"steps":[{"id":"a","title":"A","dependsOn":["z"]}]}`), "plan.steps", "z"},
		"two equal ids":  {body(`,"plan":{"steps":[{"id":"a","title":"A"},{"id":"a","title":"B"}]}`), "plan.steps", "twice"},
	} {
		_, fields := s.post("/quests", c.body).refused(http.StatusUnprocessableEntity)
		if said, _ := fields[c.field].(string); !strings.Contains(said, c.says) {
			t.Errorf("%s: fields %v; want %s to say %q", name, fields, c.field, c.says)
		}
	}
	s.post("/quests", `{"request":"x","colour":1}`).refused(http.StatusBadRequest)
	s.post("/quests", body(`,"title":"`+strings.Repeat("x", 2<<20)+`"`)).refused(http.StatusRequestEntityTooLarge)
	s.send(http.MethodPut, "/api/v1/quests", `{}`).refused(http.StatusMethodNotAllowed)
	s.get("/nothing").refused(http.StatusNotFound)
	s.get("/runs/..%2f..%2fsecret/output").refused(http.StatusNotFound)
	for _, count := range []string{"0", "65"} {
		s.send(http.MethodPut, "/api/v1/slots", `{"count":`+count+`}`).refused(http.StatusUnprocessableEntity)
	}
	if quests := s.get("/quests").want(http.StatusOK)["quests"].([]any); len(quests) != 0 {
		t.Errorf("quests are there: %v", quests)
	}
	if slots := s.get("/slots").want(http.StatusOK); slots["count"] != 3.0 {
		t.Errorf("slots: %v", slots)
	}
}

// docs/hardening.md#web, T1.3: exact Host and Origin, then a credential.
func TestTheAPIOpensToTheOwnerAlone(t *testing.T) {
	t.Parallel()
	s := startAPI(t, greeting)
	for name, c := range map[string]struct {
		status int
		change func(r *http.Request)
	}{
		"no token":        {http.StatusUnauthorized, func(r *http.Request) { r.Header.Del("Authorization") }},
		"a wrong token":   {http.StatusUnauthorized, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+apiToken[1:]) }},
		"another host":    {http.StatusForbidden, func(r *http.Request) { r.Host = "evil.example" }},
		"another origin":  {http.StatusForbidden, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }},
		"the null origin": {http.StatusForbidden, func(r *http.Request) { r.Header.Set("Origin", "null") }},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+"/api/v1/quests", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+apiToken)
		c.change(r)
		if got := s.do(r); got.status != c.status {
			t.Errorf("%s: status %d; want %d: %s", name, got.status, c.status, got.text)
		}
	}
	for path, want := range map[string]string{"/healthz": "", "/readyz": "", "/metrics": "questboard_slots 3\n"} {
		if got := s.send(http.MethodGet, path, ""); got.status != http.StatusOK || !strings.Contains(got.text, want) {
			t.Errorf("%s: %d %s", path, got.status, got.text)
		}
	}
	if doc := s.get("/openapi.json").want(http.StatusOK); doc["openapi"] != "3.1.0" {
		t.Errorf("openapi %v", doc["openapi"])
	}
}

// An agent cannot fix a check command that does not exist. The first step that needs the
// command is blocked at once and says so. In worktree mode that is the check of the base.
func TestAWardThatIsNotFoundBlocksAndSaysSo(t *testing.T) {
	t.Parallel()
	s := startAPI(t, greeting)
	for workspace, at := range map[string]struct{ list, step string }{"shared": {"steps", "one"}, "worktree": {"lines", "baseline"}} {
		quest := s.begin(apiRepo(t), fmt.Sprintf(`,"workspace":%q,"ward":"no-such-command-anywhere","plan":{"steps":[{"id":"one","title":"One"}]}`, workspace))
		q := s.until(quest, workspace+": "+at.step+" is blocked", func(q object) bool { return named(q[at.list], at.step)["hold"] == "blocked" })
		step := named(q[at.list], at.step)
		if step["block"].(object)["kind"] != "ward-broke" || !strings.Contains(step["why"].(string), "no-such-command-anywhere") {
			t.Errorf("%s: %v", workspace, step)
		}
		if q["status"] != "waiting" {
			t.Errorf("%s: the quest is %v", workspace, q["status"])
		}
	}
}
