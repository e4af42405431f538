package transcript_test

import (
	"testing"

	"questboard/agents/transcript"
)

func TestTheTailOfATextBeginsWithAWholeLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"one\ntwo\n", 8, "one\ntwo\n"},
		{"one\ntwo\n", 6, "two\n"},
		{"one\ntwo\n", 4, "two\n"},
		{"one\ntwo\n", 3, "wo\n"}, // no whole line fits
		{"a long line", 4, "line"},
		{"", 4, ""},
	} {
		if got := transcript.Tail(c.text, c.most); got != c.want {
			t.Errorf("the last %d of %q: %q, want %q", c.most, c.text, got, c.want)
		}
	}
}
