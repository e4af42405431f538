package repomap

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"questboard/agents"
)

// buildFile is a kind of file that says which version of a toolchain a project needs.
type buildFile struct {
	toolchain string
	wants     func(text string) []string // what it says, such as "go 1.26"
}

// buildFiles are the kinds, by name. A file without a function says only that the
// toolchain is used.
var buildFiles = map[string]buildFile{
	"go.mod":              {"Go", matches(`(?m)^(go \S+|toolchain \S+)`)},
	"package.json":        {"Node", packageJSON},
	".nvmrc":              {"Node", firstLine},
	".node-version":       {"Node", firstLine},
	"deno.json":           {"Deno", nil},
	"bun.lockb":           {"Bun", nil},
	"pyproject.toml":      {"Python", matches(`(?m)^\s*(requires-python\s*=\s*["'][^"'\n]*["']|python\s*=\s*["'][^"'\n]*["'])`)},
	"setup.cfg":           {"Python", matches(`(?m)^\s*(python_requires\s*=\s*[^\n]+)`)},
	"setup.py":            {"Python", matches(`(python_requires\s*=\s*["'][^"'\n]*["'])`)},
	".python-version":     {"Python", firstLine},
	"requirements.txt":    {"Python", nil},
	"Cargo.toml":          {"Rust", matches(`(?m)^\s*(rust-version\s*=\s*["'][^"'\n]*["']|edition\s*=\s*["'][^"'\n]*["'])`)},
	"rust-toolchain":      {"Rust", firstLine},
	"rust-toolchain.toml": {"Rust", matches(`(?m)^\s*(channel\s*=\s*["'][^"'\n]*["'])`)},
	"Gemfile":             {"Ruby", matches(`(?m)^\s*(ruby\s+["'][^"'\n]*["'])`)},
	".ruby-version":       {"Ruby", firstLine},
	"pom.xml": {"Java", matches(
		`<((?:maven\.compiler\.(?:release|source|target)|java\.version|release)>[^<\n]*)<`)},
	"build.gradle":     {"Java", gradle},
	"build.gradle.kts": {"Java", gradle},
	".java-version":    {"Java", firstLine},
	"global.json":      {".NET", matches(`("version"\s*:\s*"[^"\n]*")`)},
	"composer.json":    {"PHP", matches(`("php"\s*:\s*"[^"\n]*")`)},
	"mix.exs":          {"Elixir", matches(`(?m)(elixir:\s*"[^"\n]*")`)},
	"CMakeLists.txt":   {"C and C++", matches(`(?im)(cmake_minimum_required\s*\([^)\n]*\)|CMAKE_C(?:XX)?_STANDARD\s+\d+)`)},
	"configure.ac":     {"C and C++", nil},
	"meson.build":      {"C and C++", nil},
	"Package.swift":    {"Swift", matches(`(swift-tools-version:\s*\S+)`)},
	"pubspec.yaml":     {"Dart", matches(`(?m)^\s*(sdk:\s*[^\n]+)`)},
	".tool-versions":   {"asdf or mise", lines},
	"Makefile":         {"make", nil},
	"Dockerfile":       {"Docker", matches(`(?im)^(FROM\s+\S+)`)},
	"flake.nix":        {"Nix", nil},
}

// aroundBuilds lists the toolchains that start others.
var aroundBuilds = map[string]bool{"make": true, "Docker": true, "Nix": true, "asdf or mise": true}

var gradle = matches(`(sourceCompatibility\s*=\s*[^\n]+|jvmToolchain\(\d+\)|JavaLanguageVersion\.of\(\d+\)|jvmTarget\s*=\s*[^\n]+)`)

// Limits for what build files say.
const (
	maxBuilds    = 16       // files; those near the top come first
	maxBuildFile = 64 << 10 // bytes of a file that is read
	maxWants     = 4        // of one file
	maxWant      = 80       // bytes
)

// BuildOf reads a build file. ok is false if it is no file of a known kind.
func BuildOf(name, text string) (b agents.BuildFile, ok bool) {
	kind, ok := buildFiles[path.Base(name)]
	if !ok {
		return b, false
	}
	b = agents.BuildFile{Path: name, Toolchain: kind.toolchain}
	if kind.wants == nil {
		return b, true
	}
	for _, want := range kind.wants(text) {
		if want = Plain(want, maxWant); want != "" && len(b.Wants) < maxWants && !slices.Contains(b.Wants, want) {
			b.Wants = append(b.Wants, want)
		}
	}
	return b, true
}

func matches(expression string) func(string) []string {
	compiled := regexp.MustCompile(expression)
	return func(text string) []string {
		var all []string
		for _, found := range compiled.FindAllStringSubmatch(text, 2*maxWants) {
			all = append(all, found[1])
		}
		return all
	}
}

func lines(text string) []string { return strings.Split(text, "\n") }

func firstLine(text string) []string { return lines(strings.TrimSpace(text))[:1] }

// packageJSON reads the versions that npm and its relatives heed.
func packageJSON(text string) []string {
	var is struct {
		Engines        map[string]any `json:"engines"`
		PackageManager string         `json:"packageManager"`
	}
	if json.Unmarshal([]byte(text), &is) != nil {
		return nil
	}
	var all []string
	for _, engine := range []string{"node", "npm", "pnpm", "yarn", "bun"} {
		if version, is := is.Engines[engine].(string); is {
			all = append(all, engine+" "+version)
		}
	}
	if is.PackageManager != "" {
		manager, _, _ := strings.Cut(is.PackageManager, "+") // a checksum
		all = append(all, "packageManager "+manager)
	}
	return all
}
