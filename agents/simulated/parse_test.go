package simulated_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"questboard/agents/simulated"
	"questboard/orchestration"
)

const example = `# every kind of action
- role: codeweaver
  step: hello
  visit: 2
  do:
    - say: I need to know the name.
    - tool: {name: signal-back, input: {signal: needs-user-input, question: "Whom?", resume: false, n: 3}}
    - write: {path: hello.txt, content: "hello\n"}
    - run: |
        ls
        pwd
    - sleep: 2s
    - garbage: "\x00half"
    - spawn: sleep 100
    - hang: true
    - api-error: rate-limit
    - exit: 3
    - talk: {text: busy, lines: 5, every: 10ms}
    - compact: true
- role: codeweaver
  do: []
`

func TestEveryActionIsRead(t *testing.T) {
	t.Parallel()
	s, err := simulated.Parse([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	do := s.Find(orchestration.Codeweaver, "hello", 2).Do
	if len(do) != 12 || do[11].Kind != simulated.Compact || do[0].Text != "I need to know the name." || do[1].Tool != "signal-back" || do[1].Input["resume"] != false ||
		do[2].Path != "hello.txt" || do[2].Body != "hello\n" || do[3].Text != "ls\npwd\n" || do[4].Sleep != 2*time.Second ||
		do[5].Text != "\x00half" || do[6].Text != "sleep 100" || do[7].Kind != simulated.Hang || do[8].Text != "rate-limit" || do[9].Code != 3 ||
		do[10].Text != "busy" || do[10].Lines != 5 || do[10].Sleep != 10*time.Millisecond {
		t.Errorf("got %+v", do)
	}
	if do[3].Line != 9 {
		t.Errorf("run stands in line %d", do[3].Line)
	}
}

func TestTheFirstEntryThatFitsIsPlayed(t *testing.T) {
	t.Parallel()
	s, err := simulated.Parse([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		step  string
		visit int
		line  int
	}{{"hello", 2, 2}, {"hello", 1, 20}, {"hello", 3, 20}, {"other", 2, 20}} {
		if e := s.Find(orchestration.Codeweaver, tt.step, tt.visit); e == nil || e.Line != tt.line {
			t.Errorf("%s, visit %d: got %+v, want the entry of line %d", tt.step, tt.visit, e, tt.line)
		}
	}
	if e := s.Find(orchestration.PathSeeker, "hello", 2); e != nil {
		t.Errorf("an entry of another role: %+v", e)
	}
}

func TestAllFaultsOfAScenarioAreToldWithTheirLines(t *testing.T) {
	t.Parallel()
	const bad = `- role: ward
  do: []
- role: codeweaver
  visit: 0
  steps: hello
  do:
    - say: ""
    - shout: hello
    - sleep: 2
    - sleep: soon
    - {say: a, run: b}
    - exit: 256
    - hang: false
    - api-error: tired
    - tool: {input: 3}
    - write: hello.txt
- do: text
- text
- role: codeweaver
  do: [{talk: {lines: 0, every: soon}}, {talk: {text: x}}]
- {role: codeweaver, do: [{compact: twice}]}
`
	_, err := simulated.Parse([]byte(bad))
	var faults simulated.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{
		"line 1: unknown role", "line 4: visit must", "line 5: unknown key \"steps\"", "line 7: say is empty", "line 8: unknown key \"shout\"",
		"line 9: sleep must be text", "line 10: sleep must be a duration", "line 11: an action has exactly one key", "line 12: exit must",
		"line 13: hang takes", "line 14: unknown api-error \"tired\"", "line 15: tool needs name", "line 15: input must be a mapping",
		"line 16: write must be a mapping", "line 17: an entry needs role", "line 17: do must be a list", "line 18: an entry must be a mapping",
		"line 20: talk needs text", "line 20: lines must", "line 20: every must be a duration", "line 20: talk needs lines", "line 20: talk needs every",
		"line 21: compact takes the value true",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
}

func TestWhatIsNoScenarioIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                     "empty",
		"# nothing\n":          "empty",
		"[]\n":                 "empty",
		"role: codeweaver\n":   "must be a list",
		"- role: codeweaver\n": "needs do",
		"- role: codeweaver\n  do: []\n  do: []\n":      "line 3",
		"- role: codeweaver\n  do:\n   - say: \"open\n": "not YAML",
		"- role: &a codeweaver\n  do: []\n":             "role must be text",
	} {
		if _, err := simulated.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "s.yaml")
	if _, err := simulated.Load(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := simulated.Load(path); err == nil || !strings.Contains(err.Error(), "s.yaml") {
		t.Errorf("the file is not named: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("- role: codeweaver\n  do: [{tool: {name: a, input: {b: [1, {c: null}]}}}]"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := simulated.Parse(raw)
		if (s == nil) == (err == nil) {
			t.Fatalf("%q: %v %v", raw, s, err)
		}
	})
}
