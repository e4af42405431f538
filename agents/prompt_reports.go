package agents

import (
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
