package repofile_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"questboard/agents/repofile"
	"questboard/e2e/e2etest"
)

func configurationPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// The table of docs/configuration.md has the keys of the code, in their order, and no
// others.
func TestThePageHasEveryKey(t *testing.T) {
	t.Parallel()
	tables, faults := e2etest.Tables(configurationPage(t))
	if len(faults) > 0 || len(tables) != 1 {
		t.Fatalf("%d tables, %q", len(tables), faults)
	}
	var page, code []string
	for _, row := range tables[0].Rows {
		page = append(page, strings.Join(row.Cells[:4], " | "))
		if row.Cells[4] == "" {
			t.Errorf("line %d does not say what the key does", row.Line)
		}
	}
	for _, k := range repofile.Keys() {
		code = append(code, "`"+k.Name+"` | "+k.Type+" | "+k.Default+" | "+k.Limits)
	}
	if !slices.Equal(page, code) {
		t.Errorf("the page:\n%s\nthe code:\n%s", strings.Join(page, "\n"), strings.Join(code, "\n"))
	}
}

// The page has an example for each of three languages, and they are files without a
// fault.
func TestTheExamplesOfThePageAreRead(t *testing.T) {
	t.Parallel()
	examples := regexp.MustCompile("(?m)^(\\w+):\n\n```yaml\n((?s:.*?))```").FindAllStringSubmatch(configurationPage(t), -1)
	var of []string
	for _, e := range examples {
		of = append(of, e[1])
		file, faults := repofile.Parse(e[2])
		if len(faults) > 0 || file.Check == "" || file.BeforeMerge == "" {
			t.Errorf("%s: %+v %q", e[1], file, faults)
		}
	}
	if want := []string{"Go", "Node", "Python"}; !slices.Equal(of, want) {
		t.Errorf("examples for %v, want %v", of, want)
	}
}
