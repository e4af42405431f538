package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// badInputScenario: every agent of the plan hangs, so that the test can speak for it.
const badInputScenario = `
- role: chaoswhisperer
  do:
    - tool: {name: set-requirements, input: {requirements: [{id: r, context: a list, observables: [{id: o1, text: one}, {id: o2, text: two}]}]}}
    - tool: {name: signal-back, input: {signal: complete, summary: locked}}
- {role: pathseeker, do: [{hang: true}]}
- {role: codeweaver, do: [{hang: true}]}
`

// What an agent or a person sends wrongly about plans, skips, a person's steps and
// instructions is refused where they look, and nothing changes.
func TestBadInputIsRefusedWhereItIsReadAndChangesNothing(t *testing.T) {
	t.Parallel()
	m := startMortal(t, badInputScenario)
	m.quest = m.begin(m.repo, `,"approve":[],"workspace":"worktree","ward":"true"`)
	running := func(role, step string) string {
		t.Helper()
		q := m.until(m.quest, role+" works on "+step, goesOn(role, step))
		for _, r := range objects(q["runs"]) {
			if r["role"] == role && r["step"] == step && r["state"] == "running" {
				return r["id"].(string)
			}
		}
		return ""
	}
	unchanged := func(what string, send func()) {
		t.Helper()
		before := m.whole()
		send()
		if after := m.whole(); after["version"] != before["version"] {
			t.Errorf("%s: the quest changed from %s to %s", what, jsonText(before), jsonText(after))
		}
	}
	wrongPlan := func(run, what string, plan object, says ...string) {
		t.Helper()
		unchanged(what, func() {
			text, refused := m.tool(runToken(t, m.data, run), "plan-steps", plan).answer()
			for _, words := range says {
				if !refused || !strings.Contains(text, words) {
					t.Errorf("%s: the agent reads %q, want %q", what, text, words)
				}
			}
		})
	}
	agent := func(run, tool string, input object) {
		t.Helper()
		if text, refused := m.tool(runToken(t, m.data, run), tool, input).answer(); refused {
			t.Fatal(text)
		}
	}
	step := func(id string, more object) object {
		s := object{"id": id, "title": id, "description": id, "files": []string{id}, "dependsOn": []string{}, "observables": []string{}}
		for k, v := range more {
			s[k] = v
		}
		return s
	}
	steps := func(all ...object) object { return object{"steps": all} }

	// quiet waits until no run that has signalled, and no check of the base, is about to end:
	// that would be a change, too.
	quiet := func() {
		t.Helper()
		m.until(m.quest, "nothing is about to end", func(q object) bool {
			return q["baseline"].(object)["state"] != "pending" &&
				!slices.ContainsFunc(objects(q["runs"]), func(r object) bool { return r["state"] == "signalled" })
		})
	}

	plan := running("pathseeker", "plan")
	quiet()
	both := object{"observables": []string{"o1", "o2"}}
	wrongPlan(plan, "a mark in a plan that is no re-split", steps(step("a", both), step("b", object{"replaces": "a"})), "b: replaces \"a\": there is no step to replace")
	whole := steps(step("a", both))
	whole["replaces"] = "a"
	wrongPlan(plan, "the old form in a plan that is no re-split", whole, "replaces: there is no step to replace")
	lists := steps(step("a", object{"observables": []string{"o2"}}))
	lists["review"], lists["uncovered"] = []string{"o1"}, []object{{"observable": "o1", "why": "no time"}}
	wrongPlan(plan, "an observable in two lists", lists, "the observable o1 is in review and in uncovered: keep one")
	wrongPlan(plan, "an unknown and an uncovered observable", steps(step("a", object{"observables": []string{"o1", "o9"}})),
		`a: no requirement has the observable "o9"`, "the observable o2 is in no step, and neither in review nor in uncovered")
	agent(plan, "plan-steps", steps(step("wide", both), step("other", nil), step("gone", nil), step("after", object{"dependsOn": []string{"gone"}})))
	agent(plan, "signal-back", object{"signal": "complete", "stepId": "plan", "summary": "planned"})

	other, gone := running("codeweaver", "other"), running("codeweaver", "gone")
	m.post("/quests/"+m.quest+"/steps/wide/resplit", `{"reason":"too large"}`).want(http.StatusOK)
	again := running("pathseeker", "wide")
	quiet()
	wrongPlan(again, "replaces of a step that runs", steps(step("x", object{"replaces": "other"})),
		`x: replaces "other": only the step that this run works for may be replaced (wide)`)
	wrongPlan(again, "replaces of two steps by one", steps(step("x", object{"replaces": []string{"wide", "other"}})), "steps[0].replaces must be a string, not a list")
	wrongPlan(again, "replaces of two steps by one, in one text", steps(step("x", object{"replaces": "wide other"})), `x: replaces "wide other": only the step`)

	refused := func(what string, status int, path, body, says string) {
		t.Helper()
		unchanged(what, func() {
			if answer := m.post("/quests/"+m.quest+"/steps/"+path, body).want(status); !strings.Contains(jsonText(answer["error"]), says) {
				t.Errorf("%s: the person reads %s, want %q", what, jsonText(answer), says)
			}
		})
	}
	m.post("/runs/"+gone+"/stop", "").want(http.StatusOK)
	m.post("/quests/"+m.quest+"/steps/gone/skip", `{"reason":"not needed"}`).want(http.StatusOK)
	running("codeweaver", "after")
	m.until(m.quest, "the process is gone", func(q object) bool { return named(q["runs"], gone)["state"] == "ended" })
	refused("an undo that is too late", http.StatusConflict, "gone/undo-skip", "", "it is too late to undo the skip of gone: after depends on it and has started")
	m.post("/runs/"+other+"/stop", "").want(http.StatusOK)
	m.until(m.quest, "the process is gone", func(q object) bool { return named(q["runs"], other)["state"] == "ended" })
	refused("instructions that are too long", http.StatusUnprocessableEntity, "other/retry", `{"instructions":"`+strings.Repeat("x", 1<<19)+`"}`, "at most 20,000 characters")
	refused("instructions of 1 MiB", http.StatusRequestEntityTooLarge, "other/retry", `{"instructions":"`+strings.Repeat("x", 1<<20)+`"}`, "larger than 1 MiB")
	m.post("/quests/"+m.quest+"/steps/other/take-over", "").want(http.StatusOK)
	refused("a second person", http.StatusConflict, "other/take-over", "", "took other over already")
}
