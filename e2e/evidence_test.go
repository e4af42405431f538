package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// evidenceScenario: Siegemaster hangs, so that the test can speak for it.
const evidenceScenario = `
- {role: codeweaver, do: [{write: {path: greet_test.go, content: "package greet\n\nfunc TestGreet(t *testing.T) {}\n"}}, {tool: {name: signal-back, input: {signal: complete, summary: written}}}]}
- {role: siegemaster, do: [{hang: true}]}
- {role: lawbringer, do: [{tool: {name: signal-back, input: {signal: complete, summary: holds}}}]}
`

const evidencePlan = `,"approve":[],"workspace":"worktree","ward":"true","plan":{"requirements":[{"id":"r1","context":"a name","observables":[
  {"id":"o1","text":"it is greeted"},{"id":"o2","text":"twice, if asked"},{"id":"o3","text":"in red"}]}],
  "steps":[{"id":"greet","title":"Greet","files":["greet_test.go"],"observables":["o1","o2"]},{"id":"red","title":"Red","observables":["o3"]}]}`

// What Siegemaster sends wrongly as evidence is refused where it reads, with every fault
// in one answer, and nothing changes. What it proves is of a commit, on the page and in
// the API.
func TestEvidenceIsCheckedInTheTreeAndShownWithItsCommit(t *testing.T) {
	t.Parallel()
	m := startMortal(t, evidenceScenario)
	m.quest = m.begin(m.repo, evidencePlan)
	siege := func(step string) string {
		t.Helper()
		q := m.until(m.quest, "Siegemaster works on "+step, goesOn("siegemaster", step))
		for _, r := range objects(q["runs"]) {
			if r["role"] == "siegemaster" && r["step"] == step && r["state"] == "running" {
				return r["id"].(string)
			}
		}
		return ""
	}
	piece := func(observable, kind, how string) object {
		return object{"observable": observable, "kind": kind, "how": how}
	}
	send := func(run, step string, evidence ...object) (string, bool) {
		t.Helper()
		input := object{"signal": "complete", "stepId": step, "summary": "tried"}
		if evidence != nil {
			input["evidence"] = evidence
		}
		return m.tool(runToken(t, m.data, run), "signal-back", input).answer()
	}
	run, other := siege("greet"), siege("red") // from here on nothing changes but by what is sent
	good := piece("o1", "test", "TestGreet")
	for what, c := range map[string]struct {
		evidence []object
		says     []string
	}{
		"none":               {nil, []string{"o1 (it is greeted): its evidence is missing", "o2 (twice, if asked): its evidence is missing"}},
		"a foreign one":      {[]object{good, piece("o2", "unproven", "no time"), piece("o3", "unproven", "not mine")}, []string{"o3 (in red): greet does not have this observable"}},
		"an empty one":       {[]object{good, piece("o2", "command", "")}, []string{"o2 (twice, if asked): how is empty: send the command with its exit code"}},
		"a test not there":   {[]object{good, piece("o2", "test", "TestGreetTwice")}, []string{`the test "TestGreetTwice" is not in the tree: no file has this name`}},
		"a line not there":   {[]object{good, piece("o2", "place", "greet_test.go:30")}, []string{"greet_test.go has 3 lines"}},
		"a place outside":    {[]object{good, piece("o2", "place", "/etc/passwd:1")}, []string{"is no path inside the tree"}},
		"twice the same":     {[]object{good, good, piece("o2", "unproven", "no time")}, []string{"o1 (it is greeted): it is there twice"}},
		"900 kB":             {[]object{good, piece("o2", "unproven", strings.Repeat("x", 900_000))}, []string{"how has 900000 characters, and 1000 are possible"}},
		"a command, no code": {[]object{good, piece("o2", "command", "go test: ok")}, []string{"send the command with its exit code"}},
	} {
		before := m.whole()["version"]
		text, refused := send(run, "greet", c.evidence...)
		for _, words := range c.says {
			if !refused || !strings.Contains(text, words) {
				t.Errorf("%s: the agent reads %.500q, want %q", what, text, words)
			}
		}
		if m.whole()["version"] != before {
			t.Errorf("%s: the quest changed", what)
		}
	}
	huge := m.tool(runToken(t, m.data, run), "signal-back", object{"signal": "complete", "stepId": "greet", "summary": "s",
		"evidence": []object{good, piece("o2", "unproven", strings.Repeat("x", 1<<20))}})
	if huge.status != http.StatusRequestEntityTooLarge || !strings.Contains(huge.text, "larger than 1 MiB: send less text") {
		t.Errorf("1 MiB: %d %.300s", huge.status, huge.text)
	}
	if text, refused := send(run, "greet", good, piece("o2", "unproven", "no second name here")); refused {
		t.Fatal(text)
	}
	if text, refused := send(other, "red", piece("o3", "command", "true: exit code 0")); refused {
		t.Fatal(text)
	}
	q := m.untilStatus(m.quest, "complete")
	states := map[string]string{}
	for _, e := range objects(q["evidence"]) {
		proof := e["proof"].(object)
		if commit := proof["commit"].(string); len(commit) != 40 || strings.TrimSpace(gitText(t, m.repo, "cat-file", "-t", commit)) != "commit" {
			t.Errorf("%s is of the commit %q", e["observable"], commit)
		}
		states[e["observable"].(string)] = e["step"].(string) + " " + e["state"].(string) + " " + e["kind"].(string)
	}
	if want := (map[string]string{"o1": "greet proven test", "o2": "greet unproven unproven", "o3": "red proven command"}); jsonText(states) != jsonText(want) {
		t.Errorf("the evidence is %v, want %v", states, want)
	}
	outcome := q["outcome"].(object)
	if left := objects(outcome["unproven"]); outcome["green"] != false || len(left) != 1 || left[0]["why"] != "no second name here" {
		t.Errorf("the outcome is %s", jsonText(outcome))
	}
	page := m.send("GET", "/quests/"+m.quest+"/steps/requirements", "").text
	for _, words := range []string{"Proven by a test", "TestGreet", "proven at ", "Unproven", "no second name here"} {
		if !strings.Contains(page, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
}
