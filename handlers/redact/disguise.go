package redact

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// A control sequence for terminals begins with the escape character and a second one, or
// with one character for both. The characters may be raw, or visible signs as in pages
// (views.Visible).
const (
	escape = `(?:\x1b|␛)`
	csi    = `(?:` + escape + `\[|\x{9b}|⟨U\+009B⟩)`
	// begins a sequence with a text, such as a title or a link
	strung   = `(?:` + escape + `[\]PX^_]|[\x{90}\x{98}\x{9d}-\x{9f}]|⟨U\+009[08D-F]⟩)`
	unstrung = `(?:\x07|␇|` + escape + `\\|\x{9c}|⟨U\+009C⟩)`
)

// codes matches control sequences: colours, cursor moves, texts with their end, and
// character sets. If none of these follows an escape, it matches only the escape, because
// the next letter may belong to a name.
var codes = regexp.MustCompile(csi + `[0-?]*[ -/]*[@-~]|` + strung + `[^\n\x07\x1b\x{9c}␇␛⟨]*` + unstrung + `|` + escape + `[ -/]+[0-~]|` +
	escape + `[0-?]?`)

// Plain removes control sequences, because one may be in the middle of a secret.
func Plain(s string) string {
	if !strings.ContainsAny(s, "\x1b␛⟨\u0090\u0098\u009b\u009d\u009e\u009f") {
		return s
	}
	return codes.ReplaceAllString(s, "")
}

// writtenCodes matches control sequences whose escape is written out, as in JSON or
// source code. plainer replaces the escapes of JSON by their characters.
var (
	writtenCodes = regexp.MustCompile(written + `(?:\[[0-9;]*[A-Za-z]|\][^\\\n]*\\+(?:u0007|x07|007|a|(?:u001[bB]|x1[bB]|033|e)\\+))`)
	plainer      = strings.NewReplacer(`\u003c`, "<", `\u003C`, "<", `\u003e`, ">", `\u003E`, ">", `\u0026`, "&", `\u0027`, "'", `\u003d`, "=",
		`\u003D`, "=", `\u002b`, "+", `\u002f`, "/")
)

const written = `\\+(?:u001[bB]|x1[bB]|033|e)`

// undisguised returns what a reader of the text sees once it is rendered from Markdown or
// HTML. It finds "pass&#119;ord", "api\_key" and "pass**word**".
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

// link matches a link of Markdown. unlinked replaces each by its words.
var link = regexp.MustCompile(`!?\[([^\[\]\n]*)\]\([^()\n]*\)`)

func unlinked(s string) string {
	if !strings.Contains(s, "](") {
		return s
	}
	return link.ReplaceAllString(s, "$1")
}

// bared returns the text without Markdown's marks and without invisible characters.
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

// isMark reports whether a backslash before c is removed by Markdown.
func isMark(c byte) bool { return c > ' ' && c < 0x7f && !isLetter(c) && !isDigit(c) }

// unseen reports whether a character is invisible, or stands for an invisible one.
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
