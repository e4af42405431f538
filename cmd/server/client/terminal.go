package client

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/mattn/go-isatty"
	"github.com/mattn/go-runewidth"
	"golang.org/x/sys/unix"

	"questboard/agents/transcript"
)

// What agents write may hold sequences that change a terminal, so nothing of theirs is
// printed as it came. There are no colours.

// Line returns a text as one line without anything that a terminal obeys.
func Line(text string) string { return strings.Join(strings.Fields(lines(text)), " ") }

// lines is Line for a text that may have several lines.
func lines(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.Is(unicode.Cf, r): // marks that nobody sees; some turn the text around
			return -1
		case !unicode.IsGraphic(r):
			return ' '
		}
		return r
	}, transcript.Plain(strings.ToValidUTF8(text, "�")))
}

// fit cuts a line to the columns of the terminal that out is. Files and pipes get the
// whole line.
func fit(out io.Writer, text string) string {
	if columns := columnsOf(out); columns > 0 {
		return runewidth.Truncate(text, columns, "…")
	}
	return text
}

// columnsOf returns the width of a terminal, or 0 if out is none.
func columnsOf(out io.Writer) int {
	f, is := out.(*os.File)
	if !is || !isatty.IsTerminal(f.Fd()) {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// printJSON prints a JSON value on one line, in ASCII: a string in it may hold what a
// terminal obeys.
func printJSON(out io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	var ascii strings.Builder
	for _, r := range string(text) {
		switch {
		case r >= 0x10000:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&ascii, `\u%04x\u%04x`, high, low)
		case r >= 0x7f:
			fmt.Fprintf(&ascii, `\u%04x`, r)
		default:
			ascii.WriteRune(r)
		}
	}
	_, err = fmt.Fprintln(out, ascii.String())
	return err
}
