package agents_test

import (
	"encoding/json"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

// docs/state-machine.md#permission
func TestTheRuleOfADeniedCallNamesNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, input, text, rule string }{
		{"Bash", `{"command":"npm test"}`, "npm test", "Bash(npm test)"},
		{"Bash", `{"command":"ls *.go"}`, "ls *.go", ""},
		{"Bash", `{"command":"a\nb"}`, "a\nb", ""},
		{"Bash", `{"command":"a, b"}`, "a, b", ""},
		{"Bash", `{"command":"echo $(rm x)"}`, "echo $(rm x)", ""},
		{"Bash", `{"command":"npm:"}`, "npm:", ""},
		{"Bash", `{"command":7}`, "", ""},
		{"Bash", `no JSON`, "", ""},
		{"Edit", `{"file_path":"/a/b"}`, "/a/b", "Edit(//a/b)"},
		{"Write", `{"file_path":"/a/../b"}`, "/a/../b", "Edit(//b)"},
		{"NotebookEdit", `{"notebook_path":"/a/n.ipynb"}`, "/a/n.ipynb", "Edit(//a/n.ipynb)"},
		{"Read", `{"file_path":"/a/[b]"}`, "/a/[b]", ""},
		{"Read", `{"file_path":"b"}`, "b", ""},
		{"WebFetch", `{"url":"https://me@Example.org:8080/x?y","prompt":"p"}`, "https://me@Example.org:8080/x?y", "WebFetch(domain:example.org)"},
		{"WebFetch", `{"url":"nonsense"}`, "nonsense", ""},
		{"WebSearch", `{"query":"x"}`, `{"query":"x"}`, "WebSearch"},
		{"mcp__own__make", `{}`, "{}", "mcp__own__make"},
		{"mcp__quest__plan-steps", `{}`, "{}", ""},
		{"AskUserQuestion", `{}`, "{}", ""},
	} {
		got := agents.Denied(c.tool, json.RawMessage(c.input))
		if want := (orchestration.DeniedCall{Tool: c.tool, Text: c.text, Rule: c.rule}); got != want {
			t.Errorf("%s %s: %+v, want %+v", c.tool, c.input, got, want)
		}
	}
	long := agents.Denied("Bash", json.RawMessage(`{"command":"`+strings.Repeat("ö", 5000)+`"}`))
	if len(long.Text) > 2<<10 || long.Rule != "" || strings.Contains(long.Text, "\uFFFD") {
		t.Errorf("%d bytes and the rule %q are kept", len(long.Text), long.Rule)
	}
}

// Of a program that asks about everything. What is denied or asked about stays stronger.
func TestWhatAPersonAllowedIsAllowedToAProgramThatAsks(t *testing.T) {
	t.Parallel()
	fetch := agents.Asked{Tool: "WebFetch", Input: json.RawMessage(`{"url":"https://example.org/a"}`)}
	edit := agents.Asked{Tool: "Edit", Files: []string{"/out/a"}}
	both := agents.Asked{Tool: "Edit", Files: []string{"/out/a", "/out/b"}}
	unknown := agents.Asked{Tool: "Edit"}
	bash := agents.Asked{Tool: "Bash", Input: json.RawMessage(`{"command":"npm test"}`)}
	rules := []string{"WebFetch(domain:example.org)", "Edit(//out/a)", "Bash(npm test)"}
	for _, c := range []struct {
		role      orchestration.Role
		call      agents.Asked
		ask, deny string
		may       bool
	}{
		{orchestration.Codeweaver, fetch, "", "", true}, {orchestration.PathSeeker, fetch, "", "", true}, {orchestration.PathSeeker, bash, "", "", true},
		{orchestration.Codeweaver, fetch, "WebFetch", "", false}, {orchestration.Codeweaver, fetch, "", "WebFetch", false},
		{orchestration.Codeweaver, agents.Asked{Tool: "WebFetch", Input: json.RawMessage(`{"url":"https://example.com/a"}`)}, "", "", false},
		{orchestration.Codeweaver, edit, "", "", true}, {orchestration.PathSeeker, edit, "", "", false},
		{orchestration.Codeweaver, edit, "", "Edit(//out/**)", false}, {orchestration.Codeweaver, both, "", "", false},
		{orchestration.PathSeeker, unknown, "", "", false}, {orchestration.PathSeeker, bash, "", "Bash(npm *)", false},
	} {
		spec := agents.Spec{Role: c.role, Dir: "/work", Allow: rules, Permit: func(orchestration.Call) (string, bool) { return "a person is asked", true }}
		for rule, to := range map[string]*[]string{c.ask: &spec.Ask, c.deny: &spec.Deny} {
			if rule != "" {
				*to = []string{rule}
			}
		}
		if why, _ := agents.RefusalOf(spec, c.call); (why == "") != c.may {
			t.Errorf("%s %+v, ask %q, deny %q: %q", c.role, c.call, c.ask, c.deny, why)
		}
	}
}
