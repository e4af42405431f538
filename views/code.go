package views

import (
	"path"
	"strings"
	"unicode/utf8"
)

// Code is a programming language as far as its colours need it: comments, strings and
// keywords. Scanning looks at each byte a few times at most and keeps nothing but the end of
// what is open, so that hostile text costs no more than any other. (Libraries that know languages
// better use regular expressions that backtrack.)
type Code struct {
	line       []string // what begins a comment to the end of the line
	wordLine   bool     // it begins one only after a blank
	begin, end string   // of a comment over lines
	quotes     string   // what strings begin and end with
	multi      []string // the same for strings over lines, in which nothing is escaped
	words      map[string]bool
	anyCase    bool   // words may have capital letters
	inWords    string // what words contain besides letters and digits
	tagsWords  bool   // the words after < are the keywords
}

// The colours of code: classes that terminals' colours have, too.
const (
	codeComment = "muted"
	codeString  = "c3"
	codeWord    = "c5"
)

// CodeSpan is a part of a line with its class, by bytes.
type CodeSpan struct {
	From, To int
	Class    string
}

// CodeOf returns the language of a file by its name, or nil if it is not known.
func CodeOf(name string) *Code {
	base := strings.ToLower(path.Base(name))
	if c := codes[base]; c != nil {
		return c
	}
	return codes[strings.TrimPrefix(path.Ext(base), ".")]
}

// Scan returns the coloured parts of a line. open is what ends a comment or string that an
// earlier line began, or ""; still is the same for the next line.
func (c *Code) Scan(line, open string) (spans []CodeSpan, still string) {
	add := func(from, to int, class string) { spans = append(spans, CodeSpan{from, to, class}) }
	// A quote that does not end in the line does not end later in it, either. To look for each
	// would take quadratic time.
	apostrophes := ""
	at := 0
	if open != "" {
		end := strings.Index(line, open)
		class := codeString
		if open == c.end {
			class = codeComment
		}
		if end < 0 {
			add(0, len(line), class)
			return spans, open
		}
		at = end + len(open)
		add(0, at, class)
	}
	for at < len(line) {
		rest := line[at:]
		switch {
		case c.comments(line, at):
			add(at, len(line), codeComment)
			return spans, ""
		case c.begin != "" && strings.HasPrefix(rest, c.begin):
			to, open := c.until(rest, c.begin, c.end)
			add(at, at+to, codeComment)
			if open {
				return spans, c.end
			}
			at += to
		case c.opens(rest) != "":
			quote := c.opens(rest)
			to, open := c.until(rest, quote, quote)
			add(at, at+to, codeString)
			if open {
				return spans, quote
			}
			at += to
		case strings.IndexByte(c.quotes, rest[0]) >= 0 && strings.IndexByte(apostrophes, rest[0]) < 0:
			to := quoted(rest)
			if to > 0 {
				add(at, at+to, codeString)
			} else {
				apostrophes += rest[:1]
			}
			at += max(to, 1)
		case c.letter(rest[0]):
			to := 1
			for to < len(rest) && c.letter(rest[to]) {
				to++
			}
			if c.keyword(line, at, rest[:to]) {
				add(at, at+to, codeWord)
			}
			at += to
		default:
			_, size := utf8.DecodeRuneInString(rest)
			at += size
		}
	}
	return spans, ""
}

// comments reports whether a comment to the end of the line begins here.
func (c *Code) comments(line string, at int) bool {
	for _, begin := range c.line {
		if strings.HasPrefix(line[at:], begin) && (!c.wordLine || at == 0 || line[at-1] == ' ' || line[at-1] == '\t') {
			return true
		}
	}
	return false
}

func (c *Code) opens(rest string) string {
	for _, quote := range c.multi {
		if strings.HasPrefix(rest, quote) {
			return quote
		}
	}
	return ""
}

// until returns where something ends that begins with begin, or that it stays open.
func (c *Code) until(rest, begin, end string) (to int, open bool) {
	at := strings.Index(rest[len(begin):], end)
	if at < 0 {
		return len(rest), true
	}
	return len(begin) + at + len(end), false
}

// quoted returns the length of a string with escapes, or 0 if the line ends before it
// does: then the quote is an apostrophe.
func quoted(rest string) int {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			return i + 1
		}
	}
	return 0
}

func (c *Code) letter(b byte) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= utf8.RuneSelf ||
		strings.IndexByte(c.inWords, b) >= 0
}

func (c *Code) keyword(line string, at int, word string) bool {
	if c.tagsWords {
		before := strings.TrimSuffix(line[:at], "/")
		return strings.HasSuffix(before, "<")
	}
	if c.anyCase {
		word = strings.ToLower(word)
	}
	return c.words[word]
}
