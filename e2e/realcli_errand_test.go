package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/agents/agentstest"
	"questboard/e2e/e2etest"
)

// playErrand is the model of an errand in the repository of shop.
func playErrand(r agentstest.Request) agentstest.Reply {
	prompt, turn := r.Since("[questboard] quest=")
	lines := firstLine.FindAllStringSubmatch(prompt, -1)
	if len(lines) == 0 {
		return agentstest.Say(say("I have no prompt."))
	}
	who := lines[len(lines)-1]
	turns := map[string][][]use{
		"chaoswhisperer": {
			{agentstest.Use("Grep", map[string]any{"pattern": "Greet"})},
			{agentstest.Use("mcp__quest__set-size", map[string]any{"size": "errand", "reason": "ONE LINE OF greet.go"})},
			{signal("complete", who[2], "summary", "GREET RETURNS NOTHING IN greet.go:4")},
		},
	}[who[1]]
	if place := placeOf(r); who[1] == "codeweaver" && place != "" {
		file := filepath.Join(place, "greet.go")
		turns = [][]use{
			{agentstest.Use("Read", map[string]string{"file_path": file})},
			{agentstest.Use("Edit", map[string]string{"file_path": file, "old_string": `return ""`, "new_string": `return "hello, " + name`})},
			{run("go test ./...")},
			{signal("complete", who[2], "summary", "it greets")},
		}
	}
	if turn >= len(turns) {
		return agentstest.Say(say("Done."))
	}
	return agentstest.Say(turns[turn]...)
}

// counting wraps the CLI: each of its processes that plays a run adds a line to the file.
func counting(t *testing.T, cli string) (wrapper, file string) {
	t.Helper()
	dir := t.TempDir()
	wrapper, file = filepath.Join(dir, "claude"), filepath.Join(dir, "processes")
	script := "#!/bin/sh\n[ -z \"$QUESTBOARD_RUN_ID\" ] || echo \"$QUESTBOARD_RUN_ID\" >>'" + file + "'\nexec '" + cli + "' \"$@\"\n"
	if err := e2etest.WriteProgram(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return wrapper, file
}

// With the real CLI an errand takes one process of it; in auto one more, in which
// ChaosWhisperer looks. What it saw reaches the one who does the work.
func TestRealCLIDoesAnErrand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fields    object
		processes int
	}{
		"auto":   {object{"approve": []string{}}, 2},
		"chosen": {object{"size": "errand"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli, processes := counting(t, claudeCLI(t, cliVersion))
			model, repo := agentstest.NewModel(t, playErrand), shop(t)
			s := startReal(t, cli, model)
			order := object{"request": "- Be polite", "repo": repo, "ward": "go test ./..."}
			for key, value := range c.fields {
				order[key] = value
			}
			id := s.post("/quests", jsonText(order)).want(201)["id"].(string)
			q := s.eventually(id, "the errand is complete", func(q object) bool { return q["status"] == "complete" })
			text, err := os.ReadFile(processes)
			got := slices.DeleteFunc(strings.Fields(string(text)), func(run string) bool { return !strings.HasPrefix(run, id+"-") }) // others ask for its version
			if err != nil || len(got) != c.processes {
				t.Errorf("the CLI's processes were %v (%v), want %d", got, err, c.processes)
			}
			if q["size"] != "errand" || len(ofStep(q, "ward", "errand")) != 1 || len(ofStep(q, "codeweaver", "errand")) != 1 {
				t.Errorf("it is %v: %s", q["size"], jsonText(q["runs"]))
			}
			if code := onBranch(t, repo, id, "greet.go"); !strings.Contains(code, `return "hello, " + name`) {
				t.Errorf("on the branch is\n%s", code)
			}
			heard := false
			for _, r := range model.Requests() {
				prompt, _ := r.Since("[questboard]")
				heard = heard || strings.Contains(prompt, "role=codeweaver") && strings.Contains(prompt, "GREET RETURNS NOTHING IN greet.go:4")
			}
			if heard != (name == "auto") {
				t.Errorf("Codeweaver was told what ChaosWhisperer saw: %v", heard)
			}
		})
	}
}
