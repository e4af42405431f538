package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"questboard/e2e/e2etest"
)

const interfacesPage = "docs/interfaces.md"

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), interfacesPage))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// promised returns every table of the page, with what the program says about it.
func promised(t *testing.T) []promise {
	t.Helper()
	objects := []string{"QuestHead", "Quest", "Step", "Run", "Question", "Need", "Event", "Output", "Slots"} // openapi.json has the others
	return []promise{
		{"Commands", []string{"command", "arguments"}, commandThings()},
		{"Flags", []string{"flag", "environment", "default", "commands"}, flagThings()},
		{"Exit codes", []string{"code"}, exitThings(t)},
		{"What agents see of the environment", []string{"variable"}, environmentThings(t, allowedEnvironment(t))},
		{"Requests", []string{"request", "fields", "answer"}, apiThings(t)},
		{"Refusals", []string{"code", "status"}, errorThings(t)},
		{"Objects", []string{"object", "fields"}, schemaThings(t, objects...)},
		{"Pages", []string{"address"}, pageThings(t)},
		{"Frames of the server", []string{"frame", "fields"}, frameThings(t)},
		{"Frames of the browser", []string{"field"}, tagThings(t, "web/live", "up")},
		{"Topics", []string{"topic"}, topicThings(t)},
		{"Tools", []string{"tool", mayCall, "fields"}, toolThings(t)},
		{"Signals", []string{"signal", "from", "fields"}, signalThings(t)},
		{"Parts of get-quest", []string{"part"}, partThings(t)},
		{"The first line of every prompt", []string{"key"}, firstLineThings(t)},
		{"Why a run starts", []string{"start"}, constantThings(t, "orchestration", "StartKind")},
		{"Entries", []string{"key"}, entryThings()},
		{"Actions", []string{"action", "takes"}, actionThings()},
		{"Data directory", []string{"path"}, dataThings(t)},
		{"A run's folder", []string{"file"}, runThings(t)},
		{"Lines of a check", []string{"field"}, tagThings(t, "agents/ward", "entry")},
		{"History", []string{"type", "data"}, eventThings(t)},
		{"Quest file", []string{"object", "fields"}, fileThings(t)},
		{"Metrics", []string{"metric", "type", "labels"}, metricThings(t)},
	}
}

// The page and the program say the same: each row is about something that exists,
// everything that exists has a row, and each row can be read.
func TestInterfacesAreAsTheDocumentSays(t *testing.T) {
	t.Parallel()
	for _, fault := range compared(readPage(t), promised(t)) {
		t.Error(fault)
	}
}

// A fault in any table of the page is found: a missing row, a wrong name, a missing cell,
// or *not yet* for something that exists.
func TestInterfacesNoticeAFaultInEveryTable(t *testing.T) {
	t.Parallel()
	page, promises := readPage(t), promised(t)
	tables, _ := e2etest.Tables(page)
	lines := strings.Split(page, "\n")
	for _, table := range tables {
		first := slices.IndexFunc(table.Rows, func(r e2etest.Row) bool { return strings.HasPrefix(r.Cells[0], "`") })
		if first < 0 {
			t.Errorf("%s %s has no row of what is there", table.Section, table.Part)
			continue
		}
		at := table.Rows[first].Line - 1
		for what, planted := range map[string][]string{
			"a row that is gone": {},
			"another name":       {strings.Replace(lines[at], "`", "`x-", 1)},
			"a row twice":        {lines[at], lines[at]},
			"a cell too few":     {lines[at][:strings.LastIndex(strings.TrimSuffix(lines[at], "|"), "|")+1]},
			"a mark":             {"| *not yet* " + strings.TrimPrefix(lines[at], "| ")},
			"no backticks":       {strings.ReplaceAll(lines[at], "`", "")},
			"no words":           {lines[at][:strings.LastIndex(strings.TrimSuffix(lines[at], "|"), "|")+1] + " |"},
		} {
			changed := strings.Join(slices.Concat(lines[:at], planted, lines[at+1:]), "\n")
			if len(compared(changed, promises)) == 0 {
				t.Errorf("%s %s: %s is not noticed", table.Section, table.Part, what)
			}
		}
	}
}

func TestInterfacesExampleCanBePlayed(t *testing.T) {
	t.Parallel()
	_, example, found := strings.Cut(readPage(t), "```yaml\n")
	example, _, whole := strings.Cut(example, "```")
	if faults := faultsOf(example); !found || !whole || faults != "" {
		t.Errorf("%s\n%s", faults, example)
	}
}

// The comparison itself, with a page made for the test.
func TestInterfacesComparison(t *testing.T) {
	t.Parallel()
	const good = "## Things\n\n| thing | parts | says |\n|---|---|---|\n| `a`, `b` | `x`, *not yet* `z` | Words. |\n" +
		"| `c` | – | A bar: `\\|`. |\n| *not yet* `d` | `y` | Words. |\n\n```\n| no table |\n```\n"
	promises := []promise{{"Things", []string{"thing", "parts"}, map[string]thing{"a": {"parts": {"x"}}, "b": {"parts": {"x"}}, "c": {}}}}
	if faults := compared(good, promises); len(faults) > 0 {
		t.Errorf("there is no fault: %q", faults)
	}
	for _, c := range []struct{ old, new, says string }{
		{"| `c` | – | A bar: `\\|`. |\n", "", "no row tells of `c`"},
		{"`a`, `b`", "`a`", "no row tells of `b`"},
		{"`a`, `b`", "`a`, `b`, `e`", "there is no `e`"},
		{"`a`, `b`", "`a`, `a`, `b`", "`a` has a row already"},
		{"`a`, `b`", "a and b", "is no list of names"},
		{"*not yet* `d`", "`d`", "there is no `d`"},
		{"| `c` |", "| *not yet* `c` |", "`c` is there: take *not yet* away"},
		{"`x`, ", "", "`x` is missing"},
		{"`x`, ", "`x`, `w`, ", "there is no `w`"},
		{"`x`, ", "`x`, `x`, ", "stands there twice"},
		{"*not yet* `z`", "*not yet* `x`", "stands there twice"},
		{"`x`, *not yet* `z`", "*not yet* `x`", "`x` is there: take *not yet* away"},
		{"*not yet* `z`", "`z`", "there is no `z`"},
		{"*not yet* `z`", "*Not yet* `z`", "is no list of names"},
		{"| `y` |", "| y |", "is no list of names"},
		{"| – |", "| |", "is no list of names"},
		{"A bar: `\\|`.", "", "says is empty"},
		{"A bar: `\\|`. |", "A bar: `|`. |", "has 4 cells, not 3"},
		{"| `c` | – |", "| `c` |", "has 2 cells, not 3"},
		{"A bar: `\\|`. |\n", "A bar: `\\|`.\n", "does not begin and end with a bar"},
		{"| `c` |", "`c` |", "does not begin and end with a bar"},
		{"| *not yet* `d`", "\n| *not yet* `d`", "is a row of no table"},
		{"|---|---|---|\n", "", "is a row of no table"},
		{"| parts |", "| bits |", "must begin with"},
		{"## Things", "## Others", "nothing is compared with this table"},
	} {
		faults := compared(strings.Replace(good, c.old, c.new, 1), promises)
		if !strings.Contains(fmt.Sprint(faults), c.says) {
			t.Errorf("%q for %q: %q is not in %q", c.new, c.old, c.says, faults)
		}
	}
	if faults := compared("", promises); len(faults) != 3 {
		t.Errorf("a page without the table: %q", faults)
	}
}
