package ward_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"questboard/agents/ward"
)

func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSuggestReadsWhatAProjectHolds(t *testing.T) {
	t.Parallel()
	type files = map[string]string
	for want, p := range map[string]files{
		"":                              {"README": "test:\n"},
		"go vet ./... && go test ./...": {"go.mod": "module x"},
		"make check":                    {"Makefile": "all:\n\tx\ntest: all\n\ty\ncheck test2: all\n"},
		"make test":                     {"makefile": ".PHONY: test\ntest:\n\tgo test\nchecks: x\n"},
		"make verify;go vet ./... && go test ./...": {"GNUmakefile": "verify: a b\n", "go.mod": ""},
		"just test":                            {"justfile": "@test *args:\n  x\n"},
		"npm test":                             {"package.json": `{"scripts":{"test":"vitest"}}`},
		"pnpm run lint && pnpm test;pnpm test": {"package.json": `{"scripts":{"test":"vitest","lint":"eslint"}}`, "pnpm-lock.yaml": ""},
		"cargo test;cargo clippy --all-targets -- -D warnings && cargo test": {"Cargo.toml": ""},
		"uv run pytest":               {"pyproject.toml": "[dependency-groups]\ndev=['pytest']", "uv.lock": ""},
		"python -m pytest":            {"pytest.ini": ""},
		"python -m unittest discover": {"setup.py": ""},
		"tox":                         {"tox.ini": "[testenv]"},
		"./gradlew check":             {"build.gradle.kts": "", "gradlew": ""},
		"mvn -q verify":               {"pom.xml": ""},
		"mix test":                    {"mix.exs": ""},
	} {
		if got := strings.Join(ward.Suggest(project(t, p)), ";"); got != want {
			t.Errorf("%v: %q, want %q", p, got, want)
		}
	}
}

// The content of a file only chooses among our commands and never becomes part of one.
func TestSuggestIsNotTalkedIntoAnything(t *testing.T) {
	t.Parallel()
	outside := project(t, map[string]string{"Makefile": "check:\n"})
	dir := project(t, map[string]string{
		"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1","lint":"x; rm -rf ~"}}`,
		"justfile":     "test := 'rm -rf ~'\ncheck-$(rm -rf ~):\n  x\n`rm`:\n",
		"tox.ini":      strings.Repeat("x", 600<<10) + "pytest",
	})
	if err := os.Symlink(filepath.Join(outside, "Makefile"), filepath.Join(dir, "Makefile")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "GNUmakefile"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "go.mod"), 0o700); err != nil {
		t.Fatal(err)
	}
	got := ward.Suggest(dir)
	if slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, "rm") }) || strings.Join(got, ";") != "tox" {
		t.Errorf("%q", got)
	}
	if got := ward.Suggest(filepath.Join(dir, "nowhere")); len(got) != 0 {
		t.Errorf("of a folder that is not there: %q", got)
	}
}

func FuzzSuggest(f *testing.F) {
	f.Add("Makefile", "check:\n", `{"scripts":{"test":"x"}}`)
	f.Fuzz(func(t *testing.T, _, makefile, pack string) {
		for _, command := range ward.Suggest(project(t, map[string]string{"Makefile": makefile, "package.json": pack})) {
			if !slices.Contains([]string{"make check", "make verify", "make test", "npm test", "npm run lint && npm test"}, command) {
				t.Errorf("%q", command)
			}
		}
	})
}
