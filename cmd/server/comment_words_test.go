package main_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// awkward lists words that make a reader stop. Say again, everybody who, leaves files
// behind, so, must or will.
var awkward = regexp.MustCompile(`(?i)\b(sh[a]ll|an[e]w|who[e]ver|how-m[a]nieth|l[i]tters|h[e]nce|there[b]y|th[u]s|line of w[o]rk|lines of w[o]rk)\b`)

// awkwardIn returns the first such word in the comment of a line of Go, or nothing.
func awkwardIn(line string) string {
	at := strings.Index(line, "// ")
	if at < 0 {
		return ""
	}
	return awkward.FindString(line[at:])
}

func TestHouseCommentsUsePlainWords(t *testing.T) {
	t.Parallel()
	for _, name := range sources(t) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_templ.go") {
			continue
		}
		for i, line := range lines(t, name) {
			if found := awkwardIn(line); found != "" {
				t.Errorf("%s:%d says %q: use a plain word", name, i+1, found)
			}
		}
	}
}

// A rule that finds nothing proves nothing.
func TestHouseFindsAwkwardWords(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"sh" + "all", "An" + "ew", "who" + "ever", "how-ma" + "nieth", "lit" + "ters", "th" + "us", "line of wo" + "rk"} {
		if awkwardIn("\tx := 1 // it "+word+" is") == "" {
			t.Errorf("%q is not found", word)
		}
	}
	if found := awkwardIn(`	say("any` + "an" + `ew") // again`); found != "" {
		t.Errorf("code was read as a comment: %q", found)
	}
}
