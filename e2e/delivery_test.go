package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const oneFile = `
- role: chaoswhisperer
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a folder, observables: [{id: o1, text: hello.txt greets}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [{id: hello, title: Greet, description: x, files: [hello.txt], dependsOn: [], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: one step}}
- role: codeweaver
  do:
    - write: {path: hello.txt, content: "hello\n"}
    - write: {path: surprise.txt, content: "not in the plan\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
`

// TestDelivery delivers a complete quest to the base branch and the user's checkout.
// After its deletion only that is left.
func TestDelivery(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, oneFile), apiRepo(t)
	base := gitText(t, repo, "rev-parse", "HEAD")
	quest := s.begin(repo, `,"ward":"true","approve":[],"workspace":"worktree"`)
	path := "/quests/" + quest
	s.post(path+"/deliver", `{"how":"squash"}`).refused(http.StatusConflict)
	q := s.untilStatus(quest, "complete")
	if q["branch"] != "quest/"+quest || q["base"] != strings.TrimSpace(gitText(t, repo, "branch", "--show-current")) || q["delivered"] != nil {
		t.Errorf("branch %v, base %v, delivered %v", q["branch"], q["base"], q["delivered"])
	}
	if state := q["baseline"].(object)["state"]; state != "green" {
		t.Errorf("the baseline is %v", state)
	}
	step := objects(q["steps"])[0]
	if changed, undeclared := jsonText(step["changed"]), jsonText(step["undeclared"]); changed != `["hello.txt","surprise.txt"]` || undeclared != `["surprise.txt"]` {
		t.Errorf("changed %s, undeclared %s", changed, undeclared)
	}
	if patch := s.get(path + "/patch"); !strings.Contains(patch.text, "+hello") {
		t.Errorf("the patch: %s", patch.text)
	}
	w := s.get(path + "/workspace").want(http.StatusOK)
	if root, _ := w["root"].(string); !strings.HasPrefix(root, s.data) || w["diskBytes"].(float64) == 0 {
		t.Errorf("the workspace: %v", w)
	}

	if err := os.WriteFile(filepath.Join(repo, "hello.txt"), []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if why, _ := s.post(path+"/deliver", `{"how":"squash"}`).refused(http.StatusConflict); !strings.Contains(why, "hello.txt") {
		t.Errorf("the refusal does not name the file in the way: %s", why)
	}
	if text, _ := os.ReadFile(filepath.Join(repo, "hello.txt")); string(text) != "mine\n" || gitText(t, repo, "rev-parse", "HEAD") != base {
		t.Error("a refused delivery changed something")
	}
	if err := os.Remove(filepath.Join(repo, "hello.txt")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := s.post(path+"/deliver", `{"how":"squash","message":"Greet"}`).want(http.StatusOK)["delivered"].(object)
		if got["how"] != "squash" || got["commit"] != strings.TrimSpace(gitText(t, repo, "rev-parse", "HEAD")) {
			t.Errorf("delivered: %v", got)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(repo, "hello.txt")); string(text) != "hello\n" || gitText(t, repo, "status", "--porcelain") != "" {
		t.Error("the checkout does not hold the work, or is dirty")
	}
	if log := gitText(t, repo, "log", "--format=%s"); !strings.HasPrefix(log, "Greet\n") {
		t.Errorf("the history: %s", log)
	}

	if r := s.send(http.MethodDelete, "/api/v1"+path, ""); r.status != http.StatusNoContent {
		t.Errorf("delete: %d %s", r.status, r.text)
	}
	if branches := gitText(t, repo, "for-each-ref", "--format=%(refname)", "refs/heads/quest", "refs/heads/quest-steps"); branches != "" {
		t.Errorf("branches left: %s", branches)
	}
	if left, err := filepath.Glob(filepath.Join(s.data, "worktrees", quest, "*")); err != nil || len(left) > 0 {
		t.Errorf("worktrees left: %v, %v", left, err)
	}
	if out := gitText(t, repo, "worktree", "list", "--porcelain"); strings.Count(out, "worktree ") != 1 {
		t.Errorf("git knows of worktrees: %s", out)
	}
}
