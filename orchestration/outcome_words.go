package orchestration

import (
	"fmt"
	"slices"
	"strings"
)

// The words for an outcome, for the API's why and for pages. All texts about what is
// done, checked or reviewed come from this file, and those about sieges from siege_words.go.

// Words describes the outcome of a quest that is over.
func (o QuestOutcome) Words() string {
	words := []string{o.stepWords()}
	if !o.Known {
		return strings.Join(append(words, "What was checked, reviewed and covered is not known"), ". ")
	}
	if n := len(o.NotCovered); n > 0 {
		is := "are"
		if n == 1 {
			is = "is"
		}
		words[0] += fmt.Sprintf("; %d of %s %s not covered", n, count(o.Asked, "observable", "observables"), is)
	}
	if n := len(o.Unproven); n > 0 {
		words[0] += fmt.Sprintf("; %s unproven", count(n, "observable is", "observables are"))
	}
	words = append(words, o.checkWords(true)...)
	if len(o.ByHand) > 0 {
		var names []string
		for _, s := range o.ByHand {
			names = append(names, s.Title)
		}
		words = append(words, "N"+byHandWords[1:]+": "+few(names))
	}
	words = append(words, o.siegeWords()...)
	if o.Unchanged {
		words = append(words, "Nothing was changed")
	}
	words = append(words, o.reviewWords()...)
	if len(o.RepoFiles) > 0 {
		words = append(words, repoFilesWords(o.RepoFiles))
	}
	return strings.Join(words, ". ")
}

// CheckWords describes the results of the check; "": there is nothing that it could have
// run on. Until the quest is over, what is not checked can still be.
func (o QuestOutcome) CheckWords(over bool) string { return strings.Join(o.checkWords(over), ". ") }

// ReviewWords describes how the review of a complete quest ended; "": there was nothing to
// review.
func (o QuestOutcome) ReviewWords() string { return strings.Join(o.reviewWords(), ". ") }

func (o QuestOutcome) reviewWords() []string {
	var words []string
	switch {
	case o.Errand:
		words = append(words, "N"+ErrandWords[1:])
	case o.Reviewed, len(o.Remarks) > 0:
		said := "The complete work was reviewed"
		if o.Besieged {
			said = "The complete work was besieged and reviewed"
		}
		if !o.Reviewed {
			said = "The review used up its rounds"
			if o.Besieged {
				words = append(words, "The complete work was besieged")
			}
		}
		for _, r := range o.Remarks {
			said += "; " + r.Words()
		}
		words = append(words, said)
	case o.Whole != CheckedNotYet: // an older version had no further review
		words = append(words, "The last fixes were not reviewed again")
	case o.Done > 0:
		words = append(words, "The complete work was not reviewed")
	}
	return words
}

// repoFilesWords says what a change of the repository's own file means.
func repoFilesWords(files []string) string {
	return "The quest changed " + few(files) + ": this counts from the next quest on, after you have trusted it"
}

// Words describes what the review ended with.
func (r Remark) Words() string {
	names := few(r.Names)
	if names == "" {
		names = "what was changed last"
	}
	switch r.Kind {
	case remarkUnseen:
		return "not looked at again: " + names
	case remarkNotMended:
		return "found, not mended: " + names
	}
	return names
}

// FindingWords says where a finding is, what it is, and what became of it.
func (q *Quest) FindingWords(f Finding) string {
	what := firstLine(f.What)
	if what == "" {
		what = "what was changed last"
	}
	if f.Where != "" {
		what = firstLine(f.Where) + ": " + what
	}
	by := ""
	if r := q.Run(f.By); r != nil {
		if by = " by " + r.Role.Name(); f.Commit != "" {
			by += " in " + f.Commit[:min(len(f.Commit), 10)]
		}
	} else if len(f.Steps) > 0 {
		by = " by " + few(q.names(f.Steps))
	}
	switch f.State {
	case FindingOpen:
		if len(f.Steps) > 0 {
			return what + " (planned as " + few(q.names(f.Steps)) + ")"
		}
		return what + " (being mended)"
	case FindingMended:
		return what + " (mended" + by + ")"
	case FindingUnchanged:
		return what + " (nothing was changed for it)"
	case FindingUnseen:
		return what + " (mended" + by + ", not looked at again)"
	case FindingStands:
		return what + " (not mended)"
	}
	return what
}

func (o QuestOutcome) stepWords() string {
	words := fmt.Sprintf("%d of %s done", o.Done, count(o.Total, "step", "steps"))
	if o.Skipped > 0 {
		words += fmt.Sprintf(", %d skipped", o.Skipped)
		var names []string
		for _, s := range o.SkippedSteps {
			names = append(names, s.Title)
		}
		if len(names) > 0 {
			words += ": " + few(names)
		}
	}
	if left := o.Left(); left > 0 {
		words += fmt.Sprintf("; %d not done", left)
	}
	return words
}

// checkWords describes the results of the check: in one sentence if all steps have the
// same.
func (o QuestOutcome) checkWords(over bool) []string {
	of := map[Checked][]string{}
	for _, c := range o.Checks {
		of[c.Checked] = append(of[c.Checked], c.Title)
	}
	some := o.Done > len(of[CheckedNot]) || o.Whole != CheckedNot && o.Whole != CheckedNotYet
	switch {
	case o.Done == 0 && o.Whole == CheckedNotYet:
		return nil
	case !some && !over:
		return []string{"No check has run on what is done"}
	case !some:
		return []string{"No check ran on the result"}
	case len(o.Checks) == 0 && o.Errand:
		return []string{"The check passed"}
	case len(o.Checks) == 0 && o.Whole == CheckedPassed && o.Done > 0:
		return []string{"The check passed on each step that is done and on the complete work"}
	}
	var words []string
	if passed := o.Done - len(o.Checks); passed > 0 {
		words = append(words, fmt.Sprintf("The check passed on %s", count(passed, "step", "steps")))
	}
	for _, c := range []struct {
		is    Checked
		words string
	}{
		{CheckedNot, "Not checked: "},
		{CheckedAsBase, "The check has only failures from before the first step, which were accepted: "},
		{CheckedUnknown, "No record that the check passed: "},
	} {
		if names := of[c.is]; len(names) > 0 {
			words = append(words, c.words+few(names))
		}
	}
	switch {
	case o.Errand:
		return words
	case o.Whole == CheckedNotYet && !over:
		return append(words, "The complete work is not checked yet")
	}
	return append(words, wholeWords[o.Whole])
}

var wholeWords = map[Checked]string{
	CheckedPassed:  "The check passed on the complete work",
	CheckedAsBase:  "On the complete work, the check has only failures from before the first step, which were accepted",
	CheckedNot:     "The complete work was not checked",
	CheckedNotYet:  "The complete work was not checked",
	CheckedUnknown: "There is no record that the check passed on the complete work",
}

// few lists the first names of a long list.
func few(names []string) string {
	const most = 3
	var said []string
	for _, name := range names[:min(len(names), most)] {
		said = append(said, clip(name))
	}
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(said, ", "), more)
	}
	return strings.Join(said, ", ")
}

// byHandWords says what a step lacks that a person marked done.
const byHandWords = "not besieged: by hand"

// ErrandWords says what an errand lacks that nobody reviewed.
const ErrandWords = "not reviewed: errand"

// SkippedWords says who skipped a step, and why.
func SkippedWords(by, reason string) string {
	if blank(reason) {
		return "skipped by " + by + ", no reason given"
	}
	return "skipped by " + by + ": " + reason
}

// Words describes the state of an observable. names are the titles of c.Steps, and
// beside those of c.Beside.
func (c Covered) Words(names, beside []string) string {
	by := few(names)
	switch c.State {
	case CoverageOpen:
		return "open"
	case CoverageLost:
		return "no longer asked; still in " + by
	case CoverageWorking:
		return "in progress: " + by
	case CoverageSkipped:
		return "not built, because these steps were skipped: " + by
	case CoverageNone:
		if c.Why != "" {
			return "left out by the plan: " + c.Why
		}
		if slices.Contains(c.Steps, StepReview) {
			return "not covered: Lawbringer gave no verdict"
		}
		if len(names) > 0 {
			return "not covered: " + by + " not finished"
		}
		return "not covered by any step"
	case CoverageBuilt:
		if slices.Equal(c.Steps, []string{StepReview}) {
			return "reviewed with the whole"
		}
	}
	words := map[Checked]string{
		CheckedPassed:  "built and checked by " + by,
		CheckedAsBase:  "built by " + by + "; the check has only failures from before the first step",
		CheckedNot:     "built by " + by + ", not checked",
		CheckedUnknown: "built by " + by + "; no record that the check passed",
	}[c.Checked]
	if len(beside) > 0 {
		words += "; not done: " + few(beside)
	}
	return words
}

// SkippedLines names each step that was skipped, by whom and why.
func (o QuestOutcome) SkippedLines(by string) []string {
	var lines []string
	for _, s := range o.SkippedSteps {
		lines = append(lines, s.Title+": "+SkippedWords(by, s.Reason))
	}
	return lines
}

// CheckLines names each step that is done although its check did not plainly pass.
func (o QuestOutcome) CheckLines() []string {
	var lines []string
	for _, c := range o.Checks {
		lines = append(lines, c.Title+": "+map[Checked]string{
			CheckedAsBase: "it has only failures from before the first step, which were accepted",
			CheckedNot:    "not checked", CheckedUnknown: "no record that it passed", CheckedNotYet: "no record that it passed",
		}[c.Checked])
	}
	return lines
}

// ByHandLines names each step that a person did.
func (o QuestOutcome) ByHandLines() []string {
	var lines []string
	for _, s := range o.ByHand {
		lines = append(lines, s.Title+": "+byHandWords)
	}
	return lines
}

// NotCoveredLines names each observable that is not covered, and why.
func (q *Quest) NotCoveredLines(o QuestOutcome) []string {
	texts := q.texts()
	var lines []string
	for _, c := range o.NotCovered {
		lines = append(lines, texts[c.Observable]+" ("+c.Words(q.names(c.Steps), nil)+")")
	}
	return lines
}

// UnprovenLines names each observable that the verdict on a step did not prove, and why.
func (q *Quest) UnprovenLines(o QuestOutcome) []string {
	texts := q.texts()
	var lines []string
	for _, p := range o.Unproven {
		why := p.State.Words()
		if p.Why != "" {
			why = p.Why
		}
		lines = append(lines, texts[p.Observable]+" ("+q.names([]string{p.Step})[0]+": "+firstLine(why)+")")
	}
	return lines
}

// Words describes the state. Evidence that was given has words of its own.
func (s ProofState) Words() string {
	return map[ProofState]string{
		ProofGiven:    "proven",
		ProofUnproven: "unproven",
		ProofOpen:     "no verdict yet",
		ProofByHand:   "no evidence: done by hand",
		ProofSkipped:  "no evidence: skipped",
		ProofLeft:     "no evidence: the review ended with a hand-over",
		ProofBefore:   "unknown: before evidence was asked",
		ProofLater:    "no evidence: the step was given it after its verdict",
		ProofNowhere:  "no evidence: no step has it",
	}[s]
}

// Words says how many observables are proven.
func (c ProofCounts) Words() string {
	words := fmt.Sprintf("%d of %d observables proven", c.Proven, c.All)
	if c.Changed > 0 {
		words += fmt.Sprintf(", %d of them changed since", c.Changed)
	}
	if c.Unproven > 0 {
		words += fmt.Sprintf("; %d unproven", c.Unproven)
	}
	if c.Missing > 0 {
		words += fmt.Sprintf("; %d without evidence", c.Missing)
	}
	return words
}

// Words names the kind, as in "proven by a test".
func (k EvidenceKind) Words() string {
	return map[EvidenceKind]string{ByCommand: "a command", ByTest: "a test", ByPlace: "a place in the code"}[k]
}

// Words says of which commit evidence is true, and whether its files changed since.
func (p Proof) Words() string {
	var words []string
	if p.Commit != "" {
		words = append(words, "proven at "+short(p.Commit))
	}
	if p.Changed && p.ChangedIn == "" {
		words = append(words, "changed since")
	} else if p.Changed {
		words = append(words, "changed since in "+short(p.ChangedIn))
	}
	return strings.Join(words, ", ")
}

// short is how pages show a commit.
func short(commit string) string { return commit[:min(len(commit), 10)] }

func (q *Quest) names(ids []string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = q.Step(id).name()
	}
	return names
}
