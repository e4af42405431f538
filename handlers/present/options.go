package present

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"questboard/views"
)

// What becomes buttons: a few short options. With more, or with longer ones, a
// person reads the question and writes.
const (
	optionsMost = 9
	optionLong  = 160      // characters
	optionsRead = 16 << 10 // bytes of a question
)

var (
	// optionMark begins an option: "1. ", "2) ", "(a) ", "Option 1: ", "- **Option B** – ".
	optionMark = regexp.MustCompile(`^( {0,3})(?:[-*+] +|#{1,6} +)?(?:\*\*|__)?((?i:option) +)?(\(?)(\d{1,3}|[A-Za-z])(?:\*\*|__)?([.):]| [-–—])(?:\*\*|__)?(?:\s+(.*))?$`)
	optionLead = regexp.MustCompile(`^ *(?:[-*+] +|#{1,6} +)?`) // what may stand before one
	bulletMark = regexp.MustCompile(`^( {0,3})[-*+] +(?:\[[ xX]\] +)?(.*)$`)
	emphasis   = regexp.MustCompile("\\*\\*([^*]+)\\*\\*|__([^_]+)__|`([^`]+)`|\\[([^\\]]+)\\]\\([^)]*\\)")
)

// optionList is a list of options that are numbered in one style.
type optionList struct {
	indent, named int // named is 0 if the word "option" precedes the number
	numbers       []int
	texts         []string
}

// options finds the choices that an agent offers in a question. They are the only list
// that is numbered from 1 or a without a gap or, without numbers, the only list after a
// line that asks. If it is not clear which list is meant, or if an option is long, there
// are none: a missing button is better than a wrong one.
func options(question string) []views.Option {
	if len(question) > optionsRead {
		return nil
	}
	lines := outsideCode(question)
	list := numberedOptions(lines)
	if list == nil {
		list = askedBullets(lines)
	}
	if len(list) < 2 || len(list) > optionsMost {
		return nil
	}
	found := make([]views.Option, len(list))
	for i, text := range list {
		words := strings.TrimSpace(emphasis.ReplaceAllString(text, "$1$2$3$4"))
		if words == "" || strings.HasSuffix(words, "?") || utf8.RuneCountInString(text) > optionLong {
			return nil // a question is not an option
		}
		found[i] = views.Option{Words: words, Answer: text}
	}
	return found
}

// outsideCode returns the lines of a text. Lines within code are empty.
func outsideCode(text string) []string {
	lines := strings.Split(text, "\n")
	fence := ""
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
		start := strings.TrimLeft(line, " ")
		mark := start[:min(3, len(start))]
		switch {
		case fence != "" && mark == fence:
			fence, lines[i] = "", ""
		case fence == "" && (mark == "```" || mark == "~~~"):
			fence, lines[i] = mark, ""
		case fence != "":
			lines[i] = ""
		}
	}
	return lines
}

// numberedOptions returns the options of the only numbered list, with their numbers, or
// nil.
func numberedOptions(lines []string) []string {
	styles := map[string]*optionList{}
	var order []*optionList
	var last *optionList
	var wrapped []string // unindented lines below an option, which are part of it if another option follows
	for _, line := range lines {
		m := optionMark.FindStringSubmatch(line)
		if m != nil && m[6] == "" {
			return nil // an option without words
		}
		if m == nil || m[2] == "" && strings.HasPrefix(m[5], " ") {
			last, wrapped = goOn(last, wrapped, line)
			continue
		}
		style := strings.Join([]string{m[1], strings.ToLower(m[2]), m[3], kindOf(m[4]), m[5]}, "|")
		l := styles[style]
		if l == nil {
			l = &optionList{indent: len(m[1]), named: 1}
			if m[2] != "" {
				l.named = 0
			}
			styles[style], order = l, append(order, l)
		}
		if l == last && len(wrapped) > 0 {
			l.texts[len(l.texts)-1] += " " + strings.Join(wrapped, " ")
		}
		l.numbers, l.texts = append(l.numbers, numberOf(m[4])), append(l.texts, line[len(optionLead.FindString(line)):])
		last, wrapped = l, nil
	}
	counted := slices.DeleteFunc(order, func(l *optionList) bool { return !l.counts() })
	slices.SortStableFunc(counted, func(a, b *optionList) int { return (a.named-b.named)*8 + a.indent - b.indent })
	if len(counted) == 0 || len(counted) > 1 && counted[0].named == counted[1].named && counted[0].indent == counted[1].indent {
		return nil
	}
	return counted[0].texts
}

// goOn adds a line to the option above it if the line continues that option.
func goOn(last *optionList, wrapped []string, line string) (*optionList, []string) {
	text := strings.TrimSpace(line)
	switch {
	case last == nil || text == "" || bulletMark.MatchString(text):
		return nil, nil
	case line[0] == ' ' || line[0] == '\t':
		last.texts[len(last.texts)-1] += " " + text
		return last, wrapped
	default:
		return last, append(wrapped, text)
	}
}

// counts reports whether the numbers are 1, 2, 3 and so on.
func (l *optionList) counts() bool {
	for i, n := range l.numbers {
		if n != i+1 {
			return false
		}
	}
	return len(l.numbers) > 1
}

func kindOf(mark string) string {
	switch c := mark[0]; {
	case c <= '9':
		return "1"
	case c <= 'Z':
		return "A"
	default:
		return "a"
	}
}

func numberOf(mark string) int {
	if kindOf(mark) != "1" {
		return int(mark[0]|0x20-'a') + 1
	}
	n := 0
	for _, c := range mark {
		n = 10*n + int(c-'0')
	}
	return n
}

// askedBullets returns the options of the only list without numbers that follows a line
// which asks.
func askedBullets(lines []string) []string {
	var texts []string
	asked, inside := false, false
	for _, line := range lines {
		m := bulletMark.FindStringSubmatch(line)
		switch {
		case line == "":
		case m == nil && inside && (line[0] == ' ' || line[0] == '\t'): // goes on, or a list within
			if text := strings.TrimSpace(line); !bulletMark.MatchString(text) && !optionMark.MatchString(text) {
				texts[len(texts)-1] += " " + text
			}
		case m == nil:
			asked, inside = strings.HasSuffix(strings.TrimRight(line, "*_: "), "?"), false
		case !inside && (!asked || len(texts) > 0):
			return nil // it lists something else, or there is a second list
		case inside && len(m[1]) >= 2: // a list within
		default:
			texts, inside = append(texts, m[2]), true
		}
	}
	return texts
}
