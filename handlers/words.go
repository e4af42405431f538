package handlers

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

func cleanAll(list []string) []string {
	cleaned := make([]string, len(list))
	for i, s := range list {
		cleaned[i] = clean(s)
	}
	return cleaned
}

// typed is what a person wrote into a text area: browsers send CRLF.
func typed(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// oneLine is the first line, at most n characters.
func oneLine(s string, n int) string {
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

// roleName is safe to look at: a quest that came from elsewhere may have any role.
func roleName(r orchestration.Role) string { return clean(r.Name()) }

// lineTitle is what a line of work is called.
func lineTitle(s *orchestration.Step) string {
	switch {
	case s.ID == orchestration.LineRequirements:
		return "Requirements"
	case s.ID == orchestration.LinePlan:
		return "Plan"
	case s.ID == orchestration.LineReview:
		return "Review of the whole"
	case s.Title == "":
		return s.ID
	default:
		return clean(s.Title)
	}
}

// dollars has two digits; what is less than half a cent is not nothing.
func dollars(usd float64) string {
	if 0 < usd && usd < 0.005 {
		return "<$0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// sentence begins what the rules say in words with a capital letter, and calls
// a role by its name.
func sentence(s string) string {
	s = clean(s)
	first, rest, _ := strings.Cut(s, " ")
	for _, role := range orchestration.Roles {
		if first == string(role) {
			return strings.TrimSpace(roleName(role) + " " + rest)
		}
	}
	if s == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}
