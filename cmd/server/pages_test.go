package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The pages in docs/ are the specification. A comment that cites one names an existing
// page and section.

var (
	citation = regexp.MustCompile(`(?:^|[^\w./-])(docs/[\w./-]*\w)(#[\w-]+)?`)
	link     = regexp.MustCompile(`\]\(([^)\s#]*)(#[\w-]+)?\)`)
	numbered = regexp.MustCompile(`docs/hardening\.md(?:#[\w-]+)?, ([TW]\d+(?:\.\d+)?)`)
	bare     = regexp.MustCompile(`(?:^|[\s("])([a-z0-9-]+\.md)\b`)
	issue    = regexp.MustCompile(`\b[Ii]ssue (\d|")|\b[Rr]eview A\d`)
	testName = regexp.MustCompile(`\b(Test[A-Z]\w*)(…?)`)
	ourFile  = regexp.MustCompile("[\\s(`]([a-z][a-z0-9_]*\\.(?:go|templ))\\b")
	ourPath  = regexp.MustCompile("`((?:agents|cmd|e2e|failpoint|handlers|orchestration|static|views|web)/[\\w./-]+|\\.[\\w-]+\\.yml|\\.(?:ci|github)/[\\w/.-]+)`")
)

func TestHouseCitationsLeadToASection(t *testing.T) {
	t.Parallel()
	p := pagesOf(t)
	cited := 0
	for _, name := range sources(t) {
		for n, line := range lines(t, name) {
			if filepath.Ext(name) == ".md" {
				for _, m := range link.FindAllStringSubmatch(line, -1) {
					p.follow(t, name, n, m[1], m[2])
				}
			} else if line = comment(name, line, "docs/"); line == "" {
				continue
			}
			for _, m := range citation.FindAllStringSubmatch(line, -1) {
				cited++
				p.leads(t, name, n, m[1], m[2])
			}
			for _, m := range numbered.FindAllStringSubmatch(line, -1) {
				if !strings.Contains(p.text["docs/hardening.md"], "\n| "+m[1]+" |") {
					t.Errorf("%s:%d: docs/hardening.md has no promise %s", name, n+1, m[1])
				}
			}
		}
	}
	if cited < 50 {
		t.Errorf("only %d citations were found: this test looks for the wrong thing", cited)
	}
}

// A comment names a page with its folder, so that readers and the test above can find it.
// It cites nothing outside the repository.
func TestHouseCommentsNamePagesWithTheirFolder(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for _, name := range sources(t) {
		files[filepath.Base(name)] = filepath.Dir(name)
	}
	for _, name := range sources(t) {
		if filepath.Ext(name) == ".md" {
			continue
		}
		for n, line := range lines(t, name) {
			if line = comment(name, line, ".md", "ssue ", "eview A"); line == "" {
				continue
			}
			if m := issue.FindString(line); m != "" {
				t.Errorf("%s:%d: cites %q, which nobody finds here", name, n+1, m)
			}
			for _, m := range bare.FindAllStringSubmatch(line, -1) {
				if dir, there := files[m[1]]; !there || dir == "docs" {
					t.Errorf("%s:%d: names %s: a page is cited as docs/%s#section, or does not exist", name, n+1, m[1], m[1])
				}
			}
		}
	}
}

// wholePrompt is a prompt that a page shows. It is about an invented repository.
var wholePrompt = regexp.MustCompile("(?ms)^`{5}text$.*?^`{5}$")

// The files and tests that the pages name exist.
func TestHousePagesNameWhatIsThere(t *testing.T) {
	t.Parallel()
	tests, files := map[string]bool{}, map[string]bool{}
	for _, name := range sources(t) {
		files[filepath.Base(name)] = true
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, line := range lines(t, name) {
			if rest, is := strings.CutPrefix(line, "func Test"); is {
				name, _, _ := strings.Cut(rest, "(")
				tests["Test"+name] = true
			}
		}
	}
	for name, text := range pagesOf(t).text {
		if name == "CHANGELOG.md" {
			continue // it is about the past
		}
		text = wholePrompt.ReplaceAllString(text, "")
		for _, m := range testName.FindAllStringSubmatch(text, -1) {
			if !tests[m[1]] && (m[2] == "" || !beginsOne(tests, m[1])) {
				t.Errorf("%s names the test %s, which is not there", name, m[1])
			}
		}
		for _, m := range ourFile.FindAllStringSubmatch(text, -1) {
			if !files[m[1]] && name != "docs/prompts.md" { // it quotes what agents say of other repositories
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
		for _, m := range ourPath.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root(t), m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	}
}

func beginsOne(tests map[string]bool, prefix string) bool {
	for name := range tests {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// comment returns the comment in a line of source, or "" if the line contains none of the
// hints, because a closer look is slow with the race detector. It is not a parser: it
// finds a comment within a string of several lines too.
func comment(name, line string, hints ...string) string {
	if !slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(line, hint) }) {
		return ""
	}
	begins := "// "
	switch filepath.Ext(name) {
	case ".go", ".templ", ".js", ".mjs", ".css":
	case ".sql":
		begins = "-- "
	default: // Makefile, YAML, scripts
		begins = "# "
	}
	if begins == "// " && strings.HasPrefix(strings.TrimSpace(line), "*") {
		return line
	}
	at := strings.Index(line, begins)
	if at < 0 || strings.Count(line[:at], `"`)%2 > 0 {
		return ""
	}
	return line[at:]
}

// pages has all Markdown pages for people: their text, and the anchors of their headings.
type pages struct {
	root    string
	text    map[string]string
	anchors map[string][]string
}

func pagesOf(t *testing.T) pages {
	t.Helper()
	p := pages{root: root(t), text: map[string]string{}, anchors: map[string][]string{}}
	for _, name := range sources(t) {
		if filepath.Ext(name) != ".md" || strings.HasPrefix(name, "agents/prompts/") {
			continue
		}
		all := lines(t, name)
		p.text[name] = strings.Join(all, "\n")
		fenced := false
		for _, line := range all {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if heading := strings.TrimLeft(line, "#"); !fenced && heading != line && strings.HasPrefix(heading, " ") {
				p.anchors[name] = append(p.anchors[name], anchor(heading))
			}
		}
	}
	return p
}

// anchor returns the anchor of a heading.
func anchor(heading string) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSpace(heading)))
	return kept
}

// follow checks a link of a page.
func (p pages) follow(t *testing.T, from string, n int, target, section string) {
	t.Helper()
	switch {
	case strings.Contains(target, ":"):
		return // a link to another site
	case target == "":
		target = from
	default:
		target = filepath.Join(filepath.Dir(from), target)
	}
	p.leads(t, from, n, target, section)
}

// leads checks that a file, and a section in it, exist.
func (p pages) leads(t *testing.T, from string, n int, target, section string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(p.root, target)); err != nil {
		t.Errorf("%s:%d: there is no %s", from, n+1, target)
		return
	}
	if section != "" && !slices.Contains(p.anchors[target], section[1:]) {
		t.Errorf("%s:%d: %s has no section %s", from, n+1, target, section)
	}
}

// Citations are found wherever they are in a line.
func TestHouseKnowsACitation(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]string{
		" A run's life": "a-runs-life", " Agents' endpoint": "agents-endpoint", " Pause, stop, restart": "pause-stop-restart",
	} {
		if got := anchor(heading); got != want {
			t.Errorf("%q has the anchor %q, want %q", heading, got, want)
		}
	}
	for line, want := range map[string]string{
		"// as it says (docs/state-machine.md#limits).": "docs/state-machine.md#limits",
		"\tx := 1 // docs/hardening.md, T1.1":           "docs/hardening.md",
		`	open("docs/notes.txt")`:                       "",
		`	body := "// see docs/notes.txt"`:              "",
		"// https://example.com/docs/page":              "",
	} {
		got := ""
		if m := citation.FindStringSubmatch(comment("x.go", line, "docs/")); m != nil {
			got = m[1] + m[2]
		}
		if got != want {
			t.Errorf("%q cites %q, want %q", line, got, want)
		}
	}
	if m := bare.FindStringSubmatch("// see (state-machine.md, limits)"); m == nil || m[1] != "state-machine.md" {
		t.Errorf("a page without its folder is not seen: %v", m)
	}
}
