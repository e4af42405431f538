package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"questboard/agents/agentstest"
)

// player is the model of a whole quest. It knows only the bodies of the requests. The
// first line of a prompt says who it is, and the lines after it where it works.
type player struct {
	mcpDown string // a file that it makes to break the next run's connection to the server

	mu      sync.Mutex
	limited bool // the 429 was given
}

var (
	firstLine   = regexp.MustCompile(`\[questboard\] quest=\S+ run=\S+ role=(\S+) step=(\S+) visit=\d+ start=(\S+)`)
	evidenceFor = regexp.MustCompile(`(?m)^evidence-for: (\[.*\])`)
	workPlace   = regexp.MustCompile("[Yy]ou work in `([^`]+)`")
)

type use = agentstest.Block

// placeOf returns where the run works, which its prompt says; a conversation may have
// begun elsewhere.
func placeOf(r agentstest.Request) string {
	places := workPlace.FindAllStringSubmatch(r.Text(), -1)
	if len(places) == 0 {
		return ""
	}
	return places[len(places)-1][1]
}

func say(text string) use { return agentstest.Text(text) }

func signal(kind, step string, fields ...string) use {
	input := map[string]any{"signal": kind, "stepId": step}
	for i := 0; i+1 < len(fields); i += 2 {
		input[fields[i]] = fields[i+1]
		if fields[i] == "resume" {
			input["resume"] = fields[i+1] == "true"
		}
	}
	return agentstest.Use(signalBack, input)
}

func run(command string) use {
	return agentstest.Use("Bash", map[string]any{"command": command, "description": "run it", "timeout": 600000})
}

// play answers one request.
func (p *player) play(r agentstest.Request) agentstest.Reply {
	prompt, turn := r.Since("[questboard] quest=")
	lines := firstLine.FindAllStringSubmatch(prompt, -1)
	if len(lines) == 0 {
		return agentstest.Say(say("I have no prompt."))
	}
	who := lines[len(lines)-1]
	role, step, start := who[1], who[2], who[3]
	if text, _ := r.LastResult(); turn > 0 && strings.HasPrefix(text, "Stored.") {
		return agentstest.Say(say("Done."))
	}
	if reply, special := p.trouble(role, step, start); special {
		return reply
	}
	at := job{who: role + " " + step + " " + start}
	at.dir = placeOf(r)
	at.seen, _ = r.LastResult()
	if asked := evidenceFor.FindStringSubmatch(prompt); asked != nil {
		_ = json.Unmarshal([]byte(asked[1]), &at.toProve) // our own line, or none
	}
	turns := p.script(at, role, step, start)
	if turn >= len(turns) {
		return agentstest.Say(say("I have nothing more to do."))
	}
	return agentstest.Say(turns[turn]...)
}

// trouble returns the fault of the service for this run, if there is one.
func (p *player) trouble(role, step, start string) (agentstest.Reply, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case role == "chaoswhisperer" && !p.limited:
		p.limited = true
		return agentstest.RateLimited(), true
	case role == "siegemaster" && step == "greet" && start == "fresh":
		return agentstest.Overloaded(), true
	case role == "codeweaver" && step == "farewell" && start == "fresh":
		return agentstest.ContextFull(), true
	}
	return agentstest.Reply{}, false
}

// job is what a model knows about its work.
type job struct {
	who  string // role, step and start
	dir  string
	seen string // what its last tool call showed
	// toProve are the observables for which the prompt asks evidence.
	toProve []string
}

// complete is the signal with the evidence that the prompt asks for.
func (j job) complete(step, summary string) use {
	input := map[string]any{"signal": "complete", "stepId": step, "summary": summary}
	var evidence []any
	for _, o := range j.toProve {
		evidence = append(evidence, map[string]string{"observable": o, "kind": "command", "how": "go test ./...: exit code 0"})
	}
	if evidence != nil {
		input["evidence"] = evidence
	}
	return agentstest.Use(signalBack, input)
}

// script returns what a role does after a kind of start, as a list of turns.
func (p *player) script(at job, role, step, start string) [][]use {
	file := func(name string) string { return filepath.Join(at.dir, name) }
	switch at.who {
	case "chaoswhisperer requirements fresh":
		return [][]use{
			{agentstest.Use("mcp__quest__set-size", map[string]any{"size": "full", "reason": "several features"})},
			{agentstest.Use("mcp__quest__set-requirements", map[string]any{"requirements": []any{map[string]any{
				"id": "polite", "context": "a name", "observables": []any{
					map[string]string{"id": "greets", "text": "Greet says hello"}, map[string]string{"id": "parts", "text": "Part says goodbye"}}}}})},
			{signal("complete", step, "summary", "2 observables")},
		}
	case "pathseeker plan fresh": // an exit without a signal
		return [][]use{{agentstest.Use("mcp__quest__plan-steps", map[string]any{"steps": []any{
			planned("greet", []string{}, "greets", "greet.go", "greet_test.go"),
			planned("farewell", []string{"greet"}, "parts", "farewell/farewell.go", "farewell/farewell_test.go"),
			planned("listen", []string{"greet"}, "greets", "rules.go"),
			planned("help", []string{"greet"}, "greets", "rules.go"),
		}})}}
	case "pathseeker plan nudge":
		return [][]use{{signal("complete", step, "summary", "2 steps")}}
	case "codeweaver greet fresh":
		return [][]use{{say("RED TEST FIRST."), run("go test ./...")},
			{signal("needs-user-input", step, "question", "Which greeting?", "context", "the test says hello")}}
	case "codeweaver greet answer":
		return [][]use{
			{agentstest.Use("Read", map[string]string{"file_path": file("greet.go")})},
			{agentstest.Use("Edit", map[string]string{"file_path": file("greet.go"), "old_string": `return ""`, "new_string": `return "hello, " + name`})},
			{run("go test ./...")},
			{signal("partially-complete", step, "progress", "THE EDIT IS MADE", "continuationPoint", "look at it once more")},
		}
	case "codeweaver alone fresh":
		return [][]use{
			{agentstest.Use("Read", map[string]string{"file_path": file("greet.go")})},
			{agentstest.Use("Edit", map[string]string{"file_path": file("greet.go"), "old_string": `return ""`, "new_string": `return "hello, " + name`})},
			{signal("complete", step, "summary", "it greets")},
		}
	case "codeweaver listen fresh", "codeweaver help fresh": // the same line
		return [][]use{
			{agentstest.Use("Read", map[string]string{"file_path": file("rules.go")})},
			{agentstest.Use("Edit", map[string]string{"file_path": file("rules.go"), "old_string": `"be kind"`, "new_string": `"be kind", "` + step + `"`})},
			{run("go test ./...")},
			{signal("complete", step, "summary", "a rule more")},
		}
	case "spiritmender listen followup", "spiritmender help followup":
		return [][]use{
			{run("git status --short && cat rules.go")},
			{agentstest.Use("Write", map[string]string{"file_path": file("rules.go"), "content": settled(at.seen)})},
			{run("go test ./...")},
			{signal("complete", step, "summary", "both rules are kept")},
		}
	case "codeweaver farewell continuation": // killed in its second turn
		return [][]use{{
			agentstest.Use("Write", map[string]string{"file_path": file("farewell/farewell.go"),
				"content": "package farewell\n\n// Part says goodbye.\nfunc Part() string { return \"goodbye\" }\n"}),
			agentstest.Use("Write", map[string]string{"file_path": file("farewell/farewell_test.go"),
				"content": "package farewell\n\nimport \"testing\"\n\nfunc TestPart(t *testing.T) {\n\tif Part() != \"goodbye\" {\n\t\tt.Fatal(Part())\n\t}\n}\n"}),
		}, {run("sleep 1000")}}
	case "siegemaster farewell fresh":
		return [][]use{{signal("needs-role-followup", step, "targetRole", "codeweaver", "reason", "a gap", "context", "WHAT THE SIEGE FOUND", "resume", "true")}}
	case "siegemaster farewell followup-done":
		_ = os.WriteFile(p.mcpDown, nil, 0o600)
		return [][]use{{at.complete(step, "holds")}}
	}
	switch {
	case role == "lawbringer" && start != "nudge":
		return [][]use{{run("git status --short")},
			{signal("needs-role-followup", step, "targetRole", "spiritmender", "reason", "a comment", "context", "say more", "resume", "false")}}
	case role == "codeweaver" && start == "interrupted":
		return [][]use{{run("go test ./...")}, {signal("complete", step, "summary", "written and tested")}}
	}
	return [][]use{{at.complete(step, role+" is done")}}
}

func planned(id string, after []string, observable string, files ...string) map[string]any {
	return map[string]any{"id": id, "title": id, "description": "do " + id, "files": files, "dependsOn": after, "observables": []string{observable}}
}

// settled resolves a conflict in rules.go: it keeps every rule of both sides.
func settled(conflict string) string {
	rules := []string{}
	for _, rule := range regexp.MustCompile(`"[a-z ]+"`).FindAllString(conflict, -1) {
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rulesFile(rules...)
}

func rulesFile(rules ...string) string {
	return "package shop\n\n// Rules are how we treat people.\nvar Rules = []string{" + strings.Join(rules, ", ") + "}\n"
}
