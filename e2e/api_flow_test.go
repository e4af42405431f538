package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// greeting is a scenario that asks one question, fails ward once and sends one refused
// call of each kind before a valid one.
const greeting = `
- role: chaoswhisperer
  do:
    - tool: {name: signal-back, input: {signal: complete, summary: too early}}
    - tool: {name: signal-back, input: {signal: needs-role-followup, targetRole: codeweaver, reason: not mine, resume: true}}
    - tool: {name: set-requirements, input: {requirements: [{id: r1, context: an empty repository, observables: [{id: o1, text: hello.txt greets}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- role: pathseeker
  do:
    - tool: {name: plan-steps, input: {steps: [{id: a, title: A, description: x, files: [], dependsOn: [b], observables: []}, {id: b, title: B, description: x, files: [], dependsOn: [a, nobody], observables: []}]}}
    - tool: {name: plan-steps, input: {steps: [{id: hello, title: Greet, description: write hello.txt, files: [hello.txt], dependsOn: [], observables: [o1]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: one step}}
- role: codeweaver
  step: hello
  visit: 1
  do:
    - say: I need to know the name.
    - garbage: "\xff\xfe not JSON at all"
    - tool: {name: signal-back, input: {signal: needs-user-input, context: hello.txt}}
    - tool: {name: signal-back, input: {signal: needs-user-input, stepId: other, question: Whom to greet?, context: hello.txt}}
    - tool: {name: signal-back, input: {signal: needs-user-input, question: Whom to greet?, context: hello.txt}}
- role: codeweaver
  step: hello
  do:
    - write: {path: hello.txt, content: "hullo\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: written}}
- role: spiritmender
  do:
    - write: {path: hello.txt, content: "hello\n"}
    - tool: {name: signal-back, input: {signal: complete, summary: mended}}
`

func TestTheAPICarriesAQuestToComplete(t *testing.T) {
	t.Parallel()
	s, repo := startAPI(t, greeting), apiRepo(t)
	quest := s.begin(repo, `,"ward":"grep -q hello hello.txt","approve":["requirements","plan"],"slots":2`)

	// The process of the run that signalled may still be ending when its gate is open.
	q := s.until(quest, "requirements wait for approval", func(q object) bool {
		return q["gates"].(object)["requirements"] == "open" && q["status"] == "waiting"
	})
	if len(objects(q["requirements"])) != 1 || q["requirementsLocked"] != false {
		t.Errorf("requirements %v, locked %v", q["requirements"], q["requirementsLocked"])
	}
	s.post("/quests/"+quest+"/gates/requirements", `{"approve":true}`).want(http.StatusOK)
	s.until(quest, "the plan waits for approval", func(q object) bool { return q["gates"].(object)["plan"] == "open" })
	s.post("/quests/"+quest+"/gates/plan", `{"approve":true}`).want(http.StatusOK)

	q = s.until(quest, "a question is open", func(q object) bool { return len(objects(q["questions"])) == 1 && q["status"] == "waiting" })
	step := named(q["steps"], "hello")
	if step["hold"] != "question" || step["stage"] != "codeweaver" {
		t.Errorf("the step that asks: %v", step)
	}
	ask := objects(s.get("/questions?open=true").want(http.StatusOK)["questions"])[0]
	if ask["question"] != "Whom to greet?" || ask["step"] != "hello" {
		t.Errorf("the question: %v", ask)
	}
	answer := "/questions/" + ask["id"].(string) + "/answer"
	s.post(answer, `{"answer":"the world"}`).want(http.StatusOK)
	late := s.post(answer, `{"answer":"nobody"}`).want(http.StatusConflict)
	if late["question"].(object)["answer"] != "the world" {
		t.Errorf("the late answer got %v", late)
	}

	q = s.untilStatus(quest, "complete")
	if text := onBranch(t, repo, quest, "hello.txt"); text != "hello\n" {
		t.Errorf("hello.txt: %q", text)
	}
	if left := gitText(t, repo, "status", "--porcelain"); left != "" {
		t.Errorf("agents wrote into the user's checkout:\n%s", left)
	}
	assertRuns(t, s, q)
	assertHistory(t, s, quest)
}

// assertRuns checks which runs there were, what they signalled, and what is in their
// output.
func assertRuns(t *testing.T, s *apiServer, q object) {
	t.Helper()
	roles := map[any]bool{}
	all := ""
	for _, r := range objects(q["runs"]) {
		roles[r["role"]] = true
		if r["state"] != "ended" || r["endedAt"] == nil || r["outcome"] != "signalled" {
			t.Errorf("run %v: %v", r["id"], r)
		}
		if r["role"] != "ward" && (r["signal"] == nil || strings.Contains(r["why"].(string), "without a signal")) {
			t.Errorf("run %v: signal %v, why %v", r["id"], r["signal"], r["why"])
		}
		page := s.get("/runs/" + r["id"].(string) + "/output?n=1000").want(http.StatusOK)
		lines := page["lines"].([]any)
		if page["total"] != float64(len(lines)) {
			t.Errorf("run %v: %d lines of %v", r["id"], len(lines), page["total"])
		}
		for _, line := range lines {
			all += line.(string) + "\n"
		}
		raw := s.get("/runs/" + r["id"].(string) + "/output.jsonl")
		if raw.status != http.StatusOK || strings.Count(raw.text, "\n") < len(lines)-1 {
			t.Errorf("run %v: the raw output has status %d and %d bytes", r["id"], raw.status, len(raw.text))
		}
	}
	for _, role := range []string{"chaoswhisperer", "pathseeker", "codeweaver", "ward", "siegemaster", "spiritmender", "lawbringer"} {
		if !roles[role] {
			t.Errorf("no run of %s", role)
		}
	}
	// The agent is told why a call was refused, and continues.
	for _, told := range []string{"nobody", "a -> b -> a", "not JSON at all"} {
		if !strings.Contains(strings.ReplaceAll(all, `\u003e`, ">"), told) {
			t.Errorf("no output says %q", told)
		}
	}
}

func assertHistory(t *testing.T, s *apiServer, quest string) {
	t.Helper()
	var types []string
	for after, more := "0", true; more; {
		page := s.get("/quests/" + quest + "/events?n=7&after=" + after).want(http.StatusOK)
		for _, e := range objects(page["events"]) {
			if types = append(types, e["type"].(string)); e["seq"] != float64(len(types)) {
				t.Fatalf("entry %d has seq %v", len(types), e["seq"])
			}
		}
		more = len(objects(page["events"])) > 0
		after = jsonText(page["last"])
	}
	for _, want := range []string{"quest.created", "requirements.locked", "gate.approved", "plan.in-force", "question.asked",
		"question.answered", "ward.failed", "ward.passed", "step.done", "quest.completed"} {
		if !slices.Contains(types, want) {
			t.Errorf("the history has no %s", want)
		}
	}
	file := s.get("/quests/" + quest + "/export").want(http.StatusOK)
	if file["format"] != "questboard-quest" || len(objects(file["events"])) != len(types) {
		t.Errorf("the quest file: %v with %d entries of %d", file["format"], len(objects(file["events"])), len(types))
	}
	if slots := s.get("/slots").want(http.StatusOK); slots["queued"] != 0.0 {
		t.Errorf("slots at the end: %v", slots)
	}
}
