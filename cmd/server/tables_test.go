package main_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"questboard/e2e/e2etest"
)

// A page of promises is Markdown with tables. In a table's first column, and in
// those that its promise names, stand names in backticks, separated by commas; a
// dash stands for none. Behind *not yet* stands the name of what is planned and
// not there. The other columns are for people, and never empty.

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
	named = regexp.MustCompile("^(\\*not yet\\* )?`([^`]+)`$")
)

// compared says where a page and the program differ, each difference a sentence.
func compared(page string, promises []promise) []string {
	tables, faults := e2etest.Tables(page)
	headings := map[string]bool{}
	for _, p := range promises {
		headings[p.heading] = true
	}
	for _, t := range tables {
		if !headings[place(t, headings)] {
			faults = append(faults, fmt.Sprintf("%s %s: nothing is compared with this table", t.Section, t.Part))
		}
	}
	for _, p := range promises {
		seen := map[string]int{}
		for _, t := range tables {
			if place(t, headings) == p.heading {
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
func place(t e2etest.Table, headings map[string]bool) string {
	if headings[t.Part] {
		return t.Part
	}
	return t.Section
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
func (p promise) differs(t e2etest.Table, seen map[string]int) (faults []string) {
	if len(t.Columns) < len(p.columns) || !slices.Equal(t.Columns[:len(p.columns)], p.columns) {
		return []string{fmt.Sprintf("%s: the columns are %q and must begin with %q", p.heading, t.Columns, p.columns)}
	}
	for _, r := range t.Rows {
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%s, line %d: ", p.heading, r.Line)+fmt.Sprintf(format, args...))
		}
		things, ok := namesOf(r.Cells[0])
		if !ok || len(things) == 0 {
			fault("%q is no list of names", r.Cells[0])
			continue
		}
		for i, cell := range r.Cells[len(p.columns):] {
			if cell == "" {
				fault("%s is empty", t.Columns[len(p.columns)+i])
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
				if _, ok := namesOf(r.Cells[i+1]); !ok {
					fault("%s of `%s`: %q is no list of names", column, n.text, r.Cells[i+1])
				} else if there {
					for _, difference := range differences(r.Cells[i+1], real[column]) {
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
