package agents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"questboard/orchestration"
)

// maxReports is how much of all steps' reports one prompt quotes, in bytes.
const maxReports = 12 << 10

// reportsOf says in a line for each what was reported of the steps that are done, and which
// files they changed that they do not name.
func reportsOf(q *orchestration.Quest) string {
	var steps []*orchestration.Step
	for _, s := range q.Steps.All() {
		if s.Stage == orchestration.StageDone {
			steps = append(steps, s)
		}
	}
	var b strings.Builder
	for i, rep := range q.Reports(steps...) {
		var lines strings.Builder
		for _, t := range rep.Touched {
			lines.WriteString(rep.Step + ", " + t.Name() + ": ")
			if lines.WriteString(oneLine(t.Summary)); t.Summary == "" {
				lines.WriteString("changed it by hand")
			}
			lines.WriteString("\n")
		}
		undeclared := slices.DeleteFunc(slices.Clone(rep.Changed), func(f string) bool { return slices.Contains(steps[i].Files, f) })
		if len(undeclared) > 0 {
			lines.WriteString(rep.Step + " changed files that it does not name: " + oneLine(strings.Join(undeclared, ", ")) + "\n")
		}
		if b.Len()+lines.Len() > maxReports {
			b.WriteString("[and more]\n")
			break
		}
		b.WriteString(lines.String())
	}
	return b.String()
}

// maxSizes is how many files of a change a prompt lists with their sizes.
const maxSizes = 60

// sizesOf lists the files of a change with the lines that were added and removed, the
// largest first; "": nothing is known.
func sizesOf(list []FileSize) string {
	if len(list) == 0 {
		return ""
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b FileSize) int { return cmp.Compare(b.Added+b.Removed, a.Added+a.Removed) })
	var b strings.Builder
	added, removed := 0, 0
	for i, f := range list {
		added, removed = added+max(f.Added, 0), removed+max(f.Removed, 0)
		switch {
		case i >= maxSizes:
		case f.Added < 0:
			b.WriteString("binary or large: " + oneLine(f.File) + "\n")
		default:
			fmt.Fprintf(&b, "+%d -%d %s\n", f.Added, f.Removed, oneLine(f.File))
		}
	}
	fmt.Fprintf(&b, "%d in all: +%d -%d", len(list), added, removed)
	return b.String()
}
