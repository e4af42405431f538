package ward

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
)

// Suggest returns commands that may check the project in a directory, best first,
// judged by the files there. The files' content is only data: it chooses among our own
// commands and is never part of one. No link leads out of the directory, and nothing
// runs.
func Suggest(dir string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	f := folder{root}
	var found []string
	for _, look := range []func() []string{f.make, f.just, f.goModule, f.node, f.cargo, f.python, f.jvm, f.others} {
		found = append(found, look()...)
	}
	return found[:min(len(found), maxSuggested)]
}

const (
	maxSuggested = 4
	// maxLookedInto limits one file; the targets of a longer one stay unknown.
	maxLookedInto = 512 << 10
)

// folder is a directory with untrusted content.
type folder struct{ root *os.Root }

// has reports whether one of the names is a regular file.
func (f folder) has(names ...string) bool {
	for _, name := range names {
		if info, err := f.root.Stat(name); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// text returns the content of the first file with one of these names, or "". The file
// may have become a pipe since it was examined.
func (f folder) text(names ...string) string {
	for _, name := range names {
		if !f.has(name) {
			continue
		}
		file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(file, maxLookedInto+1))
		_ = file.Close() // it was only read
		if err == nil && len(data) <= maxLookedInto {
			return string(data)
		}
	}
	return ""
}

// recipe is the beginning of a rule in a Makefile or a justfile.
var recipe = regexp.MustCompile(`(?m)^@?(check|verify|test)([ \t][^\n:=]*)?:([^=]|$)`)

func firstRecipe(text string) string {
	rules := map[string]bool{}
	for _, m := range recipe.FindAllStringSubmatch(text, -1) {
		rules[m[1]] = true
	}
	for _, name := range []string{"check", "verify", "test"} {
		if rules[name] {
			return name
		}
	}
	return ""
}

// make suggests the first of check, verify and test that the makefile has.
func (f folder) make() []string {
	return runs(firstRecipe(f.text("GNUmakefile", "makefile", "Makefile")), map[string]string{
		"check": "make check", "verify": "make verify", "test": "make test"})
}

func (f folder) just() []string {
	return runs(firstRecipe(f.text("justfile", "Justfile", ".justfile")), map[string]string{
		"check": "just check", "verify": "just verify", "test": "just test"})
}

func runs(name string, commands map[string]string) []string {
	if command := commands[name]; command != "" {
		return []string{command}
	}
	return nil
}

func (f folder) goModule() []string {
	if f.has("go.mod") {
		return []string{"go vet ./... && go test ./..."}
	}
	return nil
}

// node reads which scripts there are; npm init writes a test that only fails.
func (f folder) node() []string {
	var pack struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(f.text("package.json")), &pack) != nil || pack.Scripts["test"] == "" ||
		strings.Contains(pack.Scripts["test"], "no test specified") {
		return nil
	}
	npm, lint := "npm test", "npm run lint"
	switch {
	case f.has("pnpm-lock.yaml"):
		npm, lint = "pnpm test", "pnpm run lint"
	case f.has("yarn.lock"):
		npm, lint = "yarn test", "yarn run lint"
	case f.has("bun.lock", "bun.lockb"):
		npm, lint = "bun run test", "bun run lint"
	}
	if pack.Scripts["lint"] != "" {
		return []string{lint + " && " + npm, npm}
	}
	return []string{npm}
}

func (f folder) cargo() []string {
	if f.has("Cargo.toml") {
		return []string{"cargo test", "cargo clippy --all-targets -- -D warnings && cargo test"}
	}
	return nil
}

func (f folder) python() []string {
	project := f.text("pyproject.toml")
	pytest := strings.Contains(project, "pytest") || f.has("pytest.ini", "conftest.py") ||
		strings.Contains(f.text("setup.cfg"), "pytest") || strings.Contains(f.text("tox.ini"), "pytest")
	switch {
	case pytest && f.has("uv.lock"):
		return []string{"uv run pytest"}
	case pytest && f.has("poetry.lock"):
		return []string{"poetry run pytest"}
	case f.has("tox.ini"):
		return []string{"tox"}
	case pytest:
		return []string{"python -m pytest"}
	case project != "" || f.has("setup.py"):
		return []string{"python -m unittest discover"}
	}
	return nil
}

func (f folder) jvm() []string {
	switch {
	case f.has("build.gradle", "build.gradle.kts") && f.has("gradlew"):
		return []string{"./gradlew check"}
	case f.has("build.gradle", "build.gradle.kts"):
		return []string{"gradle check"}
	case f.has("pom.xml") && f.has("mvnw"):
		return []string{"./mvnw -q verify"}
	case f.has("pom.xml"):
		return []string{"mvn -q verify"}
	}
	return nil
}

func (f folder) others() []string {
	for _, project := range []struct{ file, command string }{
		{"mix.exs", "mix test"}, {"deno.json", "deno test"}, {"deno.jsonc", "deno test"}, {"Package.swift", "swift test"},
		{"build.zig", "zig build test"}, {"pubspec.yaml", "dart test"}, {"stack.yaml", "stack test"}, {"dune-project", "dune build @runtest"},
		{".rspec", "bundle exec rspec"}, {"Rakefile", "rake"}, {"phpunit.xml", "vendor/bin/phpunit"}, {"phpunit.xml.dist", "vendor/bin/phpunit"},
	} {
		if f.has(project.file) {
			return []string{project.command}
		}
	}
	return nil
}
