package main_test

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"questboard/e2e/e2etest"
)

// houseTable is a table of docs/architecture.md: the names of its rows, each with the
// names in the last column.
type houseTable struct {
	names map[string][]string
	used  map[string]bool // a name, or a name with one that it allows
}

// readTables reads the tables of packages and of libraries. Each gets the title of its
// first column as its name. A row that is not a list of names is an error.
func readTables(page string) (map[string]*houseTable, error) {
	read, faults := e2etest.Tables(page)
	tables := map[string]*houseTable{}
	for _, t := range read {
		if t.Columns[0] != "package" && t.Columns[0] != "library" {
			continue
		}
		table := &houseTable{names: map[string][]string{}, used: map[string]bool{}}
		tables[t.Columns[0]] = table
		for _, r := range t.Rows {
			packages, ok := namesOf(r.Cells[0])
			last := r.Cells[len(r.Cells)-1]
			allowed, listed := namesOf(last)
			if !listed && last != "nothing" && last != "everything" || !ok {
				faults = append(faults, fmt.Sprintf("line %d is not a list of names", r.Line))
			}
			if !listed {
				allowed = []cellName{{text: last}}
			}
			for _, pkg := range packages {
				if table.names[pkg.text] != nil {
					faults = append(faults, pkg.text+" has two rows")
				}
				for _, name := range allowed {
					table.names[pkg.text] = append(table.names[pkg.text], name.text)
				}
			}
		}
	}
	if len(faults) > 0 {
		return nil, errors.New(strings.Join(faults, "; "))
	}
	return tables, nil
}

// imports returns the imports of each package of this module without its tests, for all
// systems and build tags.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, name := range sources(t) {
		if filepath.Ext(name) != ".go" {
			continue
		}
		pkg := path.Dir(filepath.ToSlash(name))
		found[pkg] = append(found[pkg], []string{}...)
		if strings.HasSuffix(name, "_test.go") || lines(t, name) == nil {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), name), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			found[pkg] = append(found[pkg], imported)
		}
	}
	return found
}

// misfits compares the tables with the imports, in both directions.
func misfits(packages, libraries *houseTable, imported map[string][]string) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for pkg, list := range imported {
		allowed, known := packages.names[pkg]
		if !known {
			fault("%s has no row: a new package needs one", pkg)
			continue
		}
		packages.used[pkg] = true
		for _, name := range list {
			ours, is := strings.CutPrefix(name, "questboard/")
			switch {
			case is && strings.HasSuffix(ours, "test"):
				fault("%s imports %s, which is for tests alone", pkg, ours)
			case is && !slices.Contains(allowed, ours) && !slices.Contains(allowed, "everything"):
				fault("%s may not import %s", pkg, ours)
			case is:
				packages.used[pkg+" "+ours] = true
			}
			for library, homes := range libraries.names {
				if prefix, whole := strings.CutSuffix(library, "/*"); name != library && (!whole || name != prefix && !strings.HasPrefix(name, prefix+"/")) {
					continue
				}
				libraries.used[library+" "+pkg] = true
				if !slices.Contains(homes, pkg) {
					fault("%s may not import %s", pkg, name)
				}
			}
		}
	}
	for pkg, allowed := range packages.names {
		if !packages.used[pkg] {
			fault("%s has a row, and there is no such package", pkg)
		}
		for _, name := range allowed {
			if name != "nothing" && name != "everything" && !packages.used[pkg+" "+name] {
				fault("%s may import %s and does not: take it out of the row", pkg, name)
			}
		}
	}
	for library, homes := range libraries.names {
		for _, pkg := range homes {
			if !libraries.used[library+" "+pkg] {
				fault("%s may be imported by %s and is not: take it out of the row", library, pkg)
			}
		}
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

func TestHouseImportTableHolds(t *testing.T) {
	t.Parallel()
	tables, err := readTables(strings.Join(lines(t, "docs/architecture.md"), "\n"))
	if err != nil || tables["package"] == nil || tables["library"] == nil {
		t.Fatalf("docs/architecture.md: %v", err)
	}
	for _, fault := range misfits(tables["package"], tables["library"], imports(t)) {
		t.Error(fault)
	}
}

// A table that allows everything would pass too, so this test shows that each kind of
// misfit is found.
func TestHouseImportTableFindsEveryMisfit(t *testing.T) {
	t.Parallel()
	const page = "| package | owns | may import |\n|---|---|---|\n| `a`, `b` | x | `c` |\n| `c` | x | nothing |\n| `d` | x | everything |\n\n" +
		"| library | packages |\n|---|---|\n| `lib.org/x/*` | `a` |\n"
	fits := map[string][]string{"a": {"questboard/c", "lib.org/x/y"}, "b": {"questboard/c"}, "c": {"fmt"}, "d": {"questboard/a", "questboard/b"}}
	for name, c := range map[string]struct {
		change func(map[string][]string)
		want   string
	}{
		"none":              {func(map[string][]string) {}, ""},
		"not allowed":       {func(m map[string][]string) { m["c"] = []string{"questboard/a"} }, "c may not import a"},
		"no row":            {func(m map[string][]string) { m["e"] = nil }, "e has no row: a new package needs one"},
		"no package":        {func(m map[string][]string) { delete(m, "d") }, "d has a row, and there is no such package"},
		"unused":            {func(m map[string][]string) { m["b"] = nil }, "b may import c and does not: take it out of the row"},
		"double":            {func(m map[string][]string) { m["d"] = []string{"questboard/xtest"} }, "d imports xtest, which is for tests alone"},
		"library elsewhere": {func(m map[string][]string) { m["c"] = []string{"lib.org/x"} }, "c may not import lib.org/x"},
		"library unused":    {func(m map[string][]string) { m["a"] = []string{"questboard/c"} }, "lib.org/x/* may be imported by a and is not: take it out of the row"},
	} {
		tables, err := readTables(page)
		if err != nil {
			t.Fatal(err)
		}
		imported := map[string][]string{}
		for pkg, list := range fits {
			imported[pkg] = slices.Clone(list)
		}
		c.change(imported)
		if got := strings.Join(misfits(tables["package"], tables["library"], imported), "; "); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
	for _, row := range []string{"| a | x | `c` |", "| `a` | x | c |", "| `a` | x | `c` `d` |", "| `c` | x | nothing |"} {
		if _, err := readTables(strings.Replace(page, "| `d` | x | everything |", row, 1)); err == nil {
			t.Errorf("the row %q is read", row)
		}
	}
}
