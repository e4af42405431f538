package orchestration

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
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

var fence = regexp.MustCompile("(?m)^ {0,3}```")

// cutLines cuts a text after a line, and says so.
func cutLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = strings.ToValidUTF8(text[:most], "")
	if end := strings.LastIndexByte(text, '\n'); end > 0 {
		text = text[:end]
	}
	if len(fence.FindAllString(text, -1))%2 == 1 {
		text += "\n```"
	}
	return text + "\n\n(The rest is cut: the text was too long.)\n"
}

// Report returns the outcome with all names, reasons and evidence, as Markdown for a pull
// request.
func (q *Quest) Report() string {
	o := q.Outcome()
	var b strings.Builder
	b.WriteString(markdown(o.Words()) + ".\n")
	part := func(title string, lines []string) {
		for i, line := range lines {
			if i == 0 {
				b.WriteString("\n" + title + ":\n\n")
			}
			b.WriteString("- " + markdown(firstLine(line)) + "\n")
		}
	}
	part("Skipped", o.SkippedLines("the user"))
	part("Done, but the check did not pass", o.CheckLines())
	part("Done by hand", o.ByHandLines())
	part("Done without a siege", o.NoSiegeLines())
	for _, r := range o.Remarks {
		part(map[RemarkKind]string{remarkUnseen: "Not looked at again", remarkNotMended: "Found by the review, not mended"}[r.Kind], r.Names)
	}
	part("Not covered", q.NotCoveredLines(o))
	part("Unproven", q.UnprovenLines(o))
	part("Changed for later quests, once it is trusted", o.RepoFiles)
	b.WriteString(q.provenMarkdown())
	return b.String()
}

// reportMost is how many observables a report names with their evidence.
const reportMost = 100

// provenMarkdown lists the observables for which a step has evidence: each step, its
// evidence or why it has none, and the commit.
func (q *Quest) provenMarkdown() string {
	var b strings.Builder
	named, left := 0, 0
	for group := range groups(q.Evidence()) {
		if !slices.ContainsFunc(group, func(e Proven) bool { return e.State == ProofGiven }) {
			continue
		}
		if named == reportMost {
			left++
			continue
		}
		named++
		b.WriteString("- " + markdown(firstLine(group[0].Observable.Text)) + "\n")
		for _, e := range group {
			b.WriteString("  - " + q.provenLine(e) + "\n")
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "- %d more\n", left)
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n" + q.ProofCounts().Words() + ":\n\n" + b.String()
}

// groups yields the neighbours that are about the same observable.
func groups(all []Proven) iter.Seq[[]Proven] {
	return func(yield func([]Proven) bool) {
		for len(all) > 0 {
			n := 1
			for n < len(all) && all[n].Requirement == all[0].Requirement && all[n].Observable.ID == all[0].Observable.ID {
				n++
			}
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}

func (q *Quest) provenLine(e Proven) string {
	where := "the review"
	if e.Step != StepReview {
		where = markdown(firstLine(q.Step(e.Step).name()))
	}
	switch {
	case e.State == ProofUnproven:
		if by := e.ByWords(); by != "" {
			where += " " + by
		}
		return where + ": unproven: " + code(e.How)
	case e.State != ProofGiven:
		return where + ": " + e.State.Words()
	}
	line := where + ": by " + e.Kind.Words() + " " + code(e.How)
	if by := e.ByWords(); by != "" {
		line += " " + by
	}
	if at := e.Proof.Words(); at != "" {
		line += ", " + at
	}
	return line
}

// code is the first line of an agent's text as Markdown code: nothing in it is a link, a
// name or a picture.
func code(text string) string {
	return "`" + strings.ReplaceAll(plain(firstLine(text)), "`", "'") + "`"
}

// special is what Markdown, or GitHub's Markdown, would not show as it is written.
var special = regexp.MustCompile("[\\\\`*_\\[\\]<>~|]")

// mention is what GitHub makes a link of, and tells somebody: @name, #12, GH-12.
var mention = regexp.MustCompile(`(?i)(@|#|\bgh-)(\w)`)

// markdown returns a text as plain text of Markdown, in one line.
func markdown(text string) string {
	const joiner = "\u2060" // invisible
	return mention.ReplaceAllString(special.ReplaceAllString(plain(text), `\$0`), "${1}"+joiner+"${2}")
}

// plain returns a text without control characters.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
