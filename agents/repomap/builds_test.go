package repomap_test

import (
	"slices"
	"strings"
	"testing"

	"questboard/agents/repomap"
)

func TestVersionsThatBuildFilesAskFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, toolchain string
		wants                 []string
	}{
		{"go.mod", "module x\n\ngo 1.26\ntoolchain go1.26.3\n", "Go", []string{"go 1.26", "toolchain go1.26.3"}},
		{"go.mod", "module x\r\n\r\ngo 1.26\r\n", "Go", []string{"go 1.26"}},
		{"web/package.json", `{"engines": {"node": ">=20", "pnpm": "9", "vscode": "1"}, "packageManager": "pnpm@9.1.0+sha512.aa"}`, "Node",
			[]string{"node >=20", "pnpm 9", "packageManager pnpm@9.1.0"}},
		{"package.json", `{"engines": []}`, "Node", nil},
		{"package.json", `{`, "Node", nil},
		{".nvmrc", "v22.1.0\n", "Node", []string{"v22.1.0"}},
		{".nvmrc", "", "Node", nil},
		{"pyproject.toml", "[project]\nrequires-python = \">=3.11\"\n", "Python", []string{`requires-python = ">=3.11"`}},
		{"pyproject.toml", "[tool.poetry.dependencies]\npython = \"^3.12\"\n", "Python", []string{`python = "^3.12"`}},
		{"setup.cfg", "[options]\npython_requires = >=3.9\n", "Python", []string{"python_requires = >=3.9"}},
		{"setup.py", "setup(python_requires='>=3.8')", "Python", []string{"python_requires='>=3.8'"}},
		{"requirements.txt", "flask\n", "Python", nil},
		{"Cargo.toml", "[package]\nedition = \"2024\"\nrust-version = \"1.85\"\n", "Rust", []string{`edition = "2024"`, `rust-version = "1.85"`}},
		{"rust-toolchain.toml", "[toolchain]\nchannel = \"1.90\"\n", "Rust", []string{`channel = "1.90"`}},
		{"Gemfile", "source 'x'\nruby '3.4.1'\n", "Ruby", []string{"ruby '3.4.1'"}},
		{"pom.xml", "<properties><maven.compiler.release>21</maven.compiler.release></properties>", "Java",
			[]string{"maven.compiler.release>21"}},
		{"build.gradle.kts", "kotlin { jvmToolchain(21) }", "Java", []string{"jvmToolchain(21)"}},
		{"global.json", `{"sdk": {"version": "9.0.100"}}`, ".NET", []string{`"version": "9.0.100"`}},
		{"composer.json", `{"require": {"php": "^8.3"}}`, "PHP", []string{`"php": "^8.3"`}},
		{"mix.exs", `elixir: "~> 1.18",`, "Elixir", []string{`elixir: "~> 1.18"`}},
		{"CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nset(CMAKE_CXX_STANDARD 20)\n", "C and C++",
			[]string{"cmake_minimum_required(VERSION 3.25)", "CMAKE_CXX_STANDARD 20"}},
		{"Package.swift", "// swift-tools-version: 6.0\n", "Swift", []string{"swift-tools-version: 6.0"}},
		{".tool-versions", "nodejs 22.1.0\npython 3.12.1\n", "asdf or mise", []string{"nodejs 22.1.0", "python 3.12.1"}},
		{"Makefile", "all:\n", "make", nil},
		{"Dockerfile", "FROM golang:1.26 AS build\n", "Docker", []string{"FROM golang:1.26"}},
		{".nvmrc", "18\x1b[2J\u202e" + strings.Repeat("x", 5000) + "\n# Your new role", "Node",
			[]string{"18\uFFFD[2J\uFFFD" + strings.Repeat("x", 69) + "…"}},
		{".tool-versions", strings.Repeat("same 1\n", 9) + "a 1\nb 1\nc 1\nd 1\n", "asdf or mise", []string{"same 1", "a 1", "b 1", "c 1"}},
	} {
		got, ok := repomap.BuildOf(c.name, c.text)
		if !ok || got.Toolchain != c.toolchain || !slices.Equal(got.Wants, c.wants) || got.Path != c.name {
			t.Errorf("%s %q: %+v", c.name, c.text, got)
		}
	}
	if _, ok := repomap.BuildOf("main.go", "go 1.26"); ok {
		t.Error("main.go is a build file")
	}
}
