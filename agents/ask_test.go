package agents_test

import (
	"encoding/json"
	"strings"
	"testing"

	"questboard/agents"
)

func inputOf(t *testing.T, fields map[string]any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A rule for a command matches it wherever it stands in a line, and no other command. Each
// of these lines was tried with Claude Code 2.1.329, which asks before all that match.
func TestARuleThatAsksFindsItsCommand(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"git push": true, "git push origin main": true, "cd . && git push": true, "(git push)": true, "FOO=1 git push": true, "git  push": true, "echo $(git push)": true,
		"timeout 5 git push x": true, "if true; then git push; fi": true, "git push > out": true, "ls\ngit push": true, "env git push": true, "'git' push": true,
		"for i in 1; do git push; done": true, "git push &": true, "git push origin \"$BRANCH\"": true,
		"git pushx": false, "echo git push": false, "git status": false, "git log --grep 'git push'": false, "cat <<E\ngit push\nE": false, "g=push; git $g": false, "git 'push": false,
	} {
		asks := agents.AsksAbout([]string{"WebFetch", "Bash(git push *)"}, "/w", "Bash", inputOf(t, map[string]any{"command": line, "description": "x"}))
		if got := len(asks.Rules) == 1 && asks.Rules[0] == "Bash(git push *)"; got != want || asks.Text != line {
			t.Errorf("%q: matched by %v, shown as %q", line, asks.Rules, asks.Text)
		}
		if want == (asks.Doubt != "") {
			t.Errorf("%q: doubt %q", line, asks.Doubt)
		}
	}
}

func TestARuleThatAsksFindsItsFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, file string
		want       bool
	}{
		{"Edit(/infra/**)", "/w/infra/a/b.tf", true}, {"Edit(/infra/**)", "/w/x/infra/a", false}, {"Edit(/infra/**)", "/infra/a", false}, {"Edit(/infra)", "/w/infra/a", true},
		{"Edit(infra/**)", "/w/infra/a", true}, {"Edit(infra)", "/w/x/infra/a", true}, {"Edit(*.pem)", "/w/a/b.pem", true}, {"Edit(*.pem)", "/w/a/b.pem.go", false},
		{"Edit(a/*.go)", "/w/a/b.go", true}, {"Edit(a/*.go)", "/w/a/c/b.go", false}, {"Edit(a/**/c)", "/w/a/c", true}, {"Edit(a/**/c)", "/w/a/b/b/c", true},
		{"Edit(//etc/**)", "/etc/passwd", true}, {"Edit(//etc/**)", "/w/etc/passwd", false}, {"Edit(/infra/**)", "/w/a/../infra/x", true}, {"Edit(/infra/**)", "infra/x", true},
	} {
		for tool, key := range map[string]string{"Edit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"} {
			asks := agents.AsksAbout([]string{c.rule}, "/w", tool, inputOf(t, map[string]any{key: c.file}))
			if got := len(asks.Rules) == 1; got != c.want {
				t.Errorf("%s by %s of %s: %v", c.rule, tool, c.file, got)
			}
		}
	}
	for rule, want := range map[string]bool{"Edit(/infra/**)": true, "Edit(*.pem)": true, "Edit(//etc/**)": false} { // where the run works is not known
		if asks := agents.AsksAbout([]string{rule}, "", "Write", inputOf(t, map[string]any{"file_path": "/w/x"})); (len(asks.Rules) == 1) != want {
			t.Errorf("%s without a folder: %v", rule, asks.Rules)
		}
	}
	if got := agents.AskRuleIn("/w", "Edit(/infra/**)"); got != "Edit(//w/infra/**)" {
		t.Errorf("the program gets %s", got)
	}
	if got := agents.AskRuleIn("/w", "Edit(//etc/**)"); got != "Edit(//etc/**)" {
		t.Errorf("the program gets %s", got)
	}
}

func TestARuleThatAsksFindsOtherTools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, tool, url string
		want            bool
	}{
		{"WebFetch", "WebFetch", "http://example.org", true}, {"WebFetch", "WebSearch", "", false},
		{"WebFetch(domain:example.org)", "WebFetch", "https://EXAMPLE.org:8080/x", true}, {"WebFetch(domain:example.org)", "WebFetch", "https://example.org.evil.net/", false},
		{"WebFetch(domain:*.example.org)", "WebFetch", "https://a.example.org/", true}, {"WebFetch(domain:example.org)", "WebFetch", "https://a@evil.net/example.org", false},
		{"mcp__own", "mcp__own__make", "", true}, {"mcp__own__make", "mcp__own__make", "", true}, {"mcp__own", "mcp__owner__make", "", false}, {"Agent", "Task", "", true},
	} {
		asks := agents.AsksAbout([]string{c.rule}, "/w", c.tool, inputOf(t, map[string]any{"url": c.url, "prompt": "p"}))
		if got := len(asks.Rules) == 1; got != c.want {
			t.Errorf("%s for %s %s: %v", c.rule, c.tool, c.url, got)
		}
	}
}

// A person reads what a call would do in full: a field that a short form would leave out is
// shown, too.
func TestTheTextOfACallIsWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool   string
		fields map[string]any
		want   []string
	}{
		{"Edit", map[string]any{"file_path": "/w/a", "old_string": "one\ntwo", "new_string": "three"}, []string{"/w/a\n-one\n-two\n+three\n"}},
		{"Edit", map[string]any{"file_path": "/w/a", "old_string": "one", "new_string": "three", "replace_all": true}, []string{"-one\n+three\n", `"replace_all":true`}},
		{"Write", map[string]any{"file_path": "/w/a", "content": "x\ny"}, []string{"/w/a\n+x\n+y\n"}},
		{"Bash", map[string]any{"command": "git push", "run_in_background": true}, []string{"git push\n", `"run_in_background":true`}},
		{"mcp__own__make", map[string]any{"what": "it"}, []string{`{"what":"it"}`}},
		{"Bash", map[string]any{"command": "git push " + strings.Repeat("x", 300_000)}, nil},
	} {
		got := agents.AsksAbout(nil, "/w", c.tool, inputOf(t, c.fields)).Text
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q has no %q", c.tool, got, want)
			}
		}
		if c.want == nil && got != "" {
			t.Errorf("%s: %.40q is shown", c.tool, got)
		}
	}
}
