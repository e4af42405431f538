package main_test

import (
	"errors"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
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

// A raw string cannot be broken: a pattern, SQL, a table of words.
func TestHouseLinesAreNoLongerThan140Characters(t *testing.T) {
	t.Parallel()
	for _, name := range sources(t) {
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_templ.go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		var raw map[int]bool // found once it is needed
		for i, line := range lines(t, name) {
			if utf8.RuneCountInString(line) <= 140 || strings.HasPrefix(line, "//go:") {
				continue
			}
			if raw == nil {
				raw = rawLines(t, name)
			}
			if !raw[i+1] {
				t.Errorf("%s:%d has %d characters", name, i+1, utf8.RuneCountInString(line))
			}
		}
	}
}

// rawLines returns the numbers of the lines with a part of a raw string.
func rawLines(t *testing.T, name string) map[int]bool {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	raw := map[int]bool{}
	files := token.NewFileSet()
	file := files.AddFile(name, -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return raw
		}
		if kind == token.STRING && text[0] == '`' {
			for n := range strings.Count(text, "\n") + 1 {
				raw[file.Line(at)+n] = true
			}
		}
	}
}

func TestHouseFoldersOfHandlersHoldAtMost60Files(t *testing.T) {
	t.Parallel()
	files := map[string]int{}
	for _, name := range sources(t) {
		if strings.HasPrefix(name, "handlers/") && filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && len(lines(t, name)) > 0 {
			files[filepath.Dir(name)]++
		}
	}
	for folder, n := range files {
		if n > 60 {
			t.Errorf("%s has %d files without tests: put together what is read together", folder, n)
		}
	}
	if files["handlers"] == 0 {
		t.Error("none was found")
	}
}

func TestHouseCommandsAreWiring(t *testing.T) {
	t.Parallel()
	n := 0
	for _, name := range sources(t) {
		if filepath.Dir(name) == "cmd/server" && filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			n += len(lines(t, name))
		}
	}
	if n == 0 || n > 2000 {
		t.Errorf("cmd/server has %d lines: what is neither a command nor wiring belongs elsewhere", n)
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
