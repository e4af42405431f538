package e2etest

import (
	"os"
	"regexp"
	"testing"
)

// WriteTables puts tables into a document, each after its mark "<!-- KIND: NAME -->", if write
// says so, and returns the document. made has all tables of a kind by name. Without write it only
// checks that each table has its mark and each mark its table, and makes none.
func WriteTables(t testing.TB, path, kind string, made map[string]func() string, write bool) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mark := regexp.MustCompile(`(?ms)^<!-- ` + regexp.QuoteMeta(kind) + `: (\w+) -->\n(?:\n\|.*?\n(?:\n|\z))?`)
	found := map[string]bool{}
	out := mark.ReplaceAllStringFunc(string(text), func(block string) string {
		name := mark.FindStringSubmatch(block)[1]
		found[name] = true
		if made[name] == nil {
			t.Fatalf("%s has a table %s, and nothing makes it", path, name)
		}
		if !write {
			return block
		}
		return "<!-- " + kind + ": " + name + " -->\n\n" + made[name]() + "\n"
	})
	for name := range made {
		if !found[name] {
			t.Errorf("%s has no place for the table %s", path, name)
		}
	}
	if write && !t.Failed() {
		if err := os.WriteFile(path, []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
