package agents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"questboard/orchestration"
)

const (
	// maxReports is how much of all steps' reports one prompt quotes, in bytes.
	maxReports = 12 << 10
	// maxReport is how much of one summary, in characters: known edges stand at its end.
	maxReport = 1500
)

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
			if lines.WriteString(lineOf(t.Summary, maxReport)); t.Summary == "" {
				lines.WriteString("changed it by hand")
			}
			lines.WriteString("\n")
		}
		undeclared := slices.DeleteFunc(slices.Clone(rep.Changed), func(f string) bool { return slices.Contains(steps[i].Files, f) })
		if len(undeclared) > 0 {
			lines.WriteString(rep.Step + " changed files that it does not name: " + oneLine(strings.Join(undeclared, ", ")) + "\n")
		}
		untouched := slices.DeleteFunc(slices.Clone(steps[i].Files), func(f string) bool { return slices.Contains(rep.Changed, f) })
		if len(rep.Changed) > 0 && len(untouched) > 0 {
			lines.WriteString(rep.Step + " names files that it did not change: " + oneLine(strings.Join(untouched, ", ")) + "\n")
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

// maxEvidence is how much of the evidence one prompt quotes, in bytes.
const maxEvidence = 8 << 10

// evidenceOf says in a line for each observable and step how it was proven there.
func evidenceOf(q *orchestration.Quest) string {
	var lines []string
	for _, e := range q.Evidence() {
		if e.Step == orchestration.StepReview {
			continue // it is this role's to prove
		}
		line := e.Observable.ID
		if e.Step != "" {
			line += ", " + e.Step
		}
		if e.State.Gap() {
			line += ": " + e.State.Words()
		} else {
			line += ": " + string(e.Kind) + " " + oneLine(e.How)
		}
		if e.Proof.Changed {
			line += " (its files have changed since)"
		}
		lines = append(lines, line)
	}
	return listOf(lines, maxEvidence)
}

// listOf writes each line on its own, as long as they have most bytes together.
func listOf(lines []string, most int) string {
	var b strings.Builder
	for _, line := range lines {
		if b.Len()+len(line) > most {
			b.WriteString("[and more]\n")
			break
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// maxToMend is how much of the findings one prompt quotes, in bytes.
const maxToMend = 24 << 10

// toMend lists the open findings of the review, a line each. It is empty if Lawbringer
// named none beside the reason of its hand-over.
func toMend(q *orchestration.Quest, r *orchestration.Run) string {
	if r.Step != orchestration.StepReview || r.Role == orchestration.Lawbringer {
		return ""
	}
	var lines []string
	for _, f := range q.Step(orchestration.StepReview).Findings {
		look := q.Run(f.Run)
		if f.State != orchestration.FindingOpen || len(f.Steps) > 0 || look == nil || look.Signal == nil || len(look.Signal.Findings) == 0 {
			continue
		}
		line := oneLine(f.What)
		if f.Where != "" {
			line = oneLine(f.Where) + ": " + line
		}
		lines = append(lines, line)
	}
	return listOf(lines, maxToMend)
}

// afterWords says what becomes of the requirements or the plan after complete.
func afterWords(q *orchestration.Quest, r *orchestration.Run) string {
	switch {
	case r.Step == orchestration.StepRequirements && q.Errand() && !gated(q):
		return "After `complete` the errand begins: nobody confirms it."
	case r.Step == orchestration.StepRequirements && q.Errand():
		return "After `complete` a person reads why it is an errand, and starts it or makes the quest full."
	case r.Step == orchestration.StepRequirements && q.GateRequirements == orchestration.GateOff:
		return "After `complete` the requirements are locked and planning begins: nobody confirms them."
	case r.Step == orchestration.StepRequirements:
		return "After `complete` a person reads the requirements, and approves them or says what to change."
	case r.Step == orchestration.StepPlan && q.GatePlan == orchestration.GateOff:
		return "After `complete` the plan is in force: nobody confirms it."
	case r.Step == orchestration.StepPlan:
		return "After `complete` a person reads the plan, and approves it or says what to change."
	}
	return ""
}
