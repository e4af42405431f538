package views

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible makes a text of an agent, a repository or a person safe to show. Markup is
// escaped elsewhere, but control characters, bidirectional overrides, invisible
// characters and broken UTF-8 would pass every escaping. Visible replaces them by visible
// signs. It keeps joiners, because scripts and emoji need them.
func Visible(s string) string {
	if !strings.ContainsFunc(s, Deceives) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\r':
		case !Deceives(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r) // Unicode has pictures of control characters
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// Deceives reports whether a character is shown by its number.
func Deceives(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x206f:
		return true // text direction, and unusual line ends
	case r == 0xad, r == 0x180e, r == 0x200b, r >= 0x2060 && r <= 0x2065, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb:
		return true // invisible
	default:
		return r >= 0xe0000 && r <= 0xe007f // tags: an invisible alphabet
	}
}
