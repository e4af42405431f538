package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// changeScenario: Codeweaver works on the step a until @GO@ is there. ChaosWhisperer's
// second visit is told the change, PathSeeker's second visit leaves b out and adds c.
const changeScenario = `
- role: chaoswhisperer
  visit: 1
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a file, observables: [{id: o1, text: a is there}, {id: o2, text: b is there}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
- role: chaoswhisperer
  visit: 2
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: a file, observables: [{id: o1, text: a is there}, {id: o3, text: c is there}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: c instead of b}}
- role: pathseeker
  visit: 1
  do:
    - tool: {name: plan-steps, input: {steps: [{id: a, title: A, description: write a, files: [a], dependsOn: [], observables: [o1]}, {id: b, title: B, description: write b, files: [b], dependsOn: [a], observables: [o2]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: two steps}}
- role: pathseeker
  visit: 2
  do:
    - tool: {name: plan-steps, input: {steps: [{id: c, title: C, description: write c, files: [c], dependsOn: [a], observables: [o3]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: c instead of b}}
- role: codeweaver
  step: a
  do:
    - run: "while [ ! -e '@GO@' ]; do sleep 0.05; done; echo a > a"
    - tool: {name: signal-back, input: {signal: complete, summary: a is written}}
- {role: codeweaver, step: b, do: [{run: echo b > b}, {tool: {name: signal-back, input: {signal: complete, summary: b is written}}}]}
- {role: codeweaver, step: c, do: [{run: echo c > c}, {tool: {name: signal-back, input: {signal: complete, summary: c is written}}}]}
`

// The requirements change while a step works, and the server is killed meanwhile. The
// step goes on, the rest is planned again, and nothing of the old plan is built. Then a
// quest follows on the result, which it does not have to build again.
func TestRequirementsChangeWhileAStepWorks(t *testing.T) {
	t.Parallel()
	start := filepath.Join(t.TempDir(), "go")
	m := startMortal(t, strings.ReplaceAll(changeScenario, "@GO@", start))
	m.quest = m.begin(m.repo, `,"approve":[],"workspace":"worktree","ward":"true"`)
	m.until(m.quest, "Codeweaver works on a", goesOn("codeweaver", "a"))
	m.post("/quests/"+m.quest+"/change", `{"text":"c, and not b"}`).want(200)
	m.until(m.quest, "the new plan is in force, and c waits for a", func(q object) bool {
		c := named(q["steps"], "c")
		return q["phase"] == "steps" && c != nil && c["stage"] == "waiting"
	})
	m.dies(m.whole())
	q := m.until(m.quest, "Codeweaver works on a again", goesOn("codeweaver", "a"))
	if b := named(q["steps"], "b"); b["stage"] != "superseded" || b["started"] != false {
		t.Errorf("b is left out, and it is %v", b)
	}
	if err := os.WriteFile(start, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	q = m.untilStatus(m.quest, "complete")
	if o := q["outcome"].(object); o["green"] != true {
		t.Errorf("the outcome is %v", o)
	}
	if changes := objects(q["changes"]); len(changes) != 1 || changes[0]["text"] != "c, and not b" {
		t.Errorf("changes %v", changes)
	}
	if files := gitText(t, m.repo, "ls-tree", "--name-only", "quest/"+m.quest); files != "a\nc\n" {
		t.Errorf("the branch has %q", files)
	}

	former := m.quest
	followed := m.post("/quests/"+former+"/follow-up", `{"request":"b, too"}`).want(201)
	m.quest = followed["id"].(string)
	if followed["follows"] != former || followed["base"] != "quest/"+former {
		t.Errorf("it follows %v, on %v", followed["follows"], followed["base"])
	}
	if q = m.untilStatus(m.quest, "complete"); q["outcome"].(object)["green"] != true {
		t.Errorf("the outcome is %v", q["outcome"])
	}
	if former := m.get("/quests/" + former).want(200); jsonText(former["followUps"]) != jsonText([]string{m.quest}) {
		t.Errorf("the former quest is followed by %v", former["followUps"])
	}
	m.wantFiles(map[string]string{"a": "a\n", "b": "b\n", "c": "c\n"})
}
