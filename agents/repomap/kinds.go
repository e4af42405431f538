package repomap

import (
	"path"
	"strings"
)

// languages are the kinds of source files, by the end of their names.
var languages = map[string]string{
	".go": "Go", ".templ": "templ", ".js": "JavaScript", ".jsx": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript",
	".ts": "TypeScript", ".tsx": "TypeScript", ".mts": "TypeScript", ".vue": "Vue", ".svelte": "Svelte",
	".py": "Python", ".pyi": "Python", ".pyx": "Cython", ".rb": "Ruby", ".erb": "Ruby", ".rs": "Rust", ".java": "Java",
	".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".groovy": "Groovy", ".gradle": "Groovy", ".clj": "Clojure", ".cljs": "Clojure",
	".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hh": "C++", ".hpp": "C++", ".m": "Objective-C", ".mm": "Objective-C",
	".cs": "C#", ".fs": "F#", ".vb": "Visual Basic", ".swift": "Swift", ".dart": "Dart", ".php": "PHP", ".pl": "Perl", ".pm": "Perl",
	".lua": "Lua", ".r": "R", ".jl": "Julia", ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hrl": "Erlang", ".hs": "Haskell",
	".ml": "OCaml", ".mli": "OCaml", ".zig": "Zig", ".nim": "Nim", ".s": "Assembly", ".asm": "Assembly", ".el": "Emacs Lisp", ".lisp": "Lisp",
	".sh": "Shell", ".bash": "Shell", ".zsh": "Shell", ".ps1": "PowerShell", ".sql": "SQL", ".proto": "Protobuf", ".graphql": "GraphQL",
	".tf": "Terraform", ".cmake": "CMake", ".css": "CSS", ".scss": "CSS", ".sass": "CSS", ".less": "CSS", ".html": "HTML", ".htm": "HTML",
	".md": "Markdown", ".mdx": "Markdown", ".rst": "reStructuredText", ".adoc": "AsciiDoc", ".tex": "TeX", ".org": "Org",
}

// setOf returns the set of the words of a text.
func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// prose lists the languages of documents. They count as source only where there is
// little else.
var prose = setOf("Markdown reStructuredText AsciiDoc TeX Org")

func languageOf(name string) string { return languages[strings.ToLower(path.Ext(name))] }

// Folders with the work of others, and ends of the names of generated files.
var (
	copiedFolders = setOf("vendor node_modules third_party bower_components Pods .yarn")
	generatedEnds = []string{".min.js", ".min.css", ".pb.go", "_pb2.py", "_pb2_grpc.py", "_templ.go", ".g.dart", ".designer.cs"}
)

// place is what the folder of a file says about it. Files come folder by folder, so it
// is worked out once for many.
type place struct {
	dir      string // with a slash at its end; "" at the top
	parts    []string
	copied   string // the folder of the work of others that it is in, or is
	inTests  bool
	helpers  string // the folder of what tests use that it is in, or is
	ofGo     string // the same for files of Go
	testData string // the same for what tests read
}

func placeOf(dir string) place {
	p := place{dir: dir, parts: split(dir)}
	for i, part := range p.parts {
		low := strings.ToLower(part)
		upTo := func(is *string) {
			if *is == "" {
				*is = strings.Join(p.parts[:i+1], "/") + "/"
			}
		}
		switch {
		case copiedFolders[part]:
			upTo(&p.copied)
		case dataFolders[low]:
			upTo(&p.testData)
		case helpFolders[low], p.inTests && helpWithin[low]:
			upTo(&p.helpers)
		case len(low) > len("test") && strings.HasSuffix(low, "test") && !strings.ContainsAny(low, "-_."):
			upTo(&p.ofGo) // Go's custom for the helpers of package x: xtest
		}
		p.inTests = p.inTests || testFolders[low]
	}
	return p
}

func generated(base string) bool { return hasEnd(strings.ToLower(base), generatedEnds) }

func hasEnd(text string, ends []string) bool {
	for _, end := range ends {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}

// Folders of tests, and of what tests use.
var (
	testFolders = setOf("test tests spec specs __tests__ e2e")
	dataFolders = setOf("testdata test-data test_data fixtures __fixtures__ __snapshots__")
	helpFolders = setOf(`
		testutil testutils testlib testhelper testhelpers testing testsupport test-utils test_utils
		__mocks__`)
	helpWithin = setOf("support helpers helper utils factories mocks data")
	helpNames  = setOf(`
		conftest.py spec_helper.rb rails_helper.rb jest.setup.js jest.setup.ts setuptests.js setuptests.ts
		vitest.setup.ts`)
	helpStems = setOf(`
		test_helper test_helpers testhelper testhelpers test_utils testutils testutil test-utils
		helpers_test helper_test`)
	testEnds = []string{"_test", "_tests", ".test", ".spec", "_spec"}
)

// isTest reports whether a source file has tests, by its name or its folder.
func (p place) isTest(base string) bool {
	if p.inTests {
		return true
	}
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	switch strings.ToLower(ext) {
	case ".java", ".kt", ".scala", ".groovy", ".cs", ".swift", ".php":
		return hasEnd(stem, []string{"Test", "Tests", "IT", "Spec"}) || strings.HasPrefix(stem, "Test")
	default:
		return strings.HasPrefix(stem, "test_") || hasEnd(strings.ToLower(stem), testEnds)
	}
}

// helper returns what tests use: the outermost such folder that holds the source file,
// or the file itself; "" if it is neither.
func (p place) helper(base, language string) string {
	if p.helpers != "" {
		return p.helpers
	}
	if language == "Go" && p.ofGo != "" {
		return p.ofGo
	}
	low := strings.ToLower(base)
	if helpNames[low] || helpStems[strings.TrimSuffix(low, path.Ext(low))] {
		return p.dir + base
	}
	return ""
}

// entryNames are the usual names of files where a program or a library begins.
var entryNames = setOf(`
		main.go main.rs lib.rs main.c main.cc main.cpp main.swift main.dart main.kt main.java program.cs
		main.zig main.py __main__.py manage.py app.py wsgi.py asgi.py cli.py index.js index.ts index.jsx
		index.tsx index.mjs main.js main.ts main.tsx main.jsx server.js server.ts cli.js cli.ts config.ru
		application.rb index.php index.html`)

// isEntry reports whether a program probably begins in this file. An index file is one
// only at the root of a package.
func (p place) isEntry(base string) bool {
	base = strings.ToLower(base)
	if p.testData != "" || p.helpers != "" {
		return false
	}
	if strings.HasSuffix(base, "application.java") || strings.HasSuffix(base, "application.kt") {
		return true
	}
	if !entryNames[base] {
		return false
	}
	if !strings.HasPrefix(base, "index.") {
		return true
	}
	parts := p.parts
	if n := len(parts); n > 0 && parts[n-1] == "src" {
		parts = parts[:n-1]
	}
	return len(parts) == 0 || len(parts) == 2 && (parts[0] == "packages" || parts[0] == "apps")
}

// notes are the names of the documents that say how to work in a repository.
var notes = setOf("CLAUDE.md AGENTS.md CONTRIBUTING.md CONTRIBUTING.rst CONTRIBUTING")
