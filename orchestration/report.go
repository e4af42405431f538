package orchestration

import (
	"fmt"
	"strings"
)

// pullMost is how many bytes the text of a pull request has at most. GitHub takes 65,536
// characters.
const pullMost = 60_000

// PullText returns the text of a pull request, in Markdown: what was asked, and the
// report. What is too long is cut, the request first.
func (q *Quest) PullText() string {
	report := cutLines(q.Report(), pullMost-pullMost/3)
	return cutLines(q.Request, pullMost-len(report)-100) + "\n\n---\n\n" + report
}

// cutLines cuts a text after a line, and says so.
func cutLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = strings.ToValidUTF8(text[:most], "")
	if end := strings.LastIndexByte(text, '\n'); end > 0 {
		text = text[:end]
	}
	return text + "\n\n(The rest is cut: the text was too long.)\n"
}

// Report returns the outcome with all names, reasons and evidence, as Markdown for a pull
// request.
func (q *Quest) Report() string {
	o := q.Outcome()
	var b strings.Builder
	b.WriteString(o.Words() + ".\n")
	part := func(title string, lines []string) {
		for i, line := range lines {
			if i == 0 {
				b.WriteString("\n" + title + ":\n\n")
			}
			b.WriteString("- " + firstLine(line) + "\n")
		}
	}
	part("Skipped", o.SkippedLines("the user"))
	part("Done, but the check did not pass", o.CheckLines())
	part("Done by hand", o.ByHandLines())
	for _, r := range o.Remarks {
		part(map[RemarkKind]string{RemarkUnseen: "Not looked at again", RemarkNotMended: "Found by the review, not mended"}[r.Kind], r.Names)
	}
	part("Not covered", q.NotCoveredLines(o))
	part("Unproven", q.UnprovenLines(o))
	part("Changed for later quests, once it is trusted", o.RepoFiles)
	b.WriteString(q.provenMarkdown())
	return b.String()
}

// reportMost is how many observables a report names with their evidence.
const reportMost = 100

// provenMarkdown lists what is proven of each observable: step, evidence, commit.
func (q *Quest) provenMarkdown() string {
	var b strings.Builder
	named, left, last := 0, 0, ""
	for _, e := range q.Evidence() {
		if e.State != ProofGiven {
			continue
		}
		if id := e.Requirement + "\x00" + e.Observable.ID; id != last {
			last = id
			if named == reportMost {
				left++
				continue
			}
			named++
			b.WriteString("- " + firstLine(e.Observable.Text) + "\n")
		} else if left > 0 {
			continue
		}
		where := "the review"
		if e.Step != StepReview {
			where = firstLine(q.Step(e.Step).name())
		}
		line := fmt.Sprintf("  - %s: by %s %s", where, e.Kind.Words(), code(e.How))
		if at := e.Proof.Words(); at != "" {
			line += ", " + at
		}
		b.WriteString(line + "\n")
	}
	if left > 0 {
		fmt.Fprintf(&b, "- %d more\n", left)
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nProven:\n\n" + b.String()
}

// code is an agent's text as Markdown code: nothing in it is a link, a name or a picture.
func code(text string) string {
	return "`" + strings.ReplaceAll(firstLine(text), "`", "'") + "`"
}
