package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// houseImports is the table of README.md, "The house": what each package of
// ours may import of ours. What is not in it may import nothing of ours.
var houseImports = map[string][]string{
	"agents":                  {"orchestration"},
	"agents/process":          {"agents", "failpoint"},
	"agents/runlog":           {"agents"},
	"agents/confine":          {"agents", "agents/process"},
	"agents/session":          {"agents", "agents/confine", "agents/process", "agents/runlog", "orchestration"},
	"agents/claude":           {"agents", "agents/confine", "agents/session", "agents/process", "agents/runlog", "agents/workspace", "orchestration"},
	"agents/simulated":        {"agents", "agents/confine", "agents/session", "agents/process", "agents/runlog", "agents/workspace", "orchestration"},
	"agents/ward":             {"agents", "agents/confine", "agents/session", "agents/process", "agents/runlog", "agents/workspace", "orchestration"},
	"agents/workspace":        {"agents", "agents/session", "agents/process", "agents/runlog", "failpoint", "orchestration"},
	"agents/signalback":       {"failpoint", "orchestration"},
	"orchestration/questfile": {"orchestration"},
	"orchestration/sharing":   {"orchestration"},
	"orchestration/store":     {"failpoint", "orchestration", "orchestration/engine"},
	"orchestration/engine":    {"failpoint", "orchestration", "agents"},
	"orchestration/storetest": {"orchestration", "orchestration/engine"},
	"agents/agentstest":       {"agents", "orchestration"},
	"handlers/handlerstest":   {"handlers", "orchestration", "orchestration/engine"},
	"views":                   {"web/paths", "static"},
	"handlers":                {"handlers/redact", "orchestration", "orchestration/sharing", "views", "web/paths", "web/live", "agents/runlog"},
	"handlers/api":            {"orchestration", "orchestration/questfile", "orchestration/sharing", "views", "web/paths", "web/live", "agents/runlog"},
	"handlers/redact":         nil,
	"handlers/metrics":        {"orchestration", "web/live"},
	"web":                     {"handlers", "handlers/api", "web/paths", "web/live", "static"},
	"orchestration":           nil,
	"static":                  nil,
	"failpoint":               nil,
	"web/paths":               nil,
	"web/live":                nil,
	"cmd/server":              {"*"},
	"bench":                   nil, // tests alone
	"e2e":                     nil, // tests alone
	"e2e/e2etest":             nil,
	"e2e/browser":             nil,
}

// houseLibraries says in which packages a library may be imported, so that it
// can be replaced there.
var houseLibraries = map[string][]string{
	"gorm.io/":                           {"orchestration/store"},
	"github.com/mattn/go-sqlite3":        {"orchestration/store"},
	"github.com/mark3labs/mcp-go":        {"agents/signalback"},
	"github.com/gorilla/websocket":       {"web/live", "handlers"},
	"github.com/labstack/echo":           {"web", "handlers", "handlers/api", "cmd/server"},
	"github.com/bluekeyes/go-gitdiff":    {"handlers"},
	"github.com/aymanbagabas/go-udiff":   {"handlers"},
	"github.com/yuin/goldmark":           {"views"},
	"github.com/microcosm-cc/bluemonday": {"views"},
	"github.com/prometheus/":             {"handlers/metrics"},
	"os/exec":                            {"agents/process", "agents/workspace", "cmd/server", "e2e/e2etest"},
	"testing":                            {"orchestration/storetest", "agents/agentstest", "handlers/handlerstest"},
	"net/http/httptest":                  {"agents/agentstest", "handlers/handlerstest"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func (p goPackage) name() string { return strings.TrimPrefix(p.ImportPath, "questboard/") }

// list asks the go command; patterns are as it takes them.
func list(t *testing.T, patterns ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, patterns...)...)
	cmd.Dir = root(t)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// root is the folder of go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestHouseImportTableHolds(t *testing.T) {
	t.Parallel()
	packages := list(t, "./...")
	if len(packages) < 20 {
		t.Fatalf("only %d packages were found", len(packages))
	}
	for _, p := range packages {
		allowed, known := houseImports[p.name()]
		if !known {
			t.Errorf("%s is not in the import table: a new package needs its row", p.name())
		}
		for _, imported := range p.Imports {
			ours, is := strings.CutPrefix(imported, "questboard/")
			if is && !slices.Contains(allowed, ours) && !slices.Contains(allowed, "*") {
				t.Errorf("%s may not import %s", p.name(), ours)
			}
			if is && strings.HasSuffix(ours, "test") {
				t.Errorf("%s imports %s, which is for tests alone", p.name(), ours)
			}
			for library, homes := range houseLibraries {
				if (imported == library || strings.HasPrefix(imported, strings.TrimSuffix(library, "/")+"/")) && !slices.Contains(homes, p.name()) {
					t.Errorf("%s may not import %s", p.name(), imported)
				}
			}
		}
	}
}

func TestHouseCoreIsTheStandardLibraryAlone(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./orchestration") {
		for _, dep := range p.Deps {
			if first, _, _ := strings.Cut(dep, "/"); strings.Contains(first, ".") || strings.HasPrefix(dep, "questboard/") {
				t.Errorf("orchestration depends on %s", dep)
			}
		}
		for _, banned := range []string{"context", "sync", "os", "io", "log", "log/slog", "net", "math/rand", "math/rand/v2", "crypto/rand"} {
			if slices.Contains(p.Imports, banned) {
				t.Errorf("orchestration imports %s: it does nothing but decide", banned)
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

// banned is what no file may hold: paths and addresses of somebody's machine,
// and ways around the escaping of templates.
var banned = regexp.MustCompile(`(^|[^\w.-])/[w]ork/|/[r]oot/|registry\.[n]pmjs|proxy\.[g]olang|` +
	`templ\.[R]aw\(|templ\.[S]afe|templ\.[J]SUnsafe|template\.[H]TML\(|\.[io][nu]\w*HTML\s*\+?=|[i]nsertAdjacentHTML\(|document\.[w]rite\(`)

// hints are parts of these, one of which is in each: to look for them first
// takes the race detector a second instead of half a minute.
var hints = []string{"ork/", "oot/", "egistry.", "roxy.", "templ.", "HTML", "rite("}

// bannedIn is what a line holds that is banned, or nothing.
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
			continue // generated: the escaping itself
		}
		for i, line := range lines(t, name) {
			if found := bannedIn(line); found != "" {
				t.Errorf("%s:%d holds %q", name, i+1, found)
			}
		}
	}
}

// The words above are found where they stand: a rule that finds nothing is none.
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

// sources lists the files of the checkout that are ours: committed or about to
// be, without what is copied from others.
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
		return nil // deleted and not committed yet
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
