package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents/agentstest"
)

// pusher is the model of an errand that wants to publish its work by command, between calls
// before which nobody has to be asked.
func pusher(command string) agentstest.Script {
	return func(r agentstest.Request) agentstest.Reply {
		prompt, turn := r.Since("[questboard] quest=")
		lines := firstLine.FindAllStringSubmatch(prompt, -1)
		if len(lines) == 0 {
			return agentstest.Say(say("I have no prompt."))
		}
		step, start := lines[len(lines)-1][2], lines[len(lines)-1][3]
		file := filepath.Join(placeOf(r), "made.txt")
		turns := [][]use{
			{run("git status --short")},
			{agentstest.Use("Write", map[string]string{"file_path": file, "content": "made\n"})},
			{say("THE WORK IS READY TO BE PUBLISHED."), run(command)},
		}
		if start == "answer" {
			turns = [][]use{{run("ls")}, {run(command)}, {signal("complete", step, "summary", "published")}}
			if !strings.Contains(prompt, "Allowed once") {
				turns = [][]use{{signal("complete", step, "summary", "not published")}}
			}
		}
		if turn >= len(turns) {
			return agentstest.Say(say("Done."))
		}
		return agentstest.Say(turns[turn]...)
	}
}

// With the real CLI a git push that a rule matches waits as a question, and no other call
// does. The server is killed and started again meanwhile. Allowed once, the push runs once;
// denied, the model's next request holds the reason.
func TestRealCLIAPushWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for _, decision := range []string{"once", "deny"} {
		t.Run(decision, func(t *testing.T) {
			t.Parallel()
			repo, home, data := shop(t), t.TempDir(), t.TempDir()
			bare := filepath.Join(data, "published.git")
			gitText(t, repo, "init", "-q", "--bare", bare)
			pushes := filepath.Join(bare, "pushes")
			if err := os.WriteFile(filepath.Join(bare, "hooks", "post-receive"), []byte("#!/bin/sh\necho pushed >>'"+pushes+"'\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			push := "git push " + bare + " HEAD:refs/heads/published"
			model := agentstest.NewModel(t, pusher(push))
			cli := claudeCLI(t, cliVersion)
			start := func() *launched {
				return launch(t, append(model.Env(home), "CLAUDE_CODE_MAX_RETRIES=1"), "-data", filepath.Join(data, "server"), "-addr", "127.0.0.1:0",
					"-claude", cli, "-backoff", "1s", "-grace", "2s")
			}
			s := start()
			id := s.post("/quests", jsonText(object{"request": "- Publish", "repo": repo, "size": "errand", "ask": []string{"Bash(git push *)", "WebFetch"}})).want(201)["id"].(string)
			var question object
			s.eventually(id, "a question", func(q object) bool {
				for _, x := range q["questions"].([]any) {
					question = x.(object)
				}
				return question != nil
			})
			call := question["calls"].([]any)[0].(object)
			if call["text"] != push || jsonText(call["rules"]) != `["Bash(git push *)"]` || question["context"] != "THE WORK IS READY TO BE PUBLISHED." || question["step"] != "errand" {
				t.Errorf("the question is %s", jsonText(question))
			}
			s.eventually(id, "the run has ended", func(q object) bool { return ofStep(q, "codeweaver", "errand")[0]["state"] == "ended" })
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
			s = start()
			// By the command, as a script does it. A text alone decides nothing, and the question stays open.
			ask := []string{"answer", "-data", filepath.Join(data, "server"), question["id"].(string)}
			token := []string{"QUESTBOARD_TOKEN=" + apiToken}
			command(t, serverBinary(t), token, append(ask, "yes")...).fails(t, 5, "decide about each call (1): once, step, quest, deny")
			if r := command(t, serverBinary(t), token, append(ask, "THE BRANCH IS PROTECTED", "-decide", decision)...); r.code != 0 || r.stdout != "answered "+question["id"].(string)+"\n" {
				t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
			}
			command(t, serverBinary(t), token, append(ask, "-decide", "quest")...).fails(t, 5, "answered")
			s.post("/questions/"+question["id"].(string)+"/answer", `{"decisions": ["quest"]}`).want(409)
			q := s.eventually(id, "the errand is complete", func(q object) bool { return q["status"] == "complete" })
			if n := len(q["questions"].([]any)); n != 1 {
				t.Errorf("%d questions: %s", n, jsonText(q["questions"]))
			}
			if audit := jsonText(s.get("/audit").want(200)); !strings.Contains(audit, question["id"].(string)+" "+decision+": Bash(git push *)") {
				t.Errorf("the audit says %s", audit)
			}
			made, _ := os.ReadFile(pushes)
			if want := map[string]string{"once": "pushed\n", "deny": ""}[decision]; string(made) != want {
				t.Errorf("the pushes were %q, want %q", made, want)
			}
			told := false
			for _, r := range model.Requests() {
				prompt, turn := r.Since("[questboard] quest=")
				told = told || turn == 0 && strings.Contains(prompt, "Denied: Bash: "+push) && strings.Contains(prompt, "THE BRANCH IS PROTECTED")
			}
			if told != (decision == "deny") {
				t.Errorf("the model was told the reason: %v", told)
			}
		})
	}
}
