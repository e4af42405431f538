package views_test

import (
	"strings"
	"testing"
	"time"

	"questboard/views"
)

// A line of 1 MB takes milliseconds, whatever is in it. Looking for the end of each quote
// would take minutes.
func TestColoursOfALineTakeLinearTime(t *testing.T) {
	t.Parallel()
	for file, part := range map[string]string{"a.go": `\"`, "a.js": `\'\"`, "a.py": `\'`, "a.html": "<!-", "a.sql": "-/ ", "a.rs": "'a ", "a.css": "/ "} {
		code := views.CodeOf(file)
		if code == nil {
			t.Errorf("%s has no colours", file)
			continue
		}
		begin := time.Now()
		code.Scan(strings.Repeat(part, 1<<20/len(part)), "")
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%s: 1 MB of %s took %v", file, part, took)
		}
	}
}

func TestAQuoteThatDoesNotEndIsAnApostrophe(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`don't "stop" \' // wait`: `c3["stop"]muted[// wait]`,
		`a 'b' "c\"`:              `c3['b']`,
		`"it's" + 'x'`:            `c3["it's"]c3['x']`,
	} {
		spans, open := views.CodeOf("a.js").Scan(text, "")
		got := ""
		for _, s := range spans {
			got += s.Class + "[" + text[s.From:s.To] + "]"
		}
		if got != want || open != "" {
			t.Errorf("%s: %s, open %q; want %s", text, got, open, want)
		}
	}
}
