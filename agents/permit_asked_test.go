package agents_test

import (
	"encoding/json"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/orchestration"
)

// A program that asks about everything is told what the role has; what Claude Code asks is
// the rest (TestAReaderMayRunWhatOnlyReads).
func TestAProgramThatAsksAboutEverythingGetsWhatTheRoleHas(t *testing.T) {
	t.Parallel()
	run := func(command string) json.RawMessage {
		data, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, tt := range []struct {
		rule   string
		role   orchestration.Role
		call   agents.Asked
		refuse string // a part of the refusal; "": it may
	}{
		{"a builder runs everything", orchestration.Codeweaver, agents.Asked{Tool: "Bash", Input: run("rm -rf build")}, ""},
		{"a reader runs what reads", orchestration.PathSeeker, agents.Asked{Tool: "Bash", Input: run("git log | head")}, ""},
		{"and nothing else", orchestration.PathSeeker, agents.Asked{Tool: "Bash", Input: run("rm -rf build")}, "You may run only what reads"},
		{"a command that is not told is none", orchestration.PathSeeker, agents.Asked{Tool: "Bash"}, "You may run only what reads"},
		{"a builder changes its files", orchestration.Codeweaver, agents.Asked{Tool: "Edit", Files: []string{"/tree/a.go"}}, ""},
		{"not those of others", orchestration.Codeweaver, agents.Asked{Tool: "Edit", Files: []string{"/tree/a.go", "/tree/../home/x"}}, "needs the word of a person"},
		{"a file that the prompt names is read", orchestration.PathSeeker, agents.Asked{Tool: "Read", Files: []string{"/picture.png"}}, ""},
		{"a reader changes nothing", orchestration.PathSeeker, agents.Asked{Tool: "Edit", Files: []string{"/tree/a.go"}}, "Edit is not yours"},
		{"our tools are for all", orchestration.PathSeeker, agents.Asked{Tool: agents.SignalTool}, ""},
		{"what nobody knows is refused", orchestration.Codeweaver, agents.Asked{Tool: "external_directory"}, "not yours"},
		{"what the person allows", orchestration.Codeweaver, agents.Asked{Tool: "WebSearch"}, ""},
		{"what the person forbids", orchestration.Codeweaver, agents.Asked{Tool: "Bash", Input: run(" npm publish x")}, "the person forbids"},
		{"also behind another command", orchestration.Codeweaver, agents.Asked{Tool: "Bash", Input: run("cd . && FOO=1 npm  publish x")}, "the person forbids"},
		{"also in a line that nobody can read", orchestration.Codeweaver, agents.Asked{Tool: "Bash", Input: run("true " + strings.Repeat(" ", 1<<20))}, "the person forbids"},
		{"not a command that begins alike", orchestration.Codeweaver, agents.Asked{Tool: "Bash", Input: run("npm publisher")}, ""},
		{"files that the person forbids", orchestration.Codeweaver, agents.Asked{Tool: "Edit", Files: []string{"/tree/a.go", "/tree/infra/main.tf"}}, "the person forbids"},
		{"what a person has to be asked about", orchestration.Codeweaver, agents.Asked{Tool: "Bash", Input: run("git push")}, "asked: git push by Bash(git push *)"},
		{"also without its input", orchestration.Codeweaver, agents.Asked{Tool: "Edit", Files: []string{"/tree/key.pem"}}, "asked: /tree/key.pem by Edit(*.pem)"},
		{"what a person has allowed", orchestration.Codeweaver, agents.Asked{Tool: "Bash", Input: run("git push allowed")}, ""},
		{"what no person could read", orchestration.Codeweaver, agents.Asked{Tool: "Edit", Input: run(strings.Repeat("x", 250_000)), Files: []string{"/tree/key.pem"}}, "too long to be shown"},
		{"nobody is asked about what is not the role's", orchestration.PathSeeker, agents.Asked{Tool: "Bash", Input: run("git push")}, "You may run only what reads"},
		{"nor about an edit by a role that reads", orchestration.PathSeeker, agents.Asked{Tool: "Edit", Files: []string{"/tree/key.pem"}}, "Edit is not yours"},
		{"about a page whose address is not told", orchestration.Codeweaver, agents.Asked{Tool: "WebFetch", Title: "Pages of https://example.com"}, "asked: Pages of https://example.com by WebFetch(domain:example.org)"},
		{"not about another page", orchestration.Codeweaver, agents.Asked{Tool: "WebFetch", Input: json.RawMessage(`{"url":"https://example.com"}`)}, ""},
		{"a page of which nothing is told", orchestration.Codeweaver, agents.Asked{Tool: "WebFetch"}, "too long to be shown"},
		{"no more than that", orchestration.Codeweaver, agents.Asked{Tool: "Bash", Input: run("npm test")}, ""},
	} {
		spec := agents.Spec{Role: tt.role, Dir: "/tree", Reads: []string{"/picture.png"}, Deny: []string{"Bash(npm publish *)", "Write(/infra/**)"}, Ask: []string{"Bash(git push *)", "Edit(*.pem)", "WebFetch(domain:example.org)"},
			Permit: func(c orchestration.Call) (string, bool) {
				if strings.HasSuffix(c.Text, "allowed") {
					return "", false
				}
				return "asked: " + c.Text + " by " + strings.Join(c.Rules, ", "), true
			}}
		if tt.role == orchestration.Codeweaver {
			spec.Allow = []string{"WebFetch", "WebSearch"}
		}
		why, waits := agents.RefusalOf(spec, tt.call)
		if (why == "") != (tt.refuse == "") || !strings.Contains(why, tt.refuse) || waits != strings.HasPrefix(why, "asked") {
			t.Errorf("%s: %q (a person is asked: %v)", tt.rule, why, waits)
		}
	}
}
