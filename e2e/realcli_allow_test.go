package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/agentstest"
)

// maker is the model of a role that only reads and wants to run a command. Once the command
// is allowed it runs it, and asks.
func maker(command string) agentstest.Script {
	return func(r agentstest.Request) agentstest.Reply {
		prompt, turn := r.Since("[questboard] quest=")
		lines := firstLine.FindAllStringSubmatch(prompt, -1)
		if len(lines) == 0 {
			return agentstest.Say(say("I have no prompt."))
		}
		step := lines[len(lines)-1][2]
		turns := [][]use{{run(command)}, {run("ls")}}
		if strings.Contains(prompt, "The person now allows `Bash("+command+")`") {
			turns = [][]use{{run(command)}, {signal("needs-user-input", step, "question", "Did it run?", "context", "x")}}
		}
		if turn >= len(turns) {
			return agentstest.Say(say("Done."))
		}
		return agentstest.Say(turns[turn]...)
	}
}

// With the real CLI, a command that was denied to a role that only reads stays with its run.
// Allowed from now on, the session that was denied it makes it.
func TestRealCLIWhatWasDeniedIsMadeOnceItIsAllowed(t *testing.T) {
	t.Parallel()
	repo, home, data := shop(t), t.TempDir(), t.TempDir()
	made := filepath.Join(data, "made")
	command := "install -d " + made // touch, mkdir and others are denied like Edit
	model := agentstest.NewModel(t, maker(command))
	s := launch(t, append(model.Env(home), "CLAUDE_CODE_MAX_RETRIES=1"), "-data", filepath.Join(data, "server"), "-addr", "127.0.0.1:0",
		"-claude", claudeCLI(t, cliVersion), "-backoff", "1s", "-grace", "2s")
	id := s.post("/quests", jsonText(object{"request": "- Look", "repo": repo})).want(201)["id"].(string)
	s.send("PATCH", "/api/v1/quests/"+id, `{"limits":{"nudge":1}}`).want(200)
	q := s.eventually(id, "it is blocked", func(q object) bool { return strings.Contains(jsonText(q["lines"]), `"hold":"blocked"`) })
	var denied object
	for _, r := range ofStep(q, "chaoswhisperer", "requirements") {
		if calls := r["deniedCalls"].([]any); len(calls) > 0 {
			denied = r
			if got := jsonText(calls); got != jsonText([]object{{"tool": "Bash", "text": command, "rule": "Bash(" + command + ")"}}) {
				t.Errorf("denied: %s", got)
			}
		}
	}
	if denied == nil {
		t.Fatalf("no denied call: %s", jsonText(q["runs"]))
	}
	run := denied["id"].(string)
	s.post("/runs/"+run+"/allow", `{"rule":"Bash","for":"step"}`).want(422)
	s.post("/runs/"+run+"/allow", jsonText(object{"rule": "Bash(" + command + ")", "for": "step"})).want(200)
	s.eventually(id, "a question", func(q object) bool { return len(q["questions"].([]any)) > 0 })
	if _, err := os.Stat(made); err != nil {
		t.Errorf("the command did not run: %v", err)
	}
	if audit := jsonText(s.get("/audit").want(200)); !strings.Contains(audit, "for the step: Bash("+command+")") {
		t.Errorf("the audit says %s", audit)
	}
}
