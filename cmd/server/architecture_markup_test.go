package main_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// markupWriter is the only file that may write markup which templ has not escaped. It
// sanitises the markup, and its own test attacks that.
const markupWriter = "views/markdown.go"

func TestHouseHasOneFileThatWritesMarkup(t *testing.T) {
	t.Parallel()
	around := regexp.MustCompile(`templ\.Component[F]unc|templ\.[F]romGoHTML|templ\.[U]nsanitized`)
	seen := false
	for _, name := range sources(t) {
		if filepath.Ext(name) != ".go" && filepath.Ext(name) != ".templ" || strings.HasSuffix(name, "_templ.go") {
			continue
		}
		found := around.FindString(strings.Join(lines(t, name), "\n"))
		seen = seen || found != "" && name == markupWriter
		if found != "" && name != markupWriter {
			t.Errorf("%s holds %q: only %s writes markup that is not escaped", name, found, markupWriter)
		}
	}
	if !seen {
		t.Errorf("%s writes no markup: this test looks for the wrong thing", markupWriter)
	}
}
