package handlers

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"questboard/orchestration"
)

// clean makes text of agents, repositories and people safe to look at: markup
// is the views' business, but control characters, bidirectional overrides and
// broken UTF-8 would pass any escaping. They become visible signs.
func clean(s string) string {
	if !strings.ContainsFunc(s, deceives) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\r':
		case !deceives(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r) // the control pictures
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

func deceives(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	default:
		return r == 0x2028 || r == 0x2029 || r == 0xfeff
	}
}

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

func roleName(r orchestration.Role) string {
	switch r {
	case orchestration.ChaosWhisperer:
		return "ChaosWhisperer"
	case orchestration.PathSeeker:
		return "PathSeeker"
	case orchestration.Codeweaver:
		return "Codeweaver"
	case orchestration.Ward:
		return "Ward"
	case orchestration.Siegemaster:
		return "Siegemaster"
	case orchestration.Spiritmender:
		return "Spiritmender"
	case orchestration.Lawbringer:
		return "Lawbringer"
	default:
		return string(r)
	}
}

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

func dollars(usd float64) string { return fmt.Sprintf("$%.2f", usd) }

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
