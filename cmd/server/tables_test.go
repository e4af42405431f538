package main_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"questboard/e2e/e2etest"
)

// The tables of docs/interfaces.md are compared with the program. In the first column,
// and in other columns that are compared, a cell has names in backticks, separated by
// commas. A dash means none. *not yet* precedes the name of something that is planned but
// does not exist. The other columns are for people, and must not be empty.

// cellName is one name in a cell.
type cellName struct {
	text  string
	later bool // it is marked *not yet*
}

// promise is what the program says about the tables below a heading.
type promise struct {
	heading string   // of a section, or of a part of one
	columns []string // the compared columns; the first one has the names of the things
	things  map[string]thing
}

// thing is what the compared columns must say about one thing, by column.
type thing map[string][]string

var (
	named = regexp.MustCompile("^(\\*not yet\\* )?`([^`]+)`$")
)

// compared returns the differences between a page and the program, as sentences.
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

// place returns the heading that a table belongs to: that of its part if there is a promise
// for it, or else that of its section.
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

// differs compares one table. seen counts the rows of each thing.
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

// differences compares the names in a cell with the real ones.
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
