package signalback_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"questboard/orchestration"
)

// The list of tools is the same for every role, byte for byte. A tool of another role is
// refused when it is called, and the answer says which tools may be called.
func TestEveryRoleSeesEveryToolAndMayCallItsOwn(t *testing.T) {
	t.Parallel()
	q := newQuests()
	s := serve(t, q)
	own := map[orchestration.Role][]string{orchestration.ChaosWhisperer: {"set-size", "set-requirements"}, orchestration.PathSeeker: {"plan-steps"}}
	inputs := map[string]string{
		"set-size":         `{"size":"quick","reason":"one feature"}`,
		"set-requirements": `{"requirements":[{"id":"r","context":"c","observables":[{"id":"o","text":"t"}]}]}`,
		"plan-steps":       `{"steps":[]}`,
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	_, first := post(t, s.URL, "chaoswhisperer", []byte(list))
	for _, role := range orchestration.Roles {
		if !role.Agent() {
			continue
		}
		if _, other := post(t, s.URL, string(role), []byte(list)); other != first {
			t.Errorf("%s sees another list:\n%s\n%s", role, other, first)
		}
		may := strings.Join(append([]string{"signal-back", "get-quest"}, own[role]...), ", ")
		for tool, input := range inputs {
			before := len(q.submitted())
			text, isError := call(t, s.URL, string(role), tool, input)
			if isError == slices.Contains(own[role], tool) || isError && !strings.HasSuffix(text, "you may call "+may+".") || isError != (len(q.submitted()) == before) {
				t.Errorf("%s calls %s: refused %v: %s", role, tool, isError, text)
			}
		}
	}
}

// After a compaction a run asks who it is and what it may do.
func TestGetQuestTellsARunItsContract(t *testing.T) {
	t.Parallel()
	q := newQuests()
	q.quest = orchestration.Restore(q.quest)
	s := serve(t, q)
	for role, want := range map[string]string{
		"codeweaver": `{"role":"codeweaver","stepId":"part","signals":["complete","partially-complete","needs-user-input","needs-role-followup"],` +
			`"handOverTo":["pathseeker","siegemaster","lawbringer","spiritmender"],"mcpTools":["signal-back","get-quest"],` +
			`"tools":["Read","Glob","Grep","Agent","Edit","Write","NotebookEdit","Bash"],"commands":"every command"}`,
		"siegemaster": `{"role":"siegemaster","stepId":"part","signals":["complete","partially-complete","needs-user-input","needs-role-followup"],"walls":["network","tool","port","credential","other"],` +
			`"handOverTo":["pathseeker","codeweaver","lawbringer","spiritmender"],"evidenceFor":[{"id":"o2","text":"it says goodbye"}],"mcpTools":["signal-back","get-quest"],` +
			`"tools":["Read","Glob","Grep","Agent","Edit","Write","NotebookEdit","Bash"],"commands":"every command"}`,
		"chaoswhisperer": `{"role":"chaoswhisperer","stepId":"part","signals":["complete","needs-user-input"],"mcpTools":["signal-back","get-quest","set-size","set-requirements"],` +
			`"tools":["Read","Glob","Grep","Agent"],"commands":"only those that read, such as git log, git diff, git show, git status, git blame, ls, cat, head, tail, wc, grep, sort"}`,
	} {
		if text, isError := call(t, s.URL, role, "get-quest", `{"part":"contract"}`); isError || text != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", role, isError, text, want)
		}
	}
	q.allow, q.deny = []string{"WebSearch"}, []string{"Task"}
	if text, _ := call(t, s.URL, "codeweaver", "get-quest", `{"part":"contract"}`); !strings.HasSuffix(text, `"allowedToo":["WebSearch"],"forbidden":["Task"]}`) {
		t.Errorf("the person's choice is missing: %s", text)
	}
}

// The agent's program asks for a call that needs a permission, and gets its answer in its
// own form. What it cannot say clearly is refused.
func TestTheProgramOfAnAgentAsksForAPermission(t *testing.T) {
	t.Parallel()
	q := newQuests()
	s := serve(t, q)
	ask := func(role, input string) string {
		t.Helper()
		text, isError := call(t, s.URL, role, "permit", input)
		if isError {
			t.Fatalf("%s: %s", input, text)
		}
		return text
	}
	const look = `{"tool_name":"Bash","input":{"command":"git log","description":"a & b"},"tool_use_id":"t1"}`
	if got := ask("pathseeker", look); got != `{"behavior":"allow","updatedInput":{"command":"git log","description":"a \u0026 b"}}` {
		t.Errorf("a command that reads: %s", got)
	}
	const change = `{"tool_name":"Bash","input":{"command":"npm view x"}}`
	for role, input := range map[string]string{"pathseeker": change, "chaoswhisperer": `{"tool_name":"Bash"}`, "codeweaver": look, "lawbringer": `{}`, "siegemaster": `{"input":{"command":"ls"}}`} {
		if got := ask(role, input); !strings.HasPrefix(got, `{"behavior":"deny","message":"Refused, nothing ran: `) {
			t.Errorf("%s, %s: %s", role, input, got)
		}
	}
	q.allow = []string{"Bash(npm view *)"}
	if got := ask("pathseeker", change); !strings.HasPrefix(got, `{"behavior":"allow"`) {
		t.Errorf("what the person chose: %s", got)
	}
	q.run = func(r *orchestration.Run) { r.State = orchestration.RunEnded }
	if got := ask("pathseeker", look); !strings.Contains(got, `"deny"`) || !strings.Contains(got, "this run is over") {
		t.Errorf("a run that is over: %s", got)
	}
}

// In the last look of the review Lawbringer may only complete.
func TestTheContractOfTheLastLook(t *testing.T) {
	t.Parallel()
	q := newQuests()
	q.quest.Phase = orchestration.PhaseReview
	q.quest.Whole[2] = &orchestration.Step{N: -1, Rounds: orchestration.ReviewRounds, PlanStep: orchestration.PlanStep{ID: orchestration.StepReview}}
	q.quest = orchestration.Restore(q.quest)
	q.run = func(r *orchestration.Run) { r.Step = orchestration.StepReview }
	text, isError := call(t, serve(t, q).URL, "lawbringer", "get-quest", `{"part":"contract"}`)
	if isError || !strings.Contains(text, `"signals":["complete","needs-user-input"],"walls":["network","tool","port","credential","other"],"mcpTools"`) {
		t.Errorf("%v %s", isError, text)
	}
}

func TestSchemasAreFlatObjectsWithADescriptionForEveryField(t *testing.T) {
	t.Parallel()
	s := serve(t, newQuests())
	_, answer := post(t, s.URL, "codeweaver", []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	var reply struct {
		Result struct {
			Tools []struct {
				Name, Description string
				InputSchema       map[string]any
			}
		}
	}
	if err := json.Unmarshal([]byte(answer), &reply); err != nil || len(reply.Result.Tools) != 6 {
		t.Fatalf("%v: %s", err, answer)
	}
	for _, tool := range reply.Result.Tools {
		if tool.Description == "" {
			t.Errorf("%s has no description", tool.Name)
		}
		for _, key := range []string{"oneOf", "anyOf", "allOf"} {
			if tool.InputSchema[key] != nil {
				t.Errorf("%s has %s at its top level", tool.Name, key)
			}
		}
		checkObject(t, tool.Name, tool.InputSchema)
		if tool.Name != "signal-back" {
			continue
		}
		told, want := slices.Sorted(maps.Keys(tool.InputSchema["properties"].(map[string]any))), []string{"signal", "type", "stepId"}
		for _, f := range orchestration.SignalFields {
			want = append(want, f.Name)
		}
		if slices.Sort(want); !slices.Equal(told, want) {
			t.Errorf("signal-back takes %v, agents are told of %v", want, told)
		}
	}
}

// checkObject checks a schema: no object allows other fields, and every field is
// described.
func checkObject(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	if schema["type"] != "object" || schema["additionalProperties"] != false {
		t.Errorf("%s is no closed object: %v", path, schema)
	}
	for name, v := range schema["properties"].(map[string]any) {
		field := v.(map[string]any)
		if s, _ := field["description"].(string); s == "" {
			t.Errorf("%s.%s has no description", path, name)
		}
		if items, ok := field["items"].(map[string]any); ok && items["type"] == "object" {
			checkObject(t, path+"."+name, items)
		}
	}
}

func TestAToolOfAnotherRoleIsRefusedByName(t *testing.T) {
	t.Parallel()
	q := newQuests()
	s := serve(t, q)
	for tool, role := range map[string]string{"set-size": "pathseeker", "set-requirements": "pathseeker", "plan-steps": "codeweaver"} {
		text, isError := call(t, s.URL, role, tool, `{}`)
		if !isError || !strings.Contains(text, "belongs to") || !strings.Contains(text, role) {
			t.Errorf("%s by %s: %v %q", tool, role, isError, text)
		}
	}
	if n := len(q.submitted()); n != 0 {
		t.Errorf("%d facts were submitted", n)
	}
}

func TestARefusalOfTheRulesIsToldWhole(t *testing.T) {
	t.Parallel()
	q := newQuests()
	s := serve(t, q)
	refusal := orchestration.Error{Code: orchestration.CodeInvalid, Message: "the plan has 2 faults",
		Fields: map[string]string{"steps[1].dependsOn": "no step is called nope", "steps[0].id": "plan is a reserved id"}}
	for told, want := range map[bool]string{
		true:  "Refused, nothing changed: the plan has 2 faults",
		false: "Refused, nothing changed: the plan has 2 faults\n- steps[0].id: plan is a reserved id\n- steps[1].dependsOn: no step is called nope",
	} {
		refused := refusal
		refused.Told = told
		q.fail = &refused
		if text, isError := call(t, s.URL, "pathseeker", "plan-steps", `{"steps":[]}`); !isError || text != want {
			t.Errorf("told %v: got %v %q", told, isError, text)
		}
	}
}

func TestTheAnswerTellsTheAgentToStopAndRepeatsEqually(t *testing.T) {
	t.Parallel()
	s := serve(t, newQuests())
	for arguments, says := range map[string]string{
		`{"signal":"complete","stepId":"part","summary":"s"}`:                                                                              "run is over",
		`{"type":"partially-complete","stepId":"part","progress":"p","continuationPoint":"c"}`:                                             "fresh session",
		`{"signal":"needs-user-input","stepId":"part","question":"q","context":"c"}`:                                                       "resumed with the answer",
		`{"signal":"needs-role-followup","stepId":"part","targetRole":"pathseeker","reason":"r","context":"c","resume":true}`:              "pathseeker acts now; this session is resumed",
		`{"signal":"needs-role-followup","stepId":"part","targetRole":"spiritmender","reason":"r","context":"c","resume":false,"type":""}`: "spiritmender takes over",
	} {
		first, isError := call(t, s.URL, "codeweaver", "signal-back", arguments)
		if isError || !strings.Contains(first, says) || !strings.Contains(first, "end your turn now") {
			t.Errorf("%s: %v %q", arguments, isError, first)
		}
		if again, _ := call(t, s.URL, "codeweaver", "signal-back", arguments); again != first {
			t.Errorf("the repeat got %q, the first %q", again, first)
		}
	}
}

func TestWhatWasSentIsWhatIsSubmitted(t *testing.T) {
	t.Parallel()
	q := newQuests()
	s := serve(t, q)
	call(t, s.URL, "chaoswhisperer", "set-size", `{"size":"errand","reason":"one line of a README"}`)
	call(t, s.URL, "chaoswhisperer", "set-requirements", `{"title":"Let it greet","requirements":[{"id":"r","context":"c","trigger":"t","observables":[{"id":"o","text":"x"}]}]}`)
	call(t, s.URL, "pathseeker", "plan-steps", `{"steps":[{"id":"a","title":"A","description":"d","files":["f"],"dependsOn":[],"observables":["o"],"minutes":2.5,"replaces":"part"}],"replaces":"part"}`)
	call(t, s.URL, "codeweaver", "signal-back", `{"type":"needs-role-followup","stepId":"part","targetRole":"pathseeker","reason":"r","context":"c","resume":false}`)
	no, title := false, "Let it greet"
	want := []orchestration.InputKind{
		orchestration.SizeSet{Run: "q1-r7", Size: orchestration.SizeErrand, Reason: "one line of a README"},
		orchestration.RequirementsSet{Run: "q1-r7", Title: &title, Requirements: []orchestration.Requirement{{ID: "r", Context: "c", Trigger: "t", Observables: []orchestration.Observable{{ID: "o", Text: "x"}}}}},
		orchestration.PlanDrafted{Run: "q1-r7", Draft: orchestration.PlanDraft{Replaces: "part", Steps: []orchestration.PlanStep{
			{ID: "a", Title: "A", Description: "d", Files: []string{"f"}, Observables: []string{"o"}, Minutes: 2.5, Replaces: "part"}}}},
		orchestration.SignalReceived{Run: "q1-r7", Signal: orchestration.Signal{Kind: orchestration.NeedsRoleFollowup, StepID: "part", TargetRole: "pathseeker", Reason: "r", Context: "c", Resume: &no}},
	}
	if diff := cmp.Diff(want, q.submitted()); diff != "" {
		t.Error(diff)
	}
}

func TestGetQuestTellsARunWhatItMayKnow(t *testing.T) {
	t.Parallel()
	s := serve(t, newQuests())
	for part, says := range map[string][]string{
		`{}`:                      {"teach it manners", `"stepId":"part"`, `"stage":"done"`},
		`{"part":"requirements"}`: {"it says goodbye", "an empty shop"},
		`{"part":"plan"}`:         {"say goodbye", "bye.txt"},
		`{"part":"step"}`:         {"say goodbye", "it says goodbye", "hello.txt greets"},
		`{"part":"history"}`:      {`"runs":[]`},
	} {
		text, isError := call(t, s.URL, "codeweaver", "get-quest", part)
		for _, want := range says {
			if isError || !strings.Contains(text, want) {
				t.Errorf("%s: no %q in %s", part, want, text)
			}
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%s: not JSON: %s", part, text)
		}
	}
	if text, isError := call(t, s.URL, "codeweaver", "get-quest", `{"part":"all"}`); !isError || !strings.Contains(text, "requirements, plan, step, history, decisions, contract") {
		t.Errorf("an unknown part: %v %q", isError, text)
	}
}

// A model that reads null would think that something was forgotten.
func TestGetQuestHasNoNullForAnEmptyList(t *testing.T) {
	t.Parallel()
	q := newQuests()
	q.quest.Requirements = nil
	s := serve(t, q)
	for part, list := range map[string]string{"requirements": "requirements", "step": "observables"} {
		text, isError := call(t, s.URL, "codeweaver", "get-quest", `{"part":"`+part+`"}`)
		if isError || !strings.Contains(text, `"`+list+`":[]`) {
			t.Errorf("%s: %s", part, text)
		}
	}
	q.run = func(r *orchestration.Run) { r.Step = orchestration.StepReview }
	if text, isError := call(t, s.URL, "lawbringer", "get-quest", `{"part":"step"}`); isError || !strings.Contains(text, `"findings":[]`) {
		t.Errorf("review: %s", text)
	}
}

// Another call of the run may wait, or the answer may come late: only a call that the run has
// asked about is refused.
func TestACallWaitsOnlyIfTheRunHasAskedAboutIt(t *testing.T) {
	t.Parallel()
	for waits, want := range map[string]string{"": "allow", "git push origin y": "allow", "git push origin x": "deny"} {
		q := newQuests()
		q.ask = []string{"Bash(git push *)"}
		q.run = func(r *orchestration.Run) { r.Signal = &orchestration.Signal{Kind: orchestration.NeedsUserInput} }
		if waits != "" {
			q.quest.Questions = orchestration.TableOf(&orchestration.Question{ID: "q1-q1", Run: "q1-r7", Step: "part",
				Calls: []orchestration.Call{{Tool: "Bash", Text: waits, Rules: q.ask}}})
		}
		text, _ := call(t, serve(t, q).URL, "codeweaver", "permit", `{"tool_name":"Bash","input":{"command":"git push origin x"}}`)
		if !strings.Contains(text, `{"behavior":"`+want+`"`) {
			t.Errorf("%q waits: %s", waits, text)
		}
	}
}
