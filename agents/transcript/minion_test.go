package transcript_test

import (
	"bytes"
	"strings"
	"testing"

	"questboard/agents/transcript"
)

// Of each recorded minion the call says its name and what it was asked, and its own lines
// say its name, if the release writes it.
func TestMinionsAreShownWithTheirNameAndTheFirstLineOfWhatTheyWereAsked(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ call, by, cards string }{
		"minion":         {"Minion|look at file: say hi", "look at file", "minion look at file: say hi"},
		"2.1.329-minion": {"Minion|look around: make a file", "look around", "minion look around: make a file;minion look around: Bash touch made"},
	} {
		var s transcript.Stream
		var calls, cards, by []string
		for line := range bytes.Lines(fixtures(t)[name]) {
			l := transcript.Read(bytes.TrimSpace(line))
			if l.Head == "Minion" {
				calls = append(calls, l.Head+"|"+l.Text)
			}
			if l.Nested {
				by = append(by, l.By)
			} else if l.By != "" {
				t.Errorf("%s: a line of the agent itself is said to be by %q", name, l.By)
			}
			if seen := s.Feed(line); strings.HasPrefix(seen.Line, "minion") {
				cards = append(cards, seen.Line)
			}
		}
		if strings.Join(calls, ";") != want.call || strings.Join(cards, ";") != want.cards {
			t.Errorf("%s: calls %q, cards %q", name, calls, cards)
		}
		if len(by) == 0 || by[0] != want.by {
			t.Errorf("%s: its lines are by %q", name, by)
		}
	}
}

func TestTheNameOfAMinionIsWhatTheCallHas(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"name":"scout","description":"map","prompt":"\n  Go.\nThen stop.","subagent_type":"Explore"}`: "scout: Go.",
		`{"description":"map","prompt":"Go."}`:                                                          "map: Go.",
		`{"prompt":"Go.","subagent_type":"Explore"}`:                                                    "Explore: Go.",
		`{"prompt":"Go."}`:                 "Go.",
		`{"description":"map"}`:            "map",
		`{"description":7,"prompt":["x"]}`: "",
		`{}`:                               "",
		`{"description":"a\nb \u001b[31mred","prompt":"x\u202e` + `"}`: "a\nb \x1b[31mred: x\u202e",
	} {
		line := []byte(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Agent","input":` + input + `}]}}`)
		if l := transcript.Read(line); l.Text != want || l.Kind != transcript.KindTool {
			t.Errorf("%s: %s %q, want %q", input, l.Kind, l.Text, want)
		}
		var s transcript.Stream
		if card := s.Feed(line).Line; strings.ContainsAny(card, "\n\x1b\u202e") || !strings.HasPrefix(card, "minion") {
			t.Errorf("%s: the card shows %q", input, card)
		}
	}
}
