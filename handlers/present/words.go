package present

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"questboard/orchestration"
	"questboard/views"
)

// clean makes a text of an agent, a repository or a person safe to show.
func clean(s string) string { return views.Visible(s) }

// CleanAll makes every text of a list safe to show.
func CleanAll(list []string) []string {
	cleaned := make([]string, len(list))
	for i, s := range list {
		cleaned[i] = clean(s)
	}
	return cleaned
}

// OneLine returns the first line of a text, at most n characters of it.
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

// Sentence begins a text with a capital letter.
func Sentence(s string) string {
	s = clean(s)
	if s == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// StepTitle is the title of a step.
func StepTitle(s *orchestration.Step) string {
	switch {
	case s.ID == orchestration.StepRequirements:
		return "Requirements"
	case s.ID == orchestration.StepPlan:
		return "Plan"
	case s.ID == orchestration.StepReview:
		return "Final review"
	case s.ID == orchestration.StepBaseline && s.Whole(): // a plan of an older version may have such a step
		return "Check of the base"
	case s.Title == "":
		return s.ID
	default:
		return clean(s.Title)
	}
}

// Bytes writes a size in a unit that fits it.
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

// priorityWords marks a priority that is not normal.
func priorityWords(p orchestration.Priority) string {
	if p == orchestration.PriorityNormal {
		return ""
	}
	return clean(p.Word()) + " priority"
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

// Busy counts the agents at work, each in a slot.
func Busy(q *orchestration.Quest) int {
	n := 0
	for _, r := range q.OpenRuns() {
		if r.Live() && r.Role.Agent() {
			n++
		}
	}
	return n
}
