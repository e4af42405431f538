package present

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"questboard/orchestration"
	"questboard/views"
)

// clean makes text of agents, repositories and people safe to look at.
func clean(s string) string { return views.Visible(s) }

// CleanAll makes each text of a list safe to look at.
func CleanAll(list []string) []string {
	cleaned := make([]string, len(list))
	for i, s := range list {
		cleaned[i] = clean(s)
	}
	return cleaned
}

// OneLine is the first line, at most n characters.
func OneLine(s string, n int) string {
	line, _, more := strings.Cut(strings.TrimSpace(s), "\n")
	line = clean(line)
	if r := []rune(line); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	if more {
		return line + " …"
	}
	return line
}

// Sentence begins what the rules say in words with a capital letter.
func Sentence(s string) string {
	s = clean(s)
	if s == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// StepTitle is what a step is called.
func StepTitle(s *orchestration.Step) string {
	switch {
	case s.ID == orchestration.StepRequirements:
		return "Requirements"
	case s.ID == orchestration.StepPlan:
		return "Plan"
	case s.ID == orchestration.StepReview:
		return "Final review"
	case s.Title == "":
		return s.ID
	default:
		return clean(s.Title)
	}
}

// Dollars has two digits; what is less than half a cent is not nothing.
func Dollars(usd float64) string {
	if 0 < usd && usd < 0.005 {
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Bytes says a size as people do.
func Bytes(n int64) string {
	size, unit := float64(n), "bytes"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if size < 1024 {
			break
		}
		size, unit = size/1024, next
	}
	if unit == "bytes" || size >= 100 {
		return fmt.Sprintf("%.0f %s", size, unit)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}

// OpenQuestions returns the open questions of a quest, oldest first.
func OpenQuestions(q *orchestration.Quest) []*orchestration.Question {
	if q.Over() {
		return nil
	}
	var open []*orchestration.Question
	for _, question := range q.Questions.All() {
		if question.Open() {
			open = append(open, question)
		}
	}
	return open
}

// Busy counts the runs that hold a slot.
func Busy(q *orchestration.Quest) int {
	n := 0
	for _, r := range q.OpenRuns() {
		if r.Live() {
			n++
		}
	}
	return n
}
