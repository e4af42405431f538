package orchestration_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"questboard/e2e/e2etest"
	"questboard/orchestration"
)

func pageTables(t *testing.T, name string) []e2etest.Table {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	tables, faults := e2etest.Tables(string(page))
	if len(faults) > 0 {
		t.Fatalf("docs/%s: %v", name, faults)
	}
	return tables
}

var code = regexp.MustCompile("`([^`]+)`")

// codes returns the words in backticks in a cell.
func codes(cell string) []string {
	var words []string
	for _, m := range code.FindAllStringSubmatch(cell, -1) {
		words = append(words, m[1])
	}
	return words
}

// prose lists the tables of the document that have no list in the code.
var prose = []string{"word", "the check", "the look", "the command", "button"}

// enumerations lists the tables whose rows are the values of a type.
var enumerations = map[string]string{
	"phase": "Phase", "status": "Status", "gate": "Gate", "stage": "Stage", "hold": "Hold", "role": "Role",
	"signal": "SignalKind", "state": "RunState", "outcome": "Outcome", "start": "StartKind", "end": "End",
	"block": "BlockKind", "wait": "WaitKind", "account hold": "HoldKind", "baseline": "Baseline",
	"the merge": "MergeOutcome", "check of a step": "Checked", "coverage of an observable": "Coverage",
	"evidence": "EvidenceKind", "size": "Size", "proof": "ProofState",
	"finding": "FindingState", "decision": "DecisionKind", "wall": "Wall", "risk": "Risk", "siege": "Siege",
}

// TestSpecification compares the tables of docs/state-machine.md with the code. Both must
// have the same entries.
func TestSpecification(t *testing.T) {
	t.Parallel()
	found := map[string][]string{}
	for _, table := range pageTables(t, "state-machine.md") {
		for _, row := range table.Rows {
			words := codes(row.Cells[0])
			if len(words) == 0 {
				words = row.Cells[:1]
			}
			found[table.Columns[0]] = append(found[table.Columns[0]], words...)
		}
	}
	values := constants(t)
	want := map[string][]string{"rule": orchestration.RouteNames(), "input": inputKinds(t), "limit": slices.Collect(maps.Keys(limits()))}
	for of, name := range enumerations {
		want[of] = values[name]
	}
	want["stage"] = texts(orchestration.Stages)
	for _, role := range orchestration.ForkingRoles {
		want["forks"] = append(want["forks"], role.Name())
	}
	for of, words := range want {
		differ(t, of, found[of], words)
	}
	for of := range found {
		if want[of] == nil && !slices.Contains(prose, of) {
			t.Errorf("the page has a table of %q that no test reads", of)
		}
	}
}

// TestEveryListIsWhole checks that each list of all values of a type has all its
// constants.
func TestEveryListIsWhole(t *testing.T) {
	t.Parallel()
	values := constants(t)
	for name, list := range map[string][]string{
		"Role": texts(orchestration.Roles), "Phase": texts(orchestration.Phases), "Status": texts(orchestration.Statuses),
		"Gate": texts(orchestration.Gates), "Hold": texts(orchestration.Holds), "SignalKind": texts(orchestration.SignalKinds),
		"RunState": texts(orchestration.RunStates), "Outcome": texts(orchestration.Outcomes), "StartKind": texts(orchestration.StartKinds),
		"BlockKind": texts(orchestration.BlockKinds), "WaitKind": texts(orchestration.WaitKinds), "HoldKind": texts(orchestration.HoldKinds),
		"Baseline": texts(orchestration.Baselines), "Checked": texts(orchestration.CheckedWords), "NeedKind": texts(orchestration.NeedKinds),
		"WorkspaceMode": texts(orchestration.WorkspaceModes), "FindingState": texts(orchestration.FindingStates), "RemarkKind": texts(orchestration.RemarkKinds),
		"DecisionKind": texts(orchestration.DecisionKinds), "Size": texts(orchestration.Sizes),
		"Wall": texts(orchestration.Walls), "CallDecision": texts(orchestration.CallDecisions),
	} {
		for _, value := range values[name] {
			if !slices.Contains(list, value) {
				t.Errorf("the list of every %s lacks %q", name, value)
			}
		}
		if len(list) != len(values[name]) {
			t.Errorf("%s has %d values, and its list %v", name, len(values[name]), list)
		}
	}
	for _, stage := range values["Stage"] {
		if !slices.Contains(orchestration.Stages, orchestration.Stage(stage)) {
			t.Errorf("the list of every Stage lacks %q", stage)
		}
	}
}

func texts[T ~string](list []T) []string {
	words := make([]string, len(list))
	for i, word := range list {
		words[i] = string(word)
	}
	return words
}

// TestNeedsPage compares docs/needs.md with the kinds of needs.
func TestNeedsPage(t *testing.T) {
	t.Parallel()
	var found, kinds []string
	for _, table := range pageTables(t, "needs.md") {
		for _, row := range table.Rows {
			found = append(found, codes(row.Cells[0])...)
		}
	}
	for _, kind := range orchestration.NeedKinds {
		kinds = append(kinds, string(kind))
	}
	differ(t, "need", found, kinds)
}

func differ(t *testing.T, of string, page, have []string) {
	t.Helper()
	for _, word := range page {
		if !slices.Contains(have, word) {
			t.Errorf("%s: %q is on the page and not in the code", of, word)
		}
	}
	for _, word := range have {
		if !slices.Contains(page, word) {
			t.Errorf("%s: %q is in the code and not on the page", of, word)
		}
	}
	if len(page) != len(have) {
		t.Errorf("%s: %d rows on the page, %d values in the code", of, len(page), len(have))
	}
}

// TestSpecification_roles checks which signals each role may send, and which roles change
// files.
func TestSpecification_roles(t *testing.T) {
	t.Parallel()
	for _, row := range rowsOf(t, "role") {
		role := orchestration.Role(codes(row[0])[0])
		var may []string
		for _, kind := range orchestration.SignalsOf(role) {
			may = append(may, string(kind))
		}
		if got := codes(row[3]); !slices.Equal(got, may) {
			t.Errorf("%s may send %v; the page says %v", role, may, got)
		}
		if says := row[2] == "yes"; says != role.Writes() {
			t.Errorf("%s changes files: %v; the page says %q", role, role.Writes(), row[2])
		}
	}
}

// TestSpecification_signals checks which fields each signal needs. The refusal of a
// payload without any field names all of them.
func TestSpecification_signals(t *testing.T) {
	t.Parallel()
	p := withSteps(t, step("a"))
	r := p.at("a", orchestration.Codeweaver)
	for _, row := range rowsOf(t, "signal") {
		kind := orchestration.SignalKind(codes(row[0])[0])
		err := p.try(orchestration.SignalReceived{Run: r.ID, Signal: orchestration.Signal{Kind: kind, StepID: "a"}})
		var refused *orchestration.Error
		if !errors.As(err, &refused) {
			t.Fatalf("%s without its fields: %v", kind, err)
		}
		if got, want := slices.Sorted(slices.Values(codes(row[1]))), slices.Sorted(maps.Keys(refused.Fields)); !slices.Equal(got, want) {
			t.Errorf("%s needs %v; the page says %v", kind, want, got)
		}
	}
}

// TestSpecification_starts checks which starts resume a session. A retry may or may not.
func TestSpecification_starts(t *testing.T) {
	t.Parallel()
	for _, row := range rowsOf(t, "start") {
		kind := orchestration.StartKind(codes(row[0])[0])
		if says := row[1] == "resumed"; says != kind.Resumes() {
			t.Errorf("%s resumes: %v; the page says %q", kind, kind.Resumes(), row[1])
		}
	}
}

// TestSpecification_limits checks the default limits.
func TestSpecification_limits(t *testing.T) {
	t.Parallel()
	for _, row := range rowsOf(t, "limit") {
		name := codes(row[0])[0]
		want := strconv.Itoa(limits()[name])
		if name == "runs" { // not a number: the larger of two
			want = "500, or 20 for each step of the first plan if that is more"
			few, many := &orchestration.Quest{FirstPlan: 25}, &orchestration.Quest{FirstPlan: 26}
			if few.EffectiveLimits().Runs != 500 || many.EffectiveLimits().Runs != 520 {
				t.Error("the limit of runs is not the larger of 500 and 20 for each step")
			}
		}
		if row[1] != want {
			t.Errorf("%s is %s; the page says %q", name, want, row[1])
		}
	}
}

// rowsOf returns the rows of the only table whose first column has this heading.
func rowsOf(t *testing.T, of string) (rows [][]string) {
	t.Helper()
	for _, table := range pageTables(t, "state-machine.md") {
		if table.Columns[0] == of {
			for _, row := range table.Rows {
				rows = append(rows, row.Cells)
			}
			return rows
		}
	}
	t.Fatalf("the page has no table of %q", of)
	return nil
}

// limits returns the default limits by their names in JSON.
func limits() map[string]int {
	all := map[string]int{}
	v := reflect.ValueOf(orchestration.DefaultLimits)
	for i := range v.NumField() {
		all[v.Type().Field(i).Tag.Get("json")] = int(v.Field(i).Int())
	}
	return all
}

// sourceFiles parses the files of this package, without tests.
func sourceFiles(t *testing.T) []*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// constants returns the values of every type that has text constants, except "".
func constants(t *testing.T) map[string][]string {
	t.Helper()
	values := map[string][]string{}
	for _, f := range sourceFiles(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, is := n.(*ast.ValueSpec)
			if !is || len(spec.Values) != 1 {
				return true
			}
			of, named := spec.Type.(*ast.Ident)
			if text, is := spec.Values[0].(*ast.BasicLit); named && is && text.Value != `""` {
				value, _ := strconv.Unquote(text.Value)
				values[of.Name] = append(values[of.Name], value)
			}
			return true
		})
	}
	return values
}

// inputKinds returns the names of all inputs: the types with the method of an InputKind.
func inputKinds(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, f := range sourceFiles(t) {
		for _, d := range f.Decls {
			if method, is := d.(*ast.FuncDecl); is && method.Name.Name == "inputKind" {
				names = append(names, method.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	return names
}
