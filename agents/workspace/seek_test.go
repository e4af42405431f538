package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"questboard/agents/workspace"
	"questboard/orchestration"
)

// sought returns what a search says of a test or a place: "yes", or why not.
func sought(t *testing.T, dir string, kind orchestration.EvidenceKind, how string) string {
	t.Helper()
	found := workspace.Seek(t.Context(), dir, []orchestration.Evidence{
		{Observable: "o1", Kind: orchestration.ByCommand, How: "true: exit code 0"}, {Observable: "o2", Kind: kind, How: how}})
	switch {
	case len(found) != 2 || found[0].Is:
		t.Fatalf("%d answers: %+v", len(found), found)
	case found[1].Is:
		return "yes"
	}
	return found[1].Why
}

func sow(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSeekFindsTestsByTheirNamesAndPlacesByTheirLines(t *testing.T) {
	t.Parallel()
	dir := sow(t, map[string]string{
		"greet_test.go":            "package greet\n\nfunc TestGreetTwice(t *testing.T) {\n",
		"tests/test_greet.py":      "class TestGreet:\n    def test_once(self):\n",
		"spec/greet.js":            "it('greets every guest', () => {})\n",
		"src/lib.rs":               "mod tests {\n    fn greets_twice() {}\n",
		"empty":                    "",
		"node_modules/x/x_test.js": "test('of somebody else')",
		"binary":                   "\x00TestInABinary",
	})
	for how, want := range map[string]string{
		"TestGreetTwice":                 "yes",
		"TestGreetTwice/two_names":       "yes",
		"TestGreet":                      "yes", // the class
		"TestGreetTwic":                  "no file has this name",
		"greet":                          "yes", // a word of a package clause: the search cannot know better
		"tests/test_greet.py::TestGreet": "yes",
		"tests/test_greet.py::TestGreet::test_once": "yes",
		"tests/test_greet.py::test_twice":           "tests/test_greet.py does not have this name",
		"tests/gone.py::test_once":                  "there is no file tests/gone.py",
		"lib::tests::greets_twice":                  "yes",
		"greeting > greets every guest":             "yes",
		"of somebody else":                          "no file has this name",
		"TestInABinary":                             "no file has this name",
	} {
		if got := sought(t, dir, orchestration.ByTest, how); got != want {
			t.Errorf("the test %q: %s, want %s", how, got, want)
		}
	}
	for how, want := range map[string]string{
		"greet_test.go:3":                          "yes",
		"./tests/test_greet.py:1-2, the class":     "yes",
		filepath.Join(dir, "greet_test.go") + ":1": "yes",
		"greet_test.go:4":                          "greet_test.go has 3 lines",
		"empty:1":                                  "empty has 0 lines",
		"gone.go:1":                                "there is no file gone.go",
		"tests:1":                                  "tests is a folder",
		"../outside:1":                             "../outside is no path inside the tree",
		"/etc/passwd:1":                            "is no path inside the tree",
	} {
		if got := sought(t, dir, orchestration.ByPlace, how); got != want && (want == "yes" || !strings.HasSuffix(got, want)) {
			t.Errorf("the place %q: %s, want %s", how, got, want)
		}
	}
	if got := sought(t, filepath.Join(dir, "gone"), orchestration.ByPlace, "a:1"); got != "the tree cannot be read" {
		t.Errorf("without a tree: %s", got)
	}
}

// An agent made the tree. A link leads elsewhere, a pipe never ends, a file of 10 GB
// would fill the memory, and names may be anything.
func TestSeekFollowsNoLinkAndOpensNoPipeAndNoHugeFile(t *testing.T) {
	t.Parallel()
	outside := sow(t, map[string]string{"secret.go": "func TestSecret() {}\n"})
	dir := sow(t, map[string]string{"new\nline \xff.go": "func TestOfAnOddName() {}\n"})
	for name, to := range map[string]string{"link.go": filepath.Join(outside, "secret.go"), "folder": outside, "loop": ".", "self.go": "self.go"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe_test.go"), 0o600); err != nil {
		t.Fatal(err)
	}
	huge := filepath.Join(dir, "huge_test.go")
	if err := os.WriteFile(huge, []byte("func TestHuge() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 10<<30); err != nil {
		t.Fatal("no sparse files here:", err)
	}
	for how, want := range map[string]string{
		"TestSecret":                   "no file has this name",
		"TestHuge":                     "no file has this name",
		"TestOfAnOddName":              "yes",
		"link.go::TestSecret":          "link.go is a link",
		"folder/secret.go::TestSecret": "there is no file folder/secret.go",
		"huge_test.go::TestHuge":       "huge_test.go has 10.0 GiB, and files of up to 4.0 MiB are read",
		"pipe_test.go::TestPipe":       "pipe_test.go is a named pipe",
	} {
		if got := sought(t, dir, orchestration.ByTest, how); got != want {
			t.Errorf("the test %q: %s, want %s", how, got, want)
		}
	}
	for how, want := range map[string]string{
		"link.go:1": "link.go is a link", "self.go:1": "self.go is a link", "folder/secret.go:1": "there is no file folder/secret.go",
		"pipe_test.go:1": "pipe_test.go is a named pipe", "huge_test.go:1": "huge_test.go has 10.0 GiB, and files of up to 64.0 MiB are read",
	} {
		if got := sought(t, dir, orchestration.ByPlace, how); got != want {
			t.Errorf("the place %q: %s, want %s", how, got, want)
		}
	}
}

func TestSeekAnswersForEachOfManyTests(t *testing.T) {
	t.Parallel()
	files, evidence := map[string]string{}, []orchestration.Evidence{}
	for n := range 40 {
		files[fmt.Sprintf("a/%d_test.go", n)] = fmt.Sprintf("func TestNumber%d() {}\n", n)
		evidence = append(evidence, orchestration.Evidence{Observable: fmt.Sprint(n), Kind: orchestration.ByTest, How: fmt.Sprintf("TestNumber%d", 2*n)})
	}
	for n, f := range workspace.Seek(t.Context(), sow(t, files), evidence) {
		if f.Is != (2*n < 40) {
			t.Errorf("TestNumber%d: %+v", 2*n, f)
		}
	}
}
