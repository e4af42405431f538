package acp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"questboard/agents"
	"questboard/agents/acp"
	"questboard/orchestration"
)

// An answer repeats the id of its question.
func TestAQuestionWithoutAProperIDGetsNoAnswer(t *testing.T) {
	t.Parallel()
	p := play(t, agents.Spec{}, "|", "no-ids", "file")
	if ended, out := p.wait(), p.output(); ended.End != orchestration.EndClean || strings.Count(out, "answer {") != 1 || !strings.Contains(out, "-32601") {
		t.Errorf("ended %+v: %d answers", ended, strings.Count(out, "answer {"))
	}
}

// Whatever a program says, it is told whole messages.
func FuzzWhatAProgramSays(f *testing.F) {
	recorded, err := filepath.Glob("../transcript/testdata/acp/*.jsonl")
	if err != nil || len(recorded) == 0 {
		f.Fatalf("recorded %v: %v", recorded, err)
	}
	for _, name := range recorded {
		said, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(said)
		for line := range bytes.Lines(said) {
			f.Add(line)
		}
	}
	f.Add([]byte(`{"id":tru,"method":"session/request_permission"}`))
	spec := agents.Spec{Role: orchestration.PathSeeker, Model: "good", Dir: "/tree", Ask: []string{"Bash", "Edit(*.pem)", "WebFetch(domain:example.org)"},
		Permit: func(orchestration.Call) (string, bool) { return "asked", true }}
	f.Fuzz(func(t *testing.T, said []byte) {
		for line := range bytes.Lines(acp.Hear(spec, said)) {
			if !json.Valid(line) {
				t.Errorf("it is told %q", line)
			}
		}
	})
}

// A folder of the tree can be a bare repository, whose configuration starts programs.
func TestTheGitOfARoleThatReadsObeysNoFolderOfTheTree(t *testing.T) {
	t.Parallel()
	for role, reads := range map[orchestration.Role]bool{orchestration.PathSeeker: true, orchestration.Codeweaver: false} {
		p := play(t, agents.Spec{Role: role}, "|", "env")
		p.wait()
		out := p.output()
		for _, want := range []string{"GIT_CONFIG_COUNT=2 ", "GIT_CONFIG_KEY_0=safe.bareRepository ", "GIT_CONFIG_VALUE_0=explicit ",
			"GIT_CONFIG_KEY_1=core.fsmonitor ", "GIT_CONFIG_VALUE_1=false ", "GIT_OPTIONAL_LOCKS=0 "} {
			if strings.Contains(out, want) != reads {
				t.Errorf("%s: the environment has %s: %t", role, want, !reads)
			}
		}
	}
}

// question returns a request about a call, as a program may ask it.
func question(call string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"toolCall":` + call +
		`,"options":[{"optionId":"yes","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}}` + "\n")
}

// Gemini tells no input of a call, and of a page only the beginning of its own prompt.
func TestAPersonIsAskedAboutAPageThatIsToldInFull(t *testing.T) {
	t.Parallel()
	for title, shown := range map[string]bool{`Processing URLs and instructions from prompt: "read https://example.com"`: true,
		`Processing URLs and instructions from prompt: "read https://example.com and then a long way o..."`: false} {
		name, err := json.Marshal(title)
		if err != nil {
			t.Fatal(err)
		}
		var asked []string
		told := acp.Hear(agents.Spec{Role: orchestration.Codeweaver, Allow: []string{"WebFetch"}, Ask: []string{"WebFetch(domain:example.org)"},
			Permit: func(c orchestration.Call) (string, bool) { asked = append(asked, c.Text); return "asked", true }},
			question(`{"toolCallId":"c","kind":"fetch","title":`+string(name)+`}`))
		if !strings.Contains(string(told), `"optionId":"no"`) || (strings.Join(asked, "") == title) != shown || !shown && len(asked) > 0 {
			t.Errorf("%s: a person is asked about %q, it is told %s", title, asked, told)
		}
	}
}

// Some programs give a call a title in the words of the model.
func TestATitleInWordsIsNoToolOfOurs(t *testing.T) {
	t.Parallel()
	for title, allowed := range map[string]bool{
		"quest_get-quest": true, "mcp.quest_x.get-quest": true, "mcp__quest_x__get_quest": true, "get-quest (quest_x MCP Server)": true,
		"cp x ~/.bashrc # quest-get-quest": false, "cp\tx\t~/.bashrc;quest-get-quest": false, "cp${IFS}x${IFS}~/.bashrc;quest-get-quest": false,
		"cp x y # -get-quest (quest_x MCP Server)": false, "quest-get-quest\n": false,
	} {
		name, err := json.Marshal(title)
		if err != nil {
			t.Fatal(err)
		}
		told := acp.Hear(agents.Spec{Role: orchestration.PathSeeker}, question(`{"toolCallId":"mcp_get-quest__1","kind":"other","title":`+string(name)+`}`))
		if yes := strings.Contains(string(told), `"optionId":"yes"`); yes != allowed {
			t.Errorf("%q: it is told %s", title, told)
		}
	}
}

// Codex asks about a call by its id alone. What a call is stays known if its input is too long to be kept.
func TestALargeSignalIsAllowedByItsID(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100<<10)
	tell := func(input string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":"c","kind":"execute","title":"call",` +
			`"rawInput":` + input + `}}}` + "\n"
	}
	for name, c := range map[string]struct {
		told    string
		allowed bool
	}{
		"a signal":                         {tell(`{"server":"quest_x","tool":"signal-back","arguments":{"summary":"` + long + `"}}`), true},
		"a tool of another server":         {tell(`{"server":"own","tool":"make","arguments":{"summary":"` + long + `"}}`), false},
		"a command":                        {tell(`{"server":"quest_x","tool":"signal-back","command":"ls ` + long + `"}`), false},
		"a command that was another first": {tell(`{"command":"ls"}`) + tell(`{"command":"ls;`+long+`"}`), false},
		"a command that reads":             {tell(`{"command":"ls"}`), true},
	} {
		told := acp.Hear(agents.Spec{Role: orchestration.PathSeeker}, append([]byte(c.told), question(`{"toolCallId":"c"}`)...))
		if yes := strings.Contains(string(told), `"optionId":"yes"`); yes != c.allowed {
			t.Errorf("%s: it is told %s", name, told)
		}
	}
}
