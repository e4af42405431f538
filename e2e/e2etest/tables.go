package e2etest

import (
	"fmt"
	"regexp"
	"strings"
)

// Table is a table of a document in Markdown.
type Table struct {
	Section, Part string // the headings above it: ## and, maybe, ###
	Columns       []string
	Rows          []Row
}

// Row is a row of a table.
type Row struct {
	Line  int // of the page, from 1
	Cells []string
}

var delimiter = regexp.MustCompile(`^\|(\s*:?-+:?\s*\|)+$`)

// Tables reads the tables of a document. Every line with a bar, outside a fenced
// block, belongs to a table. faults name the rows that cannot be read.
func Tables(page string) (tables []Table, faults []string) {
	var section, part string
	var open *Table
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
			tables = append(tables, Table{Section: section, Part: part, Columns: cells})
			open = &tables[len(tables)-1]
		case open == nil:
			faults = append(faults, fmt.Sprintf("line %d is a row of no table", i+1))
		case delimiter.MatchString(line) && len(open.Rows) == 0:
		case len(cells) != len(open.Columns):
			faults = append(faults, fmt.Sprintf("line %d has %d cells, not %d", i+1, len(cells), len(open.Columns)))
		default:
			open.Rows = append(open.Rows, Row{i + 1, cells})
		}
	}
	return tables, faults
}

// cellsOf splits a row into cells. A bar after a backslash belongs to its cell.
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
