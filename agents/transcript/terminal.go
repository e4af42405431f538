package transcript

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// ansi matches the escape sequences of terminals: colours and cursor moves (CSI), titles
// and links (OSC), and all others.
var ansi = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[@-Z\\\\^_]")

// Plain returns a terminal's text without escape sequences.
func Plain(s string) string { return ansi.ReplaceAllString(s, "") }

// Span is a piece of a terminal's text with one style.
type Span struct {
	Text string
	style
}

// style is a terminal's current style. Colour is 1 to 8, or 0.
type style struct {
	Colour int
	Bold   bool
}

// maxSpans limits the colours of one text: a line that changes them at every letter is
// shown without colours.
const maxSpans = 400

// Spans splits a terminal's text by style. It leaves out everything but colours, such
// as cursor moves.
func Spans(s string) []Span {
	marks := ansi.FindAllStringIndex(s, maxSpans+1)
	if len(marks) > maxSpans {
		return []Span{{Text: Plain(s)}}
	}
	var spans []Span
	var look style
	at := 0
	add := func(text string) {
		if text != "" {
			spans = append(spans, Span{text, look})
		}
	}
	for _, mark := range marks {
		add(s[at:mark[0]])
		look.apply(s[mark[0]:mark[1]])
		at = mark[1]
	}
	add(s[at:])
	return spans
}

// apply reads a sequence such as ESC [ 1 ; 31 m. It leaves out backgrounds and colours
// beyond the sixteen, which would be hard to read on a page.
func (s *style) apply(sequence string) {
	body, isColour := strings.CutSuffix(strings.TrimPrefix(sequence, "\x1b["), "m")
	if !isColour {
		return
	}
	codes := strings.Split(strings.ReplaceAll(body, ":", ";"), ";")
	for i := 0; i < len(codes); i++ {
		code, err := strconv.Atoi(codes[i])
		switch {
		case err != nil && codes[i] != "":
			return
		case code == 0:
			*s = style{}
		case code == 1:
			s.Bold = true
		case code == 22:
			s.Bold = false
		case code >= 30 && code <= 37:
			s.Colour = code - 30 + 1
		case code >= 90 && code <= 97:
			s.Colour = code - 90 + 1
		case code == 39:
			s.Colour = 0
		case code == 38 || code == 48: // 38;5;N and 38;2;R;G;B
			if s.skip(codes[i+1:], code == 38); i+1 < len(codes) && codes[i+1] == "2" {
				i += 4
			} else {
				i += 2
			}
		}
	}
}

// skip reads the colour after 38 or 48, if it is one of the sixteen.
func (s *style) skip(rest []string, foreground bool) {
	if !foreground {
		return
	}
	s.Colour = 0
	if len(rest) > 1 && rest[0] == "5" {
		if n, err := strconv.Atoi(rest[1]); err == nil && n >= 0 && n < 16 {
			s.Colour = n%8 + 1
		}
	}
}

// Tail returns the end of a text, at most so many bytes. It begins with a whole line if
// there is one: half a line reads as something else.
func Tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	whole := text[len(text)-most-1] == '\n'
	text = text[len(text)-most:]
	if _, rest, more := strings.Cut(text, "\n"); !whole && more && rest != "" {
		return rest
	}
	return text
}

// lastLines returns the last lines of a terminal's text that fit into so many bytes,
// without escape sequences, other control characters and empty lines at its ends. A mark
// shows that something came before.
func lastLines(text string, most int) string {
	text = strings.ToValidUTF8(Plain(text), "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
	text = strings.Trim(text, " \t\n")
	if len(text) <= most {
		return text
	}
	const mark = "…\n"
	text = text[len(text)-most+len(mark):]
	if _, rest, cut := strings.Cut(text, "\n"); cut {
		return mark + rest
	}
	return mark + strings.ToValidUTF8(text, "")
}
