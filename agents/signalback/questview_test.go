package signalback_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"questboard/orchestration"
)

// read returns a part of get-quest.
func read(t *testing.T, q *quests, part string) map[string]any {
	t.Helper()
	text, isError := call(t, serve(t, q).URL, "codeweaver", "get-quest", `{"part":"`+part+`"}`)
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil || isError || len(text) > 70<<10 {
		t.Fatalf("%s: %d bytes, %v: %.200s", part, len(text), err, text)
	}
	return v
}

// The prompt leaves out what is older than 20,000 characters. All that an answer can
// hold is in get-quest, and it says if something is missing even there.
func TestGetQuestHasTheInstructionsThatThePromptLeavesOut(t *testing.T) {
	t.Parallel()
	write := func(n int) *quests {
		q := newQuests()
		part := *q.quest.Steps.At(1)
		for i := range n {
			part.Instructions = append(part.Instructions, orchestration.Instruction{Text: fmt.Sprintf("rule %d: %s", i, strings.Repeat("x", 15_000))})
		}
		q.quest.Steps = orchestration.TableOf(q.quest.Steps.At(0), &part)
		return q
	}
	step := read(t, write(4), "step")
	if list := step["instructions"].([]any); len(list) != 4 || step["instructionsLeftOut"] != nil {
		t.Errorf("%d of 4 texts, %v left out", len(list), step["instructionsLeftOut"])
	}
	step = read(t, write(6), "step")
	list := step["instructions"].([]any)
	if len(list) != 4 || !strings.HasPrefix(list[3].(string), "rule 5") || step["instructionsLeftOut"] != 2.0 {
		t.Errorf("%d of 6 texts, %v left out", len(list), step["instructionsLeftOut"])
	}
}

// A re-split is checked against what the plan leaves to the review and what it leaves
// out.
func TestGetQuestShowsWhatALongPlanLeavesOut(t *testing.T) {
	t.Parallel()
	q := newQuests()
	long := *q.quest.Steps.At(1)
	long.Description = strings.Repeat("x", 65<<10)
	q.quest.Steps = orchestration.TableOf(q.quest.Steps.At(0), &long)
	q.quest.Whole[2] = &orchestration.Step{PlanStep: orchestration.PlanStep{ID: orchestration.StepReview, Observables: []string{"o1"}}, N: -1}
	q.quest.Uncovered = []orchestration.Uncovered{{Observable: "o3", Why: "another quest does it"}}
	plan := fmt.Sprint(read(t, q, "plan"))
	for _, want := range []string{"review:[o1]", "o3", "another quest does it", "left out because"} {
		if !strings.Contains(plan, want) {
			t.Errorf("no %q in %.300s", want, plan)
		}
	}
}

// What people decided is in one part, for every role; if it does not fit, the oldest is
// left out.
func TestGetQuestHasWhatPeopleDecided(t *testing.T) {
	t.Parallel()
	q := newQuests()
	skipped := *q.quest.Steps.At(1)
	skipped.Stage, skipped.Reason = orchestration.StageSkipped, "nobody leaves"
	q.quest.Steps = orchestration.TableOf(q.quest.Steps.At(0), &skipped)
	q.quest.Changes = []orchestration.Change{{Text: "and say please"}}
	text := fmt.Sprint(read(t, q, "decisions"))
	for _, want := range []string{"kind:skip", "observables:[o2]", "nobody leaves", "step:part", "kind:change", "and say please"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	for i := range 5 {
		q.quest.Changes = append(q.quest.Changes, orchestration.Change{Text: fmt.Sprint(i, strings.Repeat("x", 20_000))})
	}
	answer := read(t, q, "decisions")
	list := answer["decisions"].([]any)
	if answer["leftOut"] != float64(8-len(list)) || len(list) < 2 || !strings.HasPrefix(list[len(list)-2].(map[string]any)["text"].(string), "4x") {
		t.Errorf("%d are told, %v left out", len(list), answer["leftOut"])
	}
}

// What the prompt says of the dependencies is in get-quest too, by the same rule.
func TestGetQuestHasTheReportsOfSteps(t *testing.T) {
	t.Parallel()
	q := newQuests()
	greet := *q.quest.Steps.At(0)
	greet.Changed = []string{"hello.txt"}
	q.quest.Steps = orchestration.TableOf(&greet, q.quest.Steps.At(1))
	for part, want := range map[string]string{
		"step": "dependencies:[map[changed:[hello.txt] reported:[map[by:siegemaster summary:hello.txt greets]] stage:done step:greet title:Greet]]",
		"plan": "map[changed:[hello.txt] id:greet reported:[map[by:siegemaster summary:hello.txt greets]] stage:done title:Greet]",
	} {
		if text := fmt.Sprint(read(t, q, part)); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in %s", part, want, text)
		}
	}
}
