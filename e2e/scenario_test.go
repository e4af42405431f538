package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// printed is word for word the scenario in the documentation.
const printed = `- role: chaoswhisperer
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: an empty repository, observables: [{id: o1, text: hello.txt greets}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}        # stepId is filled in when it is left out
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [{id: hello, title: Greet, description: write hello.txt, files: [hello.txt], dependsOn: [], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: one step}}
- role: codeweaver
  step: hello
  visit: 1
  do:
    - say: I need to know the name.
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Whom to greet?, context: hello.txt}}
- role: codeweaver
  step: hello
  do:                                                                             # every other visit
    - write: {path: hello.txt, content: "hello\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
`

func TestTheScenarioOfTheDocumentationIsPlayed(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, printed), apiRepo(t)
	quest := s.begin(repo, `,"approve":[],"ward":"grep -qx hello hello.txt"`)
	q := s.until(quest, "the question is open", func(q object) bool { return len(objects(q["questions"])) == 1 })
	ask := objects(q["questions"])[0]
	if ask["question"] != "Whom to greet?" || ask["context"] != "hello.txt" || ask["role"] != "codeweaver" {
		t.Errorf("the question is %v", ask)
	}
	s.post("/questions/"+ask["id"].(string)+"/answer", `{"answer":"everybody"}`).want(200)
	q = s.untilStatus(quest, "complete")
	runs := ofStep(q, "codeweaver", "hello")
	if len(runs) != 2 || runs[1]["start"] != "answer" || runs[1]["resumedFrom"] != runs[0]["id"] || runs[1]["sessionId"] != runs[0]["sessionId"] {
		t.Errorf("codeweaver's runs: %s", jsonText(runs))
	}
	if text := onBranch(t, repo, quest, "hello.txt"); text != "hello\n" {
		t.Errorf("hello.txt: %q", text)
	}
}

// verbs is a scenario with every kind of action, used as a real agent might act.
const verbs = `
- role: codeweaver
  step: works
  do:
    - say: I work.
    - write: {path: made/by works.txt, content: "one\n"}
    - run: cat made/*; exit 3
    - sleep: 50ms
    - garbage: "<b>no JSON</b>\n"
    - write: {path: ../outside.txt, content: "no\n"}
    - tool: {name: no-such-tool, input: {}}
    - spawn: trap "" TERM HUP; touch spawned; while :; do sleep 1; done
    - run: until test -e spawned; do sleep 0.02; done
    - tool: {name: signal-back, input: {signal: complete, summary: worked}}
- {role: codeweaver, step: leaves, visit: 1, do: [{say: I leave.}, {exit: 3}]}
- {role: codeweaver, step: quiet, visit: 1, do: [{say: I say nothing more.}]}
- {role: codeweaver, step: hangs, visit: 1, do: [{say: I hang.}, {hang: true}]}
- {role: codeweaver, step: killed, visit: 1, do: [{say: I wait for the end.}, {run: touch waits; exec sleep 600}]}
- {role: codeweaver, do: [{tool: {name: signal-back, input: {signal: complete, summary: done}}}]}
`

const verbSteps = `,"ward":"true","plan":{"steps":[{"id":"works","title":"W"},{"id":"leaves","title":"L"},
  {"id":"quiet","title":"Q"},{"id":"hangs","title":"H"},{"id":"killed","title":"K"}]}`

func TestEveryVerbOfAScenarioHasItsEnding(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, verbs, "-slots", "5", "-stuck-after", "3s"), apiRepo(t)
	quest := s.begin(repo, verbSteps)
	q := s.until(quest, "the agent to kill is at work", func(q object) bool {
		_, err := os.Stat(filepath.Join(treeOf(s.data, quest, "killed"), "waits"))
		return err == nil && goesOn("codeweaver", "killed")(q)
	})
	victim := ofStep(q, "codeweaver", "killed")[0]["id"].(string)
	if !killSimulated(t, victim) {
		t.Fatal("there was no agent to kill")
	}
	q = s.untilStatus(quest, "complete")
	for step, want := range map[string]struct{ outcome, why, next string }{
		"leaves": {"crashed", "exit code 3", "interrupted"},
		"quiet":  {"crashed", "ended its turn", "nudge"},
		"hangs":  {"stuck", "no progress", "interrupted"},
		"killed": {"crashed", "killed by SIGKILL", "interrupted"},
	} {
		runs := ofStep(q, "codeweaver", step)
		if len(runs) != 2 {
			t.Errorf("%s had %d runs", step, len(runs))
			continue
		}
		first, second := runs[0], runs[1]
		if first["outcome"] != want.outcome || !strings.Contains(first["why"].(string), want.why) {
			t.Errorf("%s ended as %s, %s; want %s, %s", step, first["outcome"], first["why"], want.outcome, want.why)
		}
		if second["start"] != want.next || second["resumedFrom"] != first["id"] || second["sessionId"] != first["sessionId"] || second["outcome"] != "signalled" {
			t.Errorf("after %s came %s", step, jsonText(second))
		}
	}
	if code := ofStep(q, "codeweaver", "leaves")[0]["exitCode"]; code != 3.0 {
		t.Errorf("exit code %v; want 3", code)
	}
	assertWorks(t, s, q, repo)
}

// assertWorks checks that the work of the step "works" is on the quest's branch and in
// the run's output, and nowhere else.
func assertWorks(t *testing.T, s *apiServer, q object, repo string) {
	t.Helper()
	works := ofStep(q, "codeweaver", "works")
	if len(works) != 1 || works[0]["costUsd"].(float64) <= 0 {
		t.Fatalf("the runs of works: %s", jsonText(works))
	}
	run := works[0]["id"].(string)
	output := s.get("/runs/" + run + "/output.jsonl").text
	for _, part := range []string{`"I work."`, `Exit code 3\none`, `<b>no JSON</b>`, "outside.txt", "no-such-tool", "Stored."} {
		if !strings.Contains(output, part) {
			t.Errorf("the output has no %s:\n%s", part, output)
		}
	}
	quest := q["id"].(string)
	if text := onBranch(t, repo, quest, "made/by works.txt"); text != "one\n" {
		t.Errorf("by works.txt: %q", text)
	}
	if _, err := os.Stat(treeOf(s.data, quest, "outside.txt")); err == nil {
		t.Error("an agent's write left its tree")
	}
	if slices.Contains(alive(t, quest), run) {
		t.Error("what the agent spawned lives on")
	}
}

// ofStep returns the runs of a role for a step, in their order.
func ofStep(q object, role, step string) []object {
	return slices.DeleteFunc(objects(q["runs"]), func(r object) bool { return r["role"] != role || r["step"] != step })
}
