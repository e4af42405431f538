package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/agentstest"
)

// With -sandbox and the real CLI, an agent is told to read our database, another
// quest's tree, the user's keys and our token. It gets none of them, and can still
// edit, test, signal and be resumed. Without -sandbox it gets all of them; the same
// test checks that, to show that it can fail.
func TestAConfinedAgentGetsNoSecretAndStillWorks(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	cli := claudeCLI(t, cliVersion)
	for _, c := range []struct {
		name, workspace string
		sandbox         bool
	}{{"worktree", "worktree", true}, {"shared", "shared", true}, {"without the sandbox", "worktree", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPrey(t)
			model := agentstest.NewModel(t, p.play)
			var flags []string
			if c.sandbox {
				flags = []string{"-sandbox", "-sandbox-write", goCache(t)}
			}
			p.start(cli, model, flags...)
			config := readText(t, filepath.Join(p.repo, ".git", "config"))
			id := p.s.post("/quests", jsonText(object{"request": "- Be polite", "repo": p.repo, "ward": "go test ./...", "workspace": c.workspace,
				"plan": object{"steps": []object{{"id": "alone", "title": "Greet"}}}})).want(201)["id"].(string)
			q := p.s.eventually(id, "a question is open", func(q object) bool { return len(objects(q["questions"])) == 1 })
			p.s.post("/questions/"+objects(q["questions"])[0]["id"].(string)+"/answer", `{"answer":"THE ANSWER IS HELLO"}`).want(200)
			want := canaries
			if c.sandbox {
				want = nil
				q = p.s.eventually(id, "the quest is complete", func(q object) bool { return q["status"] == "complete" })
			}
			waitFor(t, "the answer", func() bool { return answered(model.Requests()) })
			want = slices.Sorted(slices.Values(want))
			if got := p.caught(model.Requests()); !slices.Equal(got, want) {
				t.Errorf("the agent got %v, want %v", got, want)
			}
			if !c.sandbox {
				return
			}
			if now := readText(t, filepath.Join(p.repo, ".git", "config")); now != config {
				t.Errorf("git's configuration was changed:\n%s", now)
			}
			if _, err := os.Stat(filepath.Join(p.repo, ".git", "hooks", "pre-commit")); err == nil {
				t.Error("a hook was planted")
			}
			checkConfinedWork(t, p, model.Requests(), q)
		})
	}
}

// answered reports whether the resumed session reached the model with its first
// conversation.
func answered(requests []agentstest.Request) bool {
	return slices.ContainsFunc(requests, func(r agentstest.Request) bool {
		return strings.Contains(r.Text(), "THE ANSWER IS HELLO") && strings.Contains(r.Text(), "FIRST CONVERSATION")
	})
}

func checkConfinedWork(t *testing.T, p *prey, requests []agentstest.Request, q object) {
	t.Helper()
	var git, tested bool
	for _, r := range requests {
		result, isError := r.LastResult()
		git = git || !isError && strings.Contains(result, "GIT WORKS") && strings.Contains(result, "shop")
		tested = tested || !isError && strings.Contains(result, "ok") && strings.Contains(result, "kept")
	}
	if !git || !tested {
		t.Errorf("git showed status and history: %v; the test ran green, and the home was kept: %v", git, tested)
		for _, r := range requests {
			result, isError := r.LastResult()
			t.Logf("%v %s", isError, result)
		}
	}
	green := slices.ContainsFunc(objects(q["runs"]), func(r object) bool { return r["role"] == "ward" && r["step"] == "alone" && r["why"] == "passed" })
	if !green {
		t.Errorf("ward never ran green: %s", jsonText(q["runs"]))
	}
	// The user's own CLI also finds the conversation.
	var session string
	for _, r := range objects(q["runs"]) {
		if r["role"] == "codeweaver" {
			session, _ = r["sessionId"].(string)
		}
	}
	kept, _ := filepath.Glob(filepath.Join(p.home, ".claude", "projects", "*", session+".jsonl"))
	if session == "" || len(kept) != 1 {
		t.Errorf("the session %q is kept in %v", session, kept)
	}
	if _, err := os.Stat(filepath.Join(p.home, ".cache-of-mine")); err == nil {
		t.Error("the agent wrote into the user's home")
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
