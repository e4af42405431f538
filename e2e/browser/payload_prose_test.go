package browser_test

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// compareProse compares texts that are shown as Markdown by their letters, because its
// signs are gone. Nothing may be there that was not written, and nothing may be missing
// except the addresses of links and the names of languages.
func (w *watched) compareProse(p *poisoner, at, said string) {
	for {
		i, payload, place := findMark(said)
		if i < 0 {
			return
		}
		said = said[i:]
		text, ours := p.written[[2]int{payload, place}]
		part, whole := said, false
		if end := strings.Index(said, said[:markLength-1]+"e"); end >= 0 {
			part, whole = said[:end+markLength], true
		}
		switch {
		case ours && proseSays(part, whole, w.proseForms(p, payload, place), p.familyOf(payload) == "markdown"):
			if whole {
				w.shown[[2]int{payload, place}] = true
				w.seen++
			}
		case !w.bad[payload]:
			w.bad[payload] = true
			w.note(fmt.Sprintf("text: %s at %s is read as %.200q, and not as %.200q", p.places[min(place, len(p.places)-1)], at, part, shownAs(text)))
		}
		said = said[markLength:]
	}
}

// proseForms are the forms of a text, read; a guest does not get what entities
// write for a terminal either.
func (w *watched) proseForms(p *poisoner, payload, place int) []string {
	var forms []string
	for _, form := range p.formsOf(payload, place, w.guest()) {
		form = entitiesRead(form)
		if forms = append(forms, form); w.guest() {
			forms = append(forms, withoutVisible(form))
		}
	}
	return forms
}

// proseSays reports whether what a page shows is one of the forms, comparing only letters
// and digits, and all signs beyond ASCII. If the end mark is missing (whole is false),
// either may continue after the other. With links, parts of the form may be missing.
func proseSays(said string, whole bool, forms []string, links bool) bool {
	said, _, _ = strings.Cut(said, "…")
	said = letters(entitiesRead(said))
	for _, form := range forms {
		form = letters(form)
		if said == form || !whole && (strings.HasPrefix(form, said) || strings.HasPrefix(said, form)) || links && within(strings.ReplaceAll(said, "Image", ""), form) {
			return true
		}
	}
	return false
}

// entitiesRead returns a text with Markdown's entities replaced, as a page shows it.
func entitiesRead(s string) string {
	for range 3 {
		s = html.UnescapeString(numbered.ReplaceAllStringFunc(s, character))
	}
	return shownAs(s)
}

// letters returns a text without its signs.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r < 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// character is what a numbered entity stands for in Markdown: not what it does
// in HTML, where some numbers are those of another alphabet.
func character(entity string) string {
	digits, base := strings.Trim(strings.ToLower(entity), "&#;"), 10
	if rest, hex := strings.CutPrefix(digits, "x"); hex {
		digits, base = rest, 16
	}
	n, err := strconv.ParseInt(digits, base, 32)
	if err != nil || n == 0 {
		return "\ufffd"
	}
	return string(rune(n))
}

var numbered = regexp.MustCompile(`&#([0-9]+|[xX][0-9a-fA-F]+);`)

// within reports whether all of a text is part of another, in its order.
func within(part, whole string) bool {
	rest := []rune(part)
	for _, r := range whole {
		if len(rest) > 0 && rest[0] == r {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}
