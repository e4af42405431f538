package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root returns the folder of go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestHouseCoreIsTheStandardLibraryAlone(t *testing.T) {
	t.Parallel()
	core := imports(t)["orchestration"]
	if len(core) < 20 {
		t.Fatalf("only %d imports were found", len(core))
	}
	for _, name := range core {
		if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") || strings.HasPrefix(name, "questboard/") {
			t.Errorf("orchestration imports %s", name)
		}
		for _, banned := range []string{"context", "sync", "os", "io", "log", "net", "math/rand", "crypto/rand"} {
			if name == banned || strings.HasPrefix(name, banned+"/") {
				t.Errorf("orchestration imports %s: it does nothing but decide", name)
			}
		}
	}
}

func TestHouseFilesAreNoLongerThan400Lines(t *testing.T) {
	t.Parallel()
	for _, name := range sources(t) {
		if !slices.Contains([]string{".go", ".templ", ".js", ".css", ".sql"}, filepath.Ext(name)) || strings.HasSuffix(name, "_templ.go") {
			continue
		}
		if n := len(lines(t, name)); n > 400 {
			t.Errorf("%s has %d lines: a file holds one idea", name, n)
		}
	}
}

func TestHouseHoldsNoBuiltFiles(t *testing.T) {
	t.Parallel()
	for _, name := range sources(t) {
		info, err := os.Stat(filepath.Join(root(t), name))
		if err == nil && info.Size() > 1<<20 {
			t.Errorf("%s has %d bytes: nothing that is built is committed", name, info.Size())
		}
	}
}

// banned matches what no file may contain: paths and addresses of one machine, and ways
// to avoid the escaping of templates.
var banned = regexp.MustCompile(`(^|[^\w.-])/[w]ork/|/[r]oot/|registry\.[n]pmjs|proxy\.[g]olang|` +
	`templ\.[R]aw\(|templ\.[S]afe|templ\.[J]SUnsafe|template\.[H]TML\(|\.[io][nu]\w*HTML\s*\+?=|[i]nsertAdjacentHTML\(|document\.[w]rite\(`)

// hints are parts of these. Each banned text contains one of them. Searching for them
// first saves half a minute with the race detector.
var hints = []string{"ork/", "oot/", "egistry.", "roxy.", "templ.", "HTML", "rite("}

// bannedIn returns the banned text in a line, or "".
func bannedIn(line string) string {
	if !slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(line, hint) }) {
		return ""
	}
	return banned.FindString(line)
}

func TestHouseHoldsNoBannedWords(t *testing.T) {
	t.Parallel()
	for _, name := range sources(t) {
		if strings.HasSuffix(name, "_templ.go") {
			continue // generated code does the escaping
		}
		for i, line := range lines(t, name) {
			if found := bannedIn(line); found != "" {
				t.Errorf("%s:%d holds %q", name, i+1, found)
			}
		}
	}
}

// The banned words are found: a rule that finds nothing proves nothing.
func TestHouseFindsBannedWords(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"@templ." + "Raw(x)", "href={ templ." + "SafeURL(x) }", "templ." + "JSUnsafeFuncCall(x)", "template." + "HTML(x)", "e.inner" + "HTML = x",
		"e.outer" + "HTML += x", "e.insert" + "AdjacentHTML('x', y)", "document." + "write(x)", "see /wo" + "rk/x", "see /ro" + "ot/x",
		"https://registry." + "npmjs.org", "https://proxy." + "golang.org"} {
		if bannedIn(line) == "" {
			t.Errorf("%q is not found", line)
		}
	}
}

// sources lists the files of the checkout that are ours: committed or not, but without
// copies of others' files.
func sources(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-co", "--exclude-standard", "-z")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("this is no git checkout: %v", err)
	}
	foreign := regexp.MustCompile(`(^|/)(vendor|testdata|dist)/|\.(png|jpg|gif|woff2)$`)
	names := slices.DeleteFunc(strings.Split(strings.TrimRight(string(out), "\x00"), "\x00"), foreign.MatchString)
	if len(names) < 100 {
		t.Fatalf("only %d files were found", len(names))
	}
	return names
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), name))
	if errors.Is(err, os.ErrNotExist) {
		return nil // deleted but not committed yet
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
