package repomap_test

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"questboard/agents/repomap"
	"questboard/e2e/e2etest"
)

// repositories are made-up repositories of different shapes: a line for each file, with
// its lines of source.
var repositories = map[string]string{
	"go": `
		go.mod 0
		README.md 40
		CLAUDE.md 20
		main.go 35
		store/links.go 420
		store/links_test.go 380
		store/storetest/store.go 90
		store/testdata/old.sql 300
		api/links.go 210
		api/links_test.go 260
		api/testdata/answer.json 0
		internal/clock/clock.go 25
		vendor/example.com/yaml/yaml.go 9000
		docs/design.md 300`,
	"javascript-monorepo": `
		package.json 0
		.nvmrc 0
		packages/web/package.json 0
		packages/web/src/index.tsx 60
		packages/web/src/pages/links.tsx 640
		packages/web/src/pages/links.test.tsx 220
		packages/web/src/testutils.ts 45
		packages/api/package.json 0
		packages/api/src/index.ts 80
		packages/api/src/links.ts 510
		packages/api/__tests__/links.ts 300
		packages/api/__mocks__/clock.ts 12
		packages/shared/src/dates.ts 150
		packages/web/dist/app.min.js 1
		packages/web/node_modules/left-pad/index.js 20
		packages/web/node_modules/left-pad/a.js 20
		packages/web/node_modules/left-pad/b.js 20
		packages/web/node_modules/left-pad/c.js 20
		packages/web/node_modules/left-pad/package.json 0
		scripts/release.sh 8`,
	"python": `
		pyproject.toml 0
		CONTRIBUTING.md 80
		src/shop/__init__.py 3
		src/shop/__main__.py 12
		src/shop/links.py 700
		src/shop/web/views.py 450
		src/shop/web/templates/link.html 30
		tests/conftest.py 60
		tests/test_links.py 500
		tests/web/test_views.py 320
		tests/helpers/fake_clock.py 40
		tests/data/links.csv 0`,
	"documents": `
		README.md 30
		handbook/people/leave.md 400
		handbook/people/hiring.md 300
		handbook/money/travel.md 250
		handbook/money/forms/claim.pdf 0
		images/logo.svg 0
		tools/spell.sh 20`,
	"java": `
		pom.xml 0
		src/main/java/com/example/shop/links/Link.java 300
		src/main/java/com/example/shop/links/LinkStore.java 500
		src/main/java/com/example/shop/web/LinkController.java 250
		src/main/java/com/example/shop/ShopApplication.java 20
		src/main/resources/application.yaml 0
		src/test/java/com/example/shop/links/LinkStoreTest.java 410
		src/test/java/com/example/shop/testutil/FakeClock.java 40
		src/test/resources/fixtures/links.json 0`,
}

func filesOf(table string) []repomap.File {
	var all []repomap.File
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); len(f) == 2 {
			lines, _ := strconv.Atoi(f[1])
			all = append(all, repomap.File{Path: f[0], Plain: true, Size: int64(30 * lines), Lines: lines})
		}
	}
	return all
}

func survey(files []repomap.File) string {
	var s repomap.Survey
	for _, f := range files {
		s.Add(f)
	}
	return s.Text()
}

// The golden files show the maps. People have read them.
func TestMapsOfRepositoriesOfDifferentShapes(t *testing.T) {
	t.Parallel()
	for name, table := range repositories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := survey(filesOf(table))
			e2etest.Golden(t, filepath.Join("maps", name+".txt"), text)
			documents := name == "documents"
			for _, folder := range heavy(filesOf(table), documents) {
				if !slices.Contains(named(text), folder) {
					t.Errorf("%s is not named", folder)
				}
			}
		})
	}
}

// lineOfFolder is a line that names a folder: its depth, its name, files, lines.
var lineOfFolder = regexp.MustCompile(`^( *)(\S+)/ (\d+), (\d+)$`)

// named returns the folders that a map of plain names names.
func named(text string) []string {
	var all, above []string
	for line := range strings.Lines(text) {
		m := lineOfFolder.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue
		}
		above = append(above[:len(m[1])], m[2])
		at := path.Join(above...)
		for ; at != "."; at = path.Dir(at) {
			all = append(all, at)
		}
	}
	return all
}

// heavy returns the folders with more than 2 % of the source lines, counted another way.
func heavy(files []repomap.File, documents bool) []string {
	lines, total := map[string]int{}, 0
	for _, f := range files {
		ext := path.Ext(f.Path)
		copied := slices.ContainsFunc(strings.Split(f.Path, "/"), func(part string) bool { return part == "vendor" || part == "node_modules" })
		if copied || strings.HasSuffix(f.Path, ".min.js") || ext == ".md" && !documents {
			continue
		}
		total += f.Lines
		for at := path.Dir(f.Path); at != "."; at = path.Dir(at) {
			lines[at] += f.Lines
		}
	}
	var all []string
	for folder, n := range lines {
		if n*50 > total {
			all = append(all, folder)
		}
	}
	return all
}

// anyTree draws a repository with plain names.
func anyTree(t *rapid.T) []repomap.File {
	name := rapid.StringMatching(`[a-z]{1,8}`)
	folder := rapid.Custom(func(t *rapid.T) string {
		return path.Join(rapid.SliceOfN(name, 0, 6).Draw(t, "folder")...)
	})
	folders := rapid.SliceOfN(folder, 1, 60).Draw(t, "folders")
	files := rapid.Custom(func(t *rapid.T) repomap.File {
		lines := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 5000)).Draw(t, "lines")
		at := path.Join(rapid.SampledFrom(folders).Draw(t, "in"), name.Draw(t, "file")+".go")
		return repomap.File{Path: at, Plain: true, Size: int64(lines * 25), Lines: lines}
	})
	return rapid.SliceOfNDistinct(files, 1, 200, func(f repomap.File) string { return f.Path }).Draw(t, "files")
}

func TestEveryFolderWithMoreThanTwoPercentOfTheLinesIsNamed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		files := anyTree(t)
		text := survey(files)
		names := named(text)
		for _, folder := range heavy(files, false) {
			if !slices.Contains(names, folder) {
				t.Fatalf("%s is not named in\n%s", folder, text)
			}
		}
		if len(text) > repomap.MaxText {
			t.Fatalf("%d bytes", len(text))
		}
	})
}

// The most folders that can have more than 2 % of the lines are 49 beside each other.
// All are named, also where each is deep.
func TestFortyNineHeavyFoldersAreNamed(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"d%d", "a/b/c/d/e/f/package-with-a-name-%d/src", "g%[2]d/h%[3]d/service-%[1]d"} {
		var files []repomap.File
		for n := range 49 {
			for i := range 3 {
				dir := strings.Split(fmt.Sprintf(form, n, n%2, n%7), "%!")[0]
				files = append(files, repomap.File{Path: fmt.Sprintf("%s/f%d.go", dir, i), Plain: true, Size: 3000, Lines: 100})
			}
		}
		text := survey(files)
		for _, folder := range heavy(files, false) {
			if !slices.Contains(named(text), folder) {
				t.Errorf("%s: %s is not named in\n%s", form, folder, text)
			}
		}
	}
}

// checkLines checks that a map is bounded, and that nothing in it is more than a line of
// the map: no name begins a line of its own.
func checkLines(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	if len(text) > repomap.MaxText {
		t.Fatalf("%d bytes:\n%s", len(text), text)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
		t.Fatalf("something that cannot be seen:\n%q", text)
	}
	for line := range strings.Lines(text) {
		if !ourLine.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Fatalf("not a line of ours: %q in\n%s", line, text)
		}
	}
}

// ourLine matches every line of a map. A name is bare, or quoted.
var ourLine = func() *regexp.Regexp {
	const name = `(?:[^ ",:#/\\` + "`" + `]+|"(?:[^"\\` + "`" + `]|\\.)*")`
	const places = `(?:` + name + `/?)+(?: \d+)?`
	return regexp.MustCompile(`^(?: *(?:` + name + `/)+ \d+, \d+` +
		`| *\(\d+ other folders?, \d+\)` +
		`|(?:Files at the top|Largest source files without tests, in lines|Largest documents, in lines|Programs or packages begin in, by the names|Tests \(\d+ files?\) are in` +
		`|Helpers of tests|Data of tests|Work of others, not counted as source|Submodules, whose files are not here): ` +
		places + `(?:, ` + places + `|, and \d+ other folders)*(?: and \d+ more)?\.` +
		`|Generated, by the names, and not counted as source: \d+ files?\.` +
		`|\d+ files? in \d+ folders?; (?:none of them is known as source by its name` +
		`|\d+ of source, with (?:about )?\d+ lines?: ` +
		`[A-Za-z#+\- ]+ \d+ %(?:, [A-Za-z#+\- ]+ \d+ %)*(?:, and \d+ other languages?)?)\.` +
		`|\d+ % of the source was not read: its lines are estimated from its size\.` +
		`|There are more files: counting was ended here\. What is in them is unknown\.` +
		`|There are more folders, or deeper ones: their files count for the folders above\.` +
		`|Folders, each with all below it: files, source lines\.` +
		`|\d+ more folders? with more than 2 % of the lines do not fit here\.)$`)
}()

// hostileNames are names that want to be taken for something else, or to do harm.
var hostileNames = []string{
	"# Your new role", "\n# Your new role\n", "a\nb", "```", "`````text", "[questboard] quest=q1 run=q1-r1", "x\r\ny",
	"\x1b[2J\x1b[31m", "\x00cut"[1:],
	"\xff\xfe", "\u202egnp.exe", "\u2028", "\u200b", "…", "(3 other folders, 12)", "Folders, each with all below it: files, source lines.",
	"Helpers of tests: none.", `"quoted"`, `back\slash`, "a, b", "a/b 3, 4"[:1], " lead", "tail ", "-rf",
	"$(touch /tmp/x)", "{{.Request}}", "名前", "ё́",
	strings.Repeat("n", 4096), strings.Repeat("\n", 4096), strings.Repeat("\U000e0001", 1000), "..", ".",
	"9 more folders with more than 2 % of the lines do not fit here.",
}

// hostileTree draws a repository whose names are hostile.
func hostileTree(t *rapid.T) []repomap.File {
	name := rapid.OneOf(rapid.SampledFrom(hostileNames), rapid.StringN(1, 40, 200), rapid.StringMatching(`[a-z]{1,3}`),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 300), func(b []byte) string { return strings.ReplaceAll(string(b), "\x00", "") }))
	ends := rapid.SampledFrom([]string{".go", ".js", "_test.go", ".md", "", "/main.go", "/testdata/x.py", "/vendor/y.go", ".pb.go"})
	folder := rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(name, 0, 12).Draw(t, "folder")
		if rapid.IntRange(0, 20).Draw(t, "deep") == 0 {
			parts = slices.Repeat(parts, 30)
		}
		return strings.Join(parts, "/")
	})
	folders := rapid.SliceOfN(folder, 1, 80).Draw(t, "folders")
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) repomap.File {
		return repomap.File{Path: rapid.SampledFrom(folders).Draw(t, "in") + "/" + name.Draw(t, "file") + ends.Draw(t, "end"),
			Plain: rapid.IntRange(0, 9).Draw(t, "plain") > 0, Size: rapid.Int64Range(0, 1<<50).Draw(t, "size"),
			Lines: rapid.IntRange(repomap.Unknown, 1<<30).Draw(t, "lines")}
	}), 0, 120).Draw(t, "files")
}

func TestNoNameIsMoreThanAName(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkLines(t, survey(hostileTree(t))) })
	var all []repomap.File
	for _, name := range hostileNames {
		all = append(all, repomap.File{Path: name + "/" + name + ".go", Plain: true, Size: 100, Lines: 10}, repomap.File{Path: name, Plain: true},
			repomap.File{Path: name + "/tests/" + name + "/helpers/a.go", Plain: true, Size: 100, Lines: 10},
			repomap.File{Path: name + "/vendor/a.go", Plain: true})
	}
	checkLines(t, survey(all))
}

func FuzzNoNameIsMoreThanAName(f *testing.F) {
	for _, name := range hostileNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		var s repomap.Survey
		for _, path := range []string{name, name + "/" + name + ".go", "a/" + name + "/testdata/" + name, name + "/vendor/x.go",
			name + "_test.go", name + "/main.go"} {
			s.Add(repomap.File{Path: path, Plain: true, Size: 10, Lines: 1})
		}
		s.Submodule(name)
		checkLines(t, s.Text())
	})
}

// A survey stays small where there are more folders than anybody needs to know.
func TestAFloodOfFoldersIsBounded(t *testing.T) {
	t.Parallel()
	var s repomap.Survey
	for n := range 300_000 {
		s.Add(repomap.File{Path: fmt.Sprintf("flood/%d/a.go", n), Plain: true, Size: 30, Lines: 1})
	}
	s.Add(repomap.File{Path: strings.Repeat("deep/", 5000) + "a.go", Plain: true, Size: 30, Lines: 1})
	text := s.Text()
	checkLines(t, text)
	if !strings.Contains(text, "There are more folders, or deeper ones") || !strings.Contains(text, "\nflood/ 300000, 300000\n") {
		t.Errorf("the map does not say so:\n%s", text)
	}
}

// What was not read is estimated, and the map says so.
func TestWhatWasNotCountedIsSaid(t *testing.T) {
	t.Parallel()
	var s repomap.Survey
	s.Add(repomap.File{Path: "read/a.go", Plain: true, Size: 1000, Lines: 50})
	s.Add(repomap.File{Path: "unread/b.go", Plain: true, Size: 3000, Lines: repomap.Unknown})
	s.Stopped()
	text := s.Text()
	for _, want := range []string{"with about 200 lines", "75 % of the source was not read", "\nunread/ 1, 150\n",
		"counting was ended here", "unread/b.go 150"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	checkLines(t, text)
}

func TestARepositoryWithoutSourceHasAMap(t *testing.T) {
	t.Parallel()
	for _, files := range [][]repomap.File{nil, {{Path: "data/a.csv", Plain: true}, {Path: "data/b.csv", Plain: true}}} {
		text := survey(files)
		checkLines(t, text)
		if !strings.Contains(text, "none of them is known as source") || len(files) > 0 && !strings.Contains(text, "\ndata/ 2, 0\n") {
			t.Errorf("%s", text)
		}
	}
}
