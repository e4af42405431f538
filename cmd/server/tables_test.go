package main_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A page of promises is Markdown with tables. In a table's first column, and in
// those that its promise names, stand names in backticks, separated by commas; a
// dash stands for none. Behind *not yet* stands the name of what is planned and
// not there. The other columns are for people, and never empty.

// pageTable is one of a page's tables.
type pageTable struct {
	section, part string // the headings above it: ## and, maybe, ###
	columns       []string
	rows          []pageRow
}

type pageRow struct {
	line  int // of the page, from 1
	cells []string
}

// cellName is one of the names in a cell.
type cellName struct {
	text  string
	later bool // it is marked *not yet*
}

// promise is what the program says of the things in the tables under a heading.
type promise struct {
	heading string   // of a section, or of a part
	columns []string // those that are compared, the one of the things first
	things  map[string]thing
}

// thing is what the compared columns must say of one thing, by column.
type thing map[string][]string

var (
	delimiter = regexp.MustCompile(`^\|(\s*:?-+:?\s*\|)+$`)
	named     = regexp.MustCompile("^(\\*not yet\\* )?`([^`]+)`$")
)

// compared says where a page and the program differ, each difference a sentence.
func compared(page string, promises []promise) []string {
	tables, faults := tablesOf(page)
	headings := map[string]bool{}
	for _, p := range promises {
		headings[p.heading] = true
	}
	for _, t := range tables {
		if !headings[t.place(headings)] {
			faults = append(faults, fmt.Sprintf("%s %s: nothing is compared with this table", t.section, t.part))
		}
	}
	for _, p := range promises {
		seen := map[string]int{}
		for _, t := range tables {
			if t.place(headings) == p.heading {
				faults = append(faults, p.differs(t, seen)...)
			}
		}
		for _, missing := range slices.Sorted(maps.Keys(p.things)) {
			if seen[missing] == 0 {
				faults = append(faults, fmt.Sprintf("%s: no row tells of `%s`", p.heading, missing))
			}
		}
	}
	return faults
}

// place is the heading that a table belongs to: that of its part, where something
// is promised under it, else that of its section.
func (t pageTable) place(headings map[string]bool) string {
	if headings[t.part] {
		return t.part
	}
	return t.section
}

// tablesOf reads a page's tables. Every line with a bar is one of a table.
func tablesOf(page string) (tables []pageTable, faults []string) {
	var section, part string
	var open *pageTable
	fenced := false
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced || !strings.Contains(line, "|") {
			open = nil
			if heading, is := strings.CutPrefix(line, "## "); is && !fenced {
				section, part = heading, ""
			} else if heading, is := strings.CutPrefix(line, "### "); is && !fenced {
				part = heading
			}
			continue
		}
		cells, whole := cellsOf(line)
		switch {
		case !whole:
			faults = append(faults, fmt.Sprintf("line %d does not begin and end with a bar", i+1))
		case open == nil && i+1 < len(lines) && delimiter.MatchString(lines[i+1]):
			tables = append(tables, pageTable{section: section, part: part, columns: cells})
			open = &tables[len(tables)-1]
		case open == nil:
			faults = append(faults, fmt.Sprintf("line %d is a row of no table", i+1))
		case delimiter.MatchString(line) && len(open.rows) == 0:
		case len(cells) != len(open.columns):
			faults = append(faults, fmt.Sprintf("line %d has %d cells, not %d", i+1, len(cells), len(open.columns)))
		default:
			open.rows = append(open.rows, pageRow{i + 1, cells})
		}
	}
	return tables, faults
}

// cellsOf takes a row apart; a bar behind a backslash belongs to its cell.
func cellsOf(line string) (cells []string, whole bool) {
	const bar = "\x00"
	line = strings.ReplaceAll(line, `\|`, bar)
	inner, begins := strings.CutPrefix(line, "|")
	inner, ends := strings.CutSuffix(inner, "|")
	for _, cell := range strings.Split(inner, "|") {
		cells = append(cells, strings.ReplaceAll(strings.TrimSpace(cell), bar, "|"))
	}
	return cells, begins && ends
}

// namesOf reads the names in a cell.
func namesOf(cell string) (names []cellName, ok bool) {
	if cell == "–" {
		return nil, true
	}
	for _, part := range strings.Split(cell, ", ") {
		found := named.FindStringSubmatch(part)
		if found == nil {
			return nil, false
		}
		names = append(names, cellName{found[2], found[1] != ""})
	}
	return names, true
}

// differs compares one table; seen counts the rows of each thing.
func (p promise) differs(t pageTable, seen map[string]int) (faults []string) {
	if len(t.columns) < len(p.columns) || !slices.Equal(t.columns[:len(p.columns)], p.columns) {
		return []string{fmt.Sprintf("%s: the columns are %q and must begin with %q", p.heading, t.columns, p.columns)}
	}
	for _, r := range t.rows {
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%s, line %d: ", p.heading, r.line)+fmt.Sprintf(format, args...))
		}
		things, ok := namesOf(r.cells[0])
		if !ok || len(things) == 0 {
			fault("%q is no list of names", r.cells[0])
			continue
		}
		for i, cell := range r.cells[len(p.columns):] {
			if cell == "" {
				fault("%s is empty", t.columns[len(p.columns)+i])
			}
		}
		for _, n := range things {
			if seen[n.text]++; seen[n.text] > 1 {
				fault("`%s` has a row already", n.text)
			}
			real, there := p.things[n.text]
			switch {
			case there && n.later:
				fault("`%s` is there: take *not yet* away", n.text)
			case !there && !n.later:
				fault("there is no `%s`", n.text)
			}
			for i, column := range p.columns[1:] {
				if _, ok := namesOf(r.cells[i+1]); !ok {
					fault("%s of `%s`: %q is no list of names", column, n.text, r.cells[i+1])
				} else if there {
					for _, difference := range differences(r.cells[i+1], real[column]) {
						fault("%s of `%s`: %s", column, n.text, difference)
					}
				}
			}
		}
	}
	return faults
}

// differences compares the names in a cell with those that there are.
func differences(cell string, real []string) (all []string) {
	names, _ := namesOf(cell)
	seen := map[string]bool{}
	for _, n := range names {
		switch there := slices.Contains(real, n.text); {
		case seen[n.text]:
			all = append(all, fmt.Sprintf("`%s` stands there twice", n.text))
		case there && n.later:
			all = append(all, fmt.Sprintf("`%s` is there: take *not yet* away", n.text))
		case !there && !n.later:
			all = append(all, fmt.Sprintf("there is no `%s`", n.text))
		}
		seen[n.text] = true
	}
	for _, text := range real {
		if !seen[text] {
			all = append(all, fmt.Sprintf("`%s` is missing", text))
		}
	}
	return all
}
