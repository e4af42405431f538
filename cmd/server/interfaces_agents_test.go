package main_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/signalback"
	"questboard/agents/simulated"
	"questboard/orchestration"
)

// callers stands in for a server. The token of each run is the name of its role.
type callers struct{}

func (callers) RunOf(_ context.Context, token string) (*orchestration.Quest, *orchestration.Run, error) {
	return &orchestration.Quest{ID: "q1"}, &orchestration.Run{ID: "q1-r1", State: orchestration.RunRunning,
		Launch: orchestration.Launch{Role: orchestration.Role(token), Step: "step"}}, nil
}

func (callers) AsksOf(*orchestration.Quest, *orchestration.Run) (rules []string, dir string) {
	return nil, ""
}

func (callers) ToolsOf(*orchestration.Run) (allow, deny []string) { return nil, nil }

func (callers) Submit(context.Context, string, string, orchestration.InputKind) (*orchestration.Quest, error) {
	return &orchestration.Quest{ID: "q1"}, nil
}

// schema is the part of a JSON schema that the test reads.
type schema struct {
	Properties map[string]schema
	Required   []string
	Items      *schema
	Enum       []string
}

// flat returns all properties. Those of list items are named list[].field.
func (s schema) flat(above string) (names []string) {
	for field, of := range s.Properties {
		if !slices.Contains(s.Required, field) {
			names = append(names, above+field+"?")
		} else {
			names = append(names, above+field)
		}
		if of.Items != nil {
			names = append(names, of.Items.flat(above+field+"[].")...)
		}
	}
	return names
}

// asked posts a message to the MCP endpoint as a run of a role.
func asked(t *testing.T, role orchestration.Role, message string) []byte {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(message))
	r.Header.Set("Authorization", "Bearer "+string(role))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	signalback.New(callers{}, "test").ServeHTTP(w, r)
	return w.Body.Bytes()
}

// listedTools returns the tools that the MCP endpoint lists for a role, with their
// inputs.
func listedTools(t *testing.T, role orchestration.Role) map[string]schema {
	t.Helper()
	var answer struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema schema
			}
		}
	}
	body := asked(t, role, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Result.Tools) == 0 {
		t.Fatalf("%s has no tools: %v %s", role, err, body)
	}
	all := map[string]schema{}
	for _, tool := range answer.Result.Tools {
		all[tool.Name] = tool.InputSchema
	}
	return all
}

// toolThings are the MCP tools with their fields, and the roles that may call them.
func toolThings(t *testing.T) map[string]thing {
	t.Helper()
	things := map[string]thing{}
	var everyone []string
	for _, role := range orchestration.Roles {
		if !role.Agent() {
			continue
		}
		everyone = append(everyone, string(role))
		for tool, input := range listedTools(t, role) {
			if things[tool] == nil {
				things[tool] = thing{"fields": input.flat("")}
			}
			called := asked(t, role, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":{"no such field":1}}}`)
			if !strings.Contains(string(called), "belongs to") {
				things[tool][mayCall] = append(things[tool][mayCall], string(role))
			}
		}
	}
	for _, of := range things {
		if len(of[mayCall]) == len(everyone) {
			of[mayCall] = []string{"every agent"}
		}
	}
	return things
}

const mayCall = "who may call it"

// partThings are the parts of a quest that a run can request.
func partThings(t *testing.T) map[string]thing {
	things := map[string]thing{}
	for _, part := range listedTools(t, orchestration.Codeweaver)["get-quest"].Properties["part"].Enum {
		things[part] = thing{}
	}
	return things
}

// signalThings are the signals with their fields, "?" after those that may be left out, and
// the roles that may send them.
func signalThings(t *testing.T) map[string]thing {
	t.Helper()
	things := map[string]thing{}
	for _, kind := range orchestration.SignalKinds {
		things[string(kind)] = thing{}
		for _, role := range orchestration.Roles {
			if slices.Contains(orchestration.SignalsOf(role), kind) {
				things[string(kind)]["from"] = append(things[string(kind)]["from"], string(role))
			}
		}
		for _, field := range toolThings(t)["signal-back"]["fields"] {
			field = strings.TrimSuffix(field, "?")
			if slices.Contains([]string{"signal", "type", "stepId"}, field) || strings.Contains(field, "[].") {
				continue
			}
			sent := object{"signal": string(kind), "stepId": "step", field: "codeweaver"}
			switch field {
			case "resume":
				sent[field] = true
			case "evidence":
				sent[field] = []any{object{}}
			case "findings":
				sent[field] = []object{{"what": "a gap"}}
			}
			text, err := json.Marshal(sent)
			if err != nil {
				t.Fatal(err)
			}
			if _, faults := signalback.DecodeSignal(text); len(faults) > 0 {
				continue
			}
			if slices.ContainsFunc(orchestration.SignalFields, func(f orchestration.SignalField) bool { return f.Name == field && f.Optional }) {
				field += "?"
			}
			things[string(kind)]["fields"] = append(things[string(kind)]["fields"], field)
		}
	}
	return things
}

// firstLineThings are the keys in the first line of a prompt.
func firstLineThings(t *testing.T) map[string]thing {
	t.Helper()
	q := &orchestration.Quest{ID: "q1", Title: "Manners", Request: "teach it manners", Size: orchestration.SizeAuto}
	text, err := agents.Prompt(q, &orchestration.Run{ID: "q1-r1", Visit: 1, Launch: orchestration.Launch{
		Role: orchestration.ChaosWhisperer, Step: orchestration.StepRequirements, Start: orchestration.StartFresh}}, agents.PromptFacts{})
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(text, "\n")
	things := map[string]thing{}
	for _, pair := range regexp.MustCompile(`(\w+)=`).FindAllStringSubmatch(first, -1) {
		things[pair[1]] = thing{}
	}
	return things
}

// allowedKeys finds the keys in the messages about wrong scenarios.
var allowedKeys = regexp.MustCompile(`(?:allowed are|one of) ([\w, -]+)`)

func faultsOf(text string) string {
	_, err := simulated.Parse([]byte(text))
	if err == nil {
		return ""
	}
	return err.Error()
}

func keysOf(text string) []string {
	found := allowedKeys.FindStringSubmatch(faultsOf(text))
	if found == nil {
		return nil
	}
	return strings.Split(found[1], ", ")
}

func entryThings() map[string]thing {
	things := map[string]thing{}
	for _, key := range keysOf("- nonsense: 1") {
		things[key] = thing{}
	}
	return things
}

// actionThings are the actions of a scenario with what they accept: keys, or one of
// several words.
func actionThings() map[string]thing {
	action := func(text string) string { return "- role: codeweaver\n  do:\n    - " + text }
	things := map[string]thing{}
	for _, kind := range keysOf(action("nonsense: 1")) {
		takes := keysOf(action(kind + ": nonsense"))
		for _, key := range keysOf(action(kind + ": {nonsense: 1}")) {
			if !strings.Contains(faultsOf(action(kind+": {nonsense: 1}")), kind+" needs "+key) {
				key += "?"
			}
			takes = append(takes, key)
		}
		things[kind] = thing{"takes": takes}
	}
	return things
}
