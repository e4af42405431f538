package web_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"questboard/orchestration"
)

// claims are words that must be true of what they are said about.
var claims = regexp.MustCompile(`(?i)\b(done|checked|reviewed|proven|proved|verdict|verified|green|passed|covered|completed?|finished|tested)\b`)

// rule is a sentence that pages may say, and when it is true. true is nil for a sentence
// that claims nothing, such as a label or an instruction.
type rule struct {
	words *regexp.Regexp
	holds func(s *tale, m []string, step string) bool
}

func says(words string, holds func(s *tale, m []string, step string) bool) rule {
	return rule{regexp.MustCompile(words), holds}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// eachOf reports whether is holds for all steps in a list.
func eachOf(s *tale, list string, is map[string]bool) bool {
	ids := s.named(list)
	for _, id := range ids {
		if !is[id] {
			return false
		}
	}
	return len(ids) > 0
}

// rules are all sentences that contain such a word. A new sentence has to be added here,
// with the condition that makes it true.
var rules = []rule{
	says(`(\d+) of (\d+) steps? done`, func(s *tale, m []string, _ string) bool {
		done, _, total := s.counts()
		return number(m[1]) == done && number(m[2]) == total
	}),
	says(`; (\d+) not done`, func(s *tale, m []string, _ string) bool {
		done, skipped, total := s.counts()
		return number(m[1]) == total-done-skipped
	}),
	says(`(\d+) of (\d+) observables? (?:is|are) not covered`, func(s *tale, m []string, _ string) bool {
		covered, of := s.covered()
		return number(m[1]) == of-covered && number(m[2]) == of
	}),
	says(`(\d+) of (\d+) observables proven`, func(s *tale, m []string, _ string) bool {
		_, of := s.covered()
		least, most := s.judged()
		return least <= number(m[1]) && number(m[1]) <= most && number(m[2]) == of
	}),
	says(`The check passed on each step that is done and on the complete work`, func(s *tale, _ []string, _ string) bool {
		done, _, _ := s.counts()
		return done > 0 && s.checked() == done && s.passed[orchestration.StepReview] && s.complete
	}),
	says(`The check passed on (\d+) steps?`, func(s *tale, m []string, _ string) bool { return number(m[1]) <= s.checked() }),
	says(`The check passed on the complete work`, func(s *tale, _ []string, _ string) bool { return s.complete && s.passed[orchestration.StepReview] }),
	says(`The check passed\b`, func(s *tale, _ []string, _ string) bool { // of an errand
		done, _, _ := s.counts()
		return s.errand && done > 0 && s.checked() == done
	}),
	says(`The complete work was besieged and reviewed`, func(s *tale, _ []string, _ string) bool { return s.complete && s.verdict && s.whole() }),
	says(`The complete work was besieged`, func(s *tale, _ []string, _ string) bool { return s.complete && s.whole() }),
	says(`by the siege at the end`, func(s *tale, _ []string, _ string) bool { return s.whole() }),
	says(`The complete work was reviewed`, func(s *tale, _ []string, _ string) bool { return s.complete && s.verdict }),
	says(`The last fixes were not reviewed again`, func(s *tale, _ []string, _ string) bool { return s.complete && !s.verdict }),
	says(`The complete work was not reviewed`, func(s *tale, _ []string, _ string) bool { return !s.complete }),
	says(`(?i)reviewed with the whole`, func(s *tale, _ []string, _ string) bool { return s.complete && s.proven }),
	says(`(?i)built and checked by ([^;)]+)`, func(s *tale, m []string, _ string) bool {
		return eachOf(s, m[1], s.done) && eachOf(s, m[1], s.passed)
	}),
	says(`(?i)built by ([^;)]+), not checked|built by ([^;)]+); (?:no record that the check passed|the check has only failures from before the first step)`, func(s *tale, m []string, _ string) bool {
		return eachOf(s, m[1]+m[2], s.done)
	}),
	says(`^Check: .*$`, func(s *tale, _ []string, _ string) bool { return s.everChecked }),
	says(`(?i)^\s*done, and the check passed`, func(s *tale, _ []string, step string) bool { return s.done[step] && s.passed[step] }),
	says(`(?i)^\s*done, not checked|^\s*done; (no record that the check passed|the check has only failures)|^\s*Done, (no passed check recorded|check fails as before)`,
		func(s *tale, _ []string, step string) bool { return s.done[step] }),
	says(`(?i)no record that the check passed: (?:being merged|waits to be merged)`, nil),
	says(`(?i)check passed: (?:being merged|waits to be merged)`, func(s *tale, _ []string, step string) bool { return s.passed[step] }),
	says(`^\s*done\s*$`, func(s *tale, _ []string, step string) bool { // behind a tick; of a whole step in the API
		return s.done[step]
	}),
	says(`; edge cases tested`, func(s *tale, _ []string, step string) bool { return s.sieged[step] }),
	says("- ([^:-]+): by (?:a command|a test|a place in the code) `[^`]*`(?:, proven at [0-9a-f]+)?(?:, changed since(?: in [0-9a-f]+)?)?", func(s *tale, m []string, _ string) bool {
		if m[1] == "the review" {
			return s.whole() || s.proven
		}
		return s.proves("") || eachOf(s, m[1], s.sieged)
	}),
	says(`(?i)proven (?:by (?:a command|a test|a place in the code)|at [0-9a-f]+(?:, changed since.*)?)`, func(s *tale, _ []string, step string) bool {
		return s.proves(step)
	}),
	says(`Complete, (?:not all (?:checked|covered|reviewed|proven)|(\d+) skipped)`, func(s *tale, m []string, _ string) bool {
		_, skipped, _ := s.counts()
		return s.complete && !s.green() && (m[1] == "" || number(m[1]) == skipped)
	}),
	says(`No step (?:was|is) done(?: yet)?`, func(s *tale, _ []string, _ string) bool {
		done, _, _ := s.counts()
		return done == 0
	}),
	says(`The complete work is not checked yet`, func(s *tale, _ []string, _ string) bool { return !s.complete }),
	says(`Complete, not reviewed`, func(s *tale, _ []string, _ string) bool { return s.complete && s.errand }),
	says(`(?i)not reviewed: errand`, func(s *tale, _ []string, _ string) bool { return s.errand || s.replaced[orchestration.StepErrand] }),
	says(`^Passed$`, func(s *tale, _ []string, step string) bool { return s.passed[step] || step == "" && s.everChecked }), // "": a run's
	says(`^Ward on .*: Passed, .*$`, func(s *tale, _ []string, _ string) bool { return s.everChecked }),
	says(`^passed$|^nothing has changed since the check last passed$`, func(s *tale, _ []string, _ string) bool { return s.everChecked }),
	says(`(?i)\breported done\b`, func(s *tale, _ []string, step string) bool {
		return s.reported[step] || step == "" && len(s.reported) > 0
	}),
	says(`^(?:Check|Command before the merge) passed(?: before the first step|, [0-9.ms ]+)?$|^Not checked again: nothing has changed since the check passed(?:, [0-9.ms ]+)?$`,
		func(s *tale, _ []string, _ string) bool { return s.everChecked }),
	says(`^This step is done, and it changed nothing\.$`, func(s *tale, _ []string, step string) bool {
		return s.done[step] || slices.Contains(orchestration.QuestWideSteps, step) // of these, stepIs checks what is green
	}),
	says(`^Step done$`, nil),      // from the history, which says what happened
	says(`^\s*Done\s*$`, nil),     // a badge or a column: stepIs checks what is green
	says(`^\s*Complete\s*$`, nil), // as above
}

// text checks a text: each claim in it must be in one of the sentences above, and its
// condition must hold.
func (w *witness) text(text, step string) {
	rest := strings.Join(strings.Fields(text), " ")
	if !claims.MatchString(rest) {
		return
	}
	whole := rest
	for _, r := range append(rules, labels...) {
		rest = r.words.ReplaceAllStringFunc(rest, func(said string) string {
			if m := r.words.FindStringSubmatch(rest); r.holds != nil && m != nil && !r.holds(w.s, r.words.FindStringSubmatch(said), step) {
				w.fail("%q is not true (step %q): %+v", said, step, *w.s)
			}
			return " "
		})
	}
	if claims.MatchString(rest) {
		w.fail("an unknown claim: %q in %q (step %q)", strings.TrimSpace(rest), whole, step)
	}
}

// labels claim nothing: they say what is not so, name a thing, or say what a control
// does.
var labels = []rule{
	says(`(?i)not covered( by any step|: .* not finished|: Lawbringer gave no verdict)?`, nil),
	says(`: (?:no record that it passed|not checked|it has only failures from before the first step, which were accepted)$`, nil), // a line of the delivery
	says(`No check ran on the result|No check has run on what is done|Not checked: .*|No record that the check passed: .*|The check has only failures from before the first step, which were accepted: .*`, nil),
	says(`(?i)the complete work was not checked|there is no record that the check passed on the complete work|on the complete work, the check has only failures from before the first step, which were accepted`, nil),
	says(`; not done: [^;)]+`, nil),
	says(`PathSeeker writes it once the requirements are done`, nil),
	says(`decides? when the plan is done|steps? in a row decides? when the plan is done`, nil),
	says(`Signal complete(: .*)?|^Next phase: complete|^Run ended: signalled: .*|^Reports: done$|signalled complete|^complete$`, nil),
	says(`\(?followup-done\)?|The step will not be done, but steps that depend on it can start`, nil),
	says(`(?i)the complete work is being reviewed`, nil),
	says(`(?i)not checked`, nil),
	says(`^Mark done$`, nil),
	says(`^What was done(?: so far)?$|Its agents are told what was asked and done here`, nil),
	says(`Done without a siege`, nil),
	says(`no (?:agent|check) starts until enough have finished|One appears when an agent reports that it is done|steps that passed the old one are checked again|is open again until that is done and reviewed|Then the work is reviewed`, nil),
	says(`(?i)no verdict yet|no evidence: .*`, nil),
	says(`None: nothing is checked|Done, but the check did not pass(: .*)?|: not checked\b`, nil),
	says(`(?:is|are) (?:not )?checked out|[oO]nce (?:the quest|it) is complete|The quest is not complete yet|(?i)(?:^|Lawbringer )reviews all the work before the quest is complete\.?$|while it is not complete`, nil),
}

// judged counts the observables that are proven at least (each step that has them is
// besieged and done, or the review is) and at most: for each step somebody has judged them.
func (s *tale) judged() (least, most int) {
	q := s.quest()
	for _, r := range q.Requirements {
		for _, o := range r.Observables {
			met, sieged, proven, done := false, true, true, true
			if slices.Contains(q.Step(orchestration.StepReview).Observables, o.ID) {
				met, sieged, proven, done = true, s.proven, s.proven, s.complete
			}
			for _, step := range q.Steps.All() {
				if step.Stage != orchestration.StageSuperseded && slices.Contains(step.Observables, o.ID) {
					met, sieged, proven = true, sieged && (s.sieged[step.ID] || s.whole()), proven && s.proves(step.ID)
					done = done && s.done[step.ID] && step.ByHand == ""
				}
			}
			most += count(met && proven)
			least += count(met && sieged && done)
		}
	}
	return least, most
}

// named finds the steps whose titles a sentence lists.
func (s *tale) named(list string) []string {
	var ids []string
	for _, name := range strings.Split(strings.TrimSpace(list), ", ") {
		name, _, _ = strings.Cut(name, " and ")
		for _, step := range s.quest().Steps.All() {
			if step.Title == name {
				ids = append(ids, step.ID)
			}
		}
	}
	return ids
}
