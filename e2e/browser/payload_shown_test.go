package browser_test

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Every text is between two marks that name its payload and its place. So the test
// finds it wherever a page shows it.
const markLength = len("Qz0000p000b")

func marked(payload, place int, text string) string {
	return fmt.Sprintf("Qz%04dp%03db%sQz%04dp%03de", payload, place, text, payload, place)
}

// findMark finds the next text with a mark, and returns its payload and its place.
func findMark(s string) (at, payload, place int) {
	for at = 0; ; at++ {
		next := strings.Index(s[at:], "Qz")
		if next < 0 || len(s) < at+next+markLength {
			return -1, 0, 0
		}
		at += next
		n, err1 := strconv.Atoi(s[at+2 : at+6])
		p, err2 := strconv.Atoi(s[at+7 : at+10])
		if err1 == nil && err2 == nil && s[at+6] == 'p' && s[at+10] == 'b' {
			return at, n, p
		}
	}
}

// deceptive are the characters that a page shows only by their number: C1 controls,
// characters that change the direction of text, and invisible ones.
var deceptive = [][2]rune{{0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c}, {0x180e, 0x180e}, {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
	{0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}}

// shownAs returns what people see of a text. It implements the escape of
// docs/security.md a second time.
func shownAs(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := rune(0), 0
		asItIs := strings.IndexFunc(s, isNotShown)
		if asItIs < 0 {
			asItIs = len(s)
		} else {
			r, size = utf8.DecodeRuneInString(s[asItIs:])
		}
		b.WriteString(s[:asItIs])
		s = s[asItIs+size:]
		switch {
		case size == 0, r == '\r':
		case r < ' ':
			b.WriteRune('␀' + r)
		case r == utf8.RuneError: // U+FFFD for a byte that is no text
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// isNotShown reports whether a page has to write a character in another way.
func isNotShown(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r == utf8.RuneError || isDeceptive(r)
}

func isDeceptive(r rune) bool {
	if r < deceptive[0][0] {
		return false
	}
	for _, span := range deceptive {
		if span[0] <= r && r <= span[1] {
			return true
		}
	}
	return false
}

// withoutTerminal leaves out the sequences that are meant for a terminal, as
// output does: ESC [ … letter, ESC ] … BEL or ESC \, ESC letter.
func withoutTerminal(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 {
			return b.String() + s
		}
		b.WriteString(s[:i])
		n := terminalSequence(s[i:])
		if n == 0 {
			b.WriteByte(s[i])
			n = 1
		}
		s = s[i+n:]
	}
}

func terminalSequence(s string) int {
	if len(s) < 2 || s[0] != 0x1b {
		return 0
	}
	switch c := s[1]; {
	case c == '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= '@' && s[i] <= '~' {
				return i + 1
			}
			if s[i] < ' ' || s[i] > '?' {
				return 0
			}
		}
		return 0
	case c == ']':
		for i := 2; i < len(s); i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == 0x1b {
				if i+1 < len(s) && s[i+1] == '\\' {
					return i + 2
				}
				return 0
			}
		}
		return 0
	case c >= '@' && c <= 'Z' || c == '\\' || c == '^' || c == '_':
		return 2
	}
	return 0
}

// formsOf returns all the ways in which a page may show a marked text to its owner.
func formsOf(text string) []string {
	folded := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	bare := withoutTerminal(text)
	onePath := strings.NewReplacer("\n", "␊", "\t", "␉", "\r", "␍")
	forms := []string{shownAs(text), shownAs(strings.ReplaceAll(text, "\r", "␍")), shownAs(onePath.Replace(text)),
		shownAs(bare), shownAs(strings.ReplaceAll(bare, "\t", "    ")), shownAs(folded(text)), shownAs(folded(bare)), folded(shownAs(bare))}
	asText := string([]rune(text))                                                                                    // U+FFFD for what is none
	for _, quoted := range []string{strconv.Quote(shownAs(text)), strconv.Quote(asText), shownAs(jsonString(text))} { // within a sentence, and as it was written
		forms = append(forms, quoted[1:len(quoted)-1])
	}
	forms = append(forms, strings.ReplaceAll(shownAs(text), "'", `'\''`)) // in a command for the clipboard
	slices.Sort(forms)
	return slices.Compact(forms)
}

// forGuests are the forms on a share's pages: no sequence for a terminal, also
// where its first sign is visible, and no secret. A password may hold any sign:
// up to the next blank, all may belong to it. If a text has a secret only once it is
// read as Markdown or HTML, guests see it as it is then.
func forGuests(forms []string) []string {
	var shared []string
	for _, form := range forms {
		shared = append(shared, withoutSecret(form)...)
		if read := undisguised(withoutVisible(form)); read != form {
			shared = append(shared, withoutSecret(read)...)
		}
	}
	slices.Sort(shared)
	return slices.Compact(shared)
}

func withoutSecret(whole string) []string {
	var shared []string
	f := withoutVisible(whole)
	if f != whole && strings.Contains(whole, "␛") {
		shared = append(shared, cutForm+strings.ReplaceAll(whole, "␛", ""))
	}
	shared = append(shared, strings.ReplaceAll(f, shareSecret, "[redacted]"))
	if strings.Contains(f, shareSecret) {
		shared = append(shared, secretWord.ReplaceAllString(f, "[redacted]"))
	}
	return shared
}

// undisguised returns what a text says as Markdown or HTML, without invisible characters.
func undisguised(s string) string {
	s = disguise.ReplaceAllString(html.UnescapeString(s), "")
	return backslash.ReplaceAllString(s, "$1")
}

var (
	secretWord = regexp.MustCompile(shareSecret + `\S*`)
	disguise   = regexp.MustCompile("[*`~\\p{Cf}\\x{fe00}-\\x{fe0f}\\x{2400}-\\x{2421}\\x00-\\x08\\x0b\\x0e-\\x1f\\x7f-\\x{9f}]|⟨U\\+[0-9A-F]+⟩")
	backslash  = regexp.MustCompile(`\\([!-/:-@\[-^_{-~])`)
	// Colours and moves; titles and links with their end; sets of characters; of
	// what is none of these the sign alone.
	visibleSequence = regexp.MustCompile(`(?:␛\[|⟨U\+009B⟩)[0-?]*[ -/]*[@-~]|(?:␛[\]PX^_]|⟨U\+009[08D-F]⟩)[^\n␇␛⟨]*(?:␇|␛\\|⟨U\+009C⟩)|␛[ -/]+[0-~]|␛[0-?]?`)
)

// cutForm marks a form of which only the beginning may be shown: a sequence that
// was cut is none, and only its first sign goes.
const cutForm = "\x00"

func withoutVisible(s string) string {
	if !strings.ContainsAny(s, "␛⟨") {
		return s // most are long
	}
	return visibleSequence.ReplaceAllString(s, "")
}

// isShown reports whether what a page says from a mark on is a text in one of
// its forms: all of it, or its beginning and a sign that something is left out.
func isShown(said string, forms []string) (whole, ok bool) {
	begun, _, cut := strings.Cut(said, "…")
	begun = strings.TrimSuffix(begun, " ")
	for _, form := range forms {
		form, onlyCut := strings.CutPrefix(form, cutForm)
		if !onlyCut && strings.HasPrefix(said, form) {
			return true, true
		}
		// A secret that is cut takes the sign of the cut along; the view may go on.
		if end := strings.TrimRight(said, " "); strings.HasSuffix(end, "[redacted]") && strings.HasPrefix(form, end) {
			ok = true
		}
		// A long path loses its middle, all else its end.
		if cut && strings.HasPrefix(form, begun) {
			ok = true
		}
	}
	return false, ok
}

// beginsHidden reports whether a page says the beginning of a text in one of its
// forms, and that the rest is hidden.
func beginsHidden(said string, forms []string) bool {
	begun, _, hid := strings.Cut(said, "[redacted]")
	return hid && slices.ContainsFunc(forms, func(form string) bool { return strings.HasPrefix(form, begun) })
}
