package views_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"questboard/e2e/e2etest"
)

// The files with texts for pages, in the order in which a person meets them.
var textFiles = []string{
	"views/*.templ", "views/*.go", "static/js/*.js", "static/css/*.css",
	"handlers/*.go", "handlers/present/*.go", "handlers/diffview/*.go",
	"web/*.go", "web/live/*.go", "handlers/api/*.go",
	"orchestration/*.go", "orchestration/record/*.go", "orchestration/service/*.go", "orchestration/sharing/*.go", "orchestration/telling/*.go", "orchestration/telling/channel/*.go",
	"agents/transcript/*.go", "agents/workspace/*.go", "agents/claude/*.go", "agents/ward/*.go",
}

// Files with texts that are on no page: messages about bugs, patterns of an agent's
// output, and names for tests.
var noPages = []string{"invariant.go", "ending_fault.go", "rights.go", "argv.go", "route.go", "table.go"}

// texts.golden has all texts of the pages in one place, so that a person can read them
// through.
func TestTextsThatAPersonSees(t *testing.T) {
	t.Parallel()
	var doc strings.Builder
	doc.WriteString("All texts that a person can see on a page, in the order of the sources. {…} is a\n" +
		"value, %s too. A name in front says where a text is: an element, an attribute, a\n" +
		"field. `go test ./views -run Texts -update` writes this file; read the difference.\n")
	n := 0
	for _, name := range sources(t) {
		found := textsOf(t, name)
		if len(found) == 0 {
			continue
		}
		fmt.Fprintf(&doc, "\n# %s\n", name)
		in := ""
		for _, text := range found {
			n++
			if text.in != in {
				in = text.in
				fmt.Fprintf(&doc, "\n%s\n", in)
			}
			doc.WriteString(text.line())
			if lost := e2etest.Unplain(text.words); len(lost) > 0 {
				t.Errorf("%s: %q has %q: say it in plain words", name, text.words, lost)
			}
		}
	}
	if n < 2000 {
		t.Errorf("only %d texts were found", n)
	}
	fmt.Fprintf(&doc, "\n%d texts.\n", n)
	e2etest.Golden(t, "texts.golden", doc.String())
}

// text is what a person sees, with its place.
type text struct {
	in    string // the function or template
	label string // the element, attribute or field
	words string
}

func (x text) line() string {
	words := strings.ReplaceAll(strings.TrimSpace(x.words), "\n", "\n        ")
	if x.label == "" {
		return "    " + words + "\n"
	}
	return "    " + x.label + ": " + words + "\n"
}

func sources(t *testing.T) []string {
	t.Helper()
	root := filepath.Join("..")
	var names []string
	for _, pattern := range textFiles {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		for _, name := range found {
			if slices.Contains(noPages, path.Base(filepath.ToSlash(name))) {
				continue
			}
			if !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "_templ.go") {
				names = append(names, filepath.ToSlash(strings.TrimPrefix(name, root+string(filepath.Separator))))
			}
		}
	}
	return names
}

func textsOf(t *testing.T, name string) []text {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	var found []text
	switch filepath.Ext(name) {
	case ".templ":
		found, err = templTexts(string(source))
	case ".js":
		found = jsTexts(string(source))
	case ".css":
		for _, m := range cssContent.FindAllStringSubmatch(string(source), -1) {
			found = append(found, text{m[1], "", m[2]})
		}
	default:
		found, err = goTexts(name, string(source))
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return found
}

// noText matches headers, routes, log messages, drawings and cookies.
var noText = regexp.MustCompile(`charset=|^(Content|X)-|^attachment;|^(GET|POST|PUT|PATCH|DELETE) /|: %w(: %w)?$|^[MHVCL]$|^M\d|^c\d|-src |` +
	`^(%[a-z0-9.-]+ ?)+$|[=(]\{|^cookie:|px$|^(Arrow\w+|Backspace|Enter|Escape|Origin)$|^while read|\^\{|^(ref|gitdir): |%\(|^(HEAD|diff --git|git ls-files|git status)\b|^exit \d|^icon drawn`)

// isText reports whether a string is for people, and not an id, a class, a path or a key:
// it has a space between words, or is one word that begins with a capital.
func isText(s string) bool {
	s = strings.TrimSpace(s)
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return false // only git reads it
	}
	if !strings.ContainsFunc(s, unicode.IsLetter) || strings.HasPrefix(s, "/") && !strings.Contains(s, " ") || strings.HasPrefix(s, "<") ||
		strings.Contains(s, "://") || noText.MatchString(s) {
		return false
	}
	if strings.ContainsAny(s, " …") {
		return true
	}
	first := []rune(s)[0]
	return unicode.IsUpper(first) && !strings.ContainsAny(s, "_=:/") && (len(s) == 1 || strings.ToUpper(s) != s)
}

// isWord reports whether a word in lower case can be for people.
func isWord(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && !slices.ContainsFunc([]rune(s), func(r rune) bool { return !unicode.IsLetter(r) })
}
