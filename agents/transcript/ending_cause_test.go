package transcript_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"questboard/agents/transcript"
	"questboard/orchestration"
)

// The next run is told whether somebody else killed the process. What we ended
// ourselves was not killed.
func TestEndingTellsWhetherTheProcessWasKilled(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule   string
		ending transcript.Ending
		killed bool
	}{
		{"a signal", transcript.Ending{Signal: "SIGKILL"}, true},
		{"a program that handles TERM", transcript.Ending{Code: 143}, true},
		{"a sandbox around a program that was killed", transcript.Ending{Code: 137}, true},
		{"killed together with its supervisor", transcript.Ending{Code: -1, Lost: true}, true},
		{"an exit code", transcript.Ending{Code: 3}, false},
		{"we ended it", transcript.Ending{Signal: "SIGTERM", Cut: transcript.CutAsked}, false},
	}
	for _, tt := range tests {
		if _, exit := transcript.Classify(tt.ending); exit.Killed != tt.killed {
			t.Errorf("%s: killed %v (%s), want %v", tt.rule, exit.Killed, exit.Why, tt.killed)
		}
	}
}

func TestEndingKeepsTheLastLinesOfStandardError(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line with ä\n", 1000) + "the end"
	tests := []struct{ rule, stderr, want string }{
		{"nothing", "", ""},
		{"a short text as it is", "one\n\ttwo\n", "one\n\ttwo"},
		{"no colours, no cursor, no bell", "\x1b[31mred\x1b[0m\a\r\nnext\x00\u202e", "red\nnext"},
		{"no broken text", "a\xffb", "a\uFFFDb"},
		{"the last whole lines", long, "…\n" + strings.Repeat("a line with ä\n", 132) + "the end"},
		{"the end of one long line", strings.Repeat("x", 5000), "…\n" + strings.Repeat("x", orchestration.StderrKept-len("…\n"))},
	}
	for _, tt := range tests {
		_, exit := transcript.Classify(transcript.Ending{Code: 3, Stderr: tt.stderr})
		if exit.Stderr != tt.want || len(exit.Stderr) > orchestration.StderrKept || !utf8.ValidString(exit.Stderr) {
			t.Errorf("%s: %d bytes, %.80q …, want %d bytes, %.80q", tt.rule, len(exit.Stderr), exit.Stderr, len(tt.want), tt.want)
		}
	}
}
