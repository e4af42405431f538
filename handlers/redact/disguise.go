package redact

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// What terminals are told begins with an escape, or with one sign for the two:
// as it is, or as pages show it (views.Visible).
const (
	escape   = `(?:\x1b|␛)`
	csi      = `(?:` + escape + `\[|\x{9b}|⟨U\+009B⟩)`
	strung   = `(?:` + escape + `[\]PX^_]|[\x{90}\x{98}\x{9d}-\x{9f}]|⟨U\+009[08D-F]⟩)` // titles, links, and what else is a text
	unstrung = `(?:\x07|␇|` + escape + `\\|\x{9c}|⟨U\+009C⟩)`
)

// codes are what terminals are told: colours, moves, texts with their end, sets
// of characters. Of what is none of these the escape alone goes: the letter after
// it may begin a name.
var codes = regexp.MustCompile(csi + `[0-?]*[ -/]*[@-~]|` + strung + `[^\n\x07\x1b\x{9c}␇␛⟨]*` + unstrung + `|` + escape + `[ -/]+[0-~]|` + escape + `[0-?]?`)

// Plain returns the text without what terminals are told: it may stand within a
// secret.
func Plain(s string) string {
	if !strings.ContainsAny(s, "\x1b␛⟨\u0090\u0098\u009b\u009d\u009e\u009f") {
		return s
	}
	return codes.ReplaceAllString(s, "")
}

// writtenCodes are colours and links as programs' texts and JSON have them, and
// plainer takes back what JSON does to marks.
var (
	writtenCodes = regexp.MustCompile(written + `(?:\[[0-9;]*[A-Za-z]|\][^\\\n]*\\+(?:u0007|x07|007|a|(?:u001[bB]|x1[bB]|033|e)\\+))`)
	plainer      = strings.NewReplacer(`\u003c`, "<", `\u003C`, "<", `\u003e`, ">", `\u003E`, ">", `\u0026`, "&", `\u0027`, "'", `\u003d`, "=", `\u003D`, "=", `\u002b`, "+", `\u002f`, "/")
)

const written = `\\+(?:u001[bB]|x1[bB]|033|e)`

// undisguised is what a text stands for once it is read as Markdown or HTML, and
// what nobody sees is gone: "pass&#119;ord", "api\_key", "pass**word**".
func undisguised(s string) string {
	if strings.IndexByte(s, '&') >= 0 {
		s = html.UnescapeString(s)
	}
	for _, r := range s {
		if r == '\\' || r == '*' || r == '`' || r == '~' || unseen(r) {
			return bared(s)
		}
	}
	return s
}

// link is one as Markdown has it, and unlinked a text in which they are their words.
var link = regexp.MustCompile(`!?\[([^\[\]\n]*)\]\([^()\n]*\)`)

func unlinked(s string) string {
	if !strings.Contains(s, "](") {
		return s
	}
	return link.ReplaceAllString(s, "$1")
}

// bared is a text without marks, and without the signs that nobody sees.
func bared(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	hiding := false // within ⟨U+200B⟩
	for i, r := range s {
		switch {
		case hiding:
			hiding = r != '⟩'
		case r == '⟨' && strings.HasPrefix(s[i:], "⟨U+") && strings.Contains(s[i:min(len(s), i+16)], "⟩"):
			hiding = true
		case r == '*' || r == '`' || r == '~' || unseen(r):
		case r == '\\' && i+1 < len(s) && isMark(s[i+1]):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isMark reports whether a sign stands for itself behind a backslash.
func isMark(c byte) bool { return c > ' ' && c < 0x7f && !isLetter(c) && !isDigit(c) }

// unseen reports whether nobody sees a sign, or it is shown by another one.
func unseen(r rune) bool {
	switch {
	case r < 0x80:
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f'
	case r < 0xa0, r >= 0x2400 && r <= 0x2421:
		return true
	default:
		return r == '⟨' || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}
}
