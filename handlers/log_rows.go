package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"questboard/agents/transcript"
	"questboard/handlers/redact"
	"questboard/views"
)

// How much of a line a row shows. The line's own page shows everything.
const (
	rowText    = 600  // of one line, in characters
	proseText  = 2400 // of a text that is read in full
	proseLines = 30
	minionText = 60 // of a minion's name, which stands on each of its lines
)

// row returns a turn as the log shows it. lines is the address of the lines' pages.
func (t *turn) row(lines string) views.LogRow {
	r := views.LogRow{Number: t.n + 1, URL: lines + strconv.Itoa(t.n+1), Kind: string(t.Kind), Head: views.Visible(t.Head), Nested: t.Nested,
		At: t.At}
	if t.Nested {
		by, _ := upTo(strings.Join(strings.Fields(transcript.Plain(t.By)), " "), minionText)
		r.By = views.Visible(by)
	}
	switch t.Kind {
	case transcript.KindRaw:
		text, cut := upTo(strings.ReplaceAll(t.Text, "\t", "    "), rowText)
		r.Pieces, r.More = coloured(text), cut
		return r
	case transcript.KindText, transcript.KindSignal:
		text, cut := firstLines(t.Text)
		r.Prose, r.More = views.Visible(text), cut || t.Call != ""
		if strings.TrimSpace(text) != "" {
			return r
		}
	default: // one line, below
	}
	text, long := upTo(t.Text, rowText*4) // only blanks may be left of it
	text, cut := upTo(strings.Join(strings.Fields(transcript.Plain(text)), " "), rowText)
	r.Pieces = []views.Piece{{Text: views.Visible(text)}}
	r.More = long || cut || t.Call != "" || t.Of != "" || strings.Contains(strings.TrimSpace(t.Text), "\n")
	if t.result != nil {
		r.Failed = t.result.Kind == transcript.KindError
		r.Took = took(t.At, t.result.At)
	}
	return r
}

// coloured splits a terminal's text into pieces of one colour that are safe to show.
func coloured(text string) []views.Piece {
	var pieces []views.Piece
	for _, span := range transcript.Spans(text) {
		class := ""
		if span.Colour > 0 {
			class = "c" + strconv.Itoa(span.Colour-1)
		}
		if span.Bold {
			class = strings.TrimSpace(class + " bold")
		}
		if text := views.Visible(span.Text); text != "" {
			pieces = append(pieces, views.Piece{Class: class, Text: text})
		}
	}
	return pieces
}

// took returns how long a tool worked, if its lines have times.
func took(from, to time.Time) string {
	d := to.Sub(from)
	switch {
	case from.IsZero() || to.IsZero() || d < 0:
		return ""
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	default:
		return views.Span(d)
	}
}

// upTo cuts a text to n characters.
func upTo(text string, n int) (string, bool) {
	if len(text) <= n {
		return text, false
	}
	if len(text) > n*utf8.UTFMax { // not all of a megabyte
		text = strings.ToValidUTF8(text[:n*utf8.UTFMax], "")
	} else if utf8.RuneCountInString(text) <= n {
		return text, false
	}
	letters := []rune(text)
	return string(letters[:min(n, len(letters))]) + " …", true
}

// firstLines cuts a text that is too long to be read in passing.
func firstLines(text string) (string, bool) {
	short, cut := upTo(strings.TrimSpace(text), proseText)
	if list := strings.SplitAfterN(short, "\n", proseLines+1); len(list) > proseLines {
		return strings.Join(list[:proseLines], ""), true
	}
	return short, cut
}

// rows encodes turns for <log-view>. Each becomes a row as HTML. A result, which is
// shown inside its call's row, becomes the line number of the call, with the row itself
// if the call is not in the same list. A line that nobody needs to read becomes -1. For
// a guest a redactor reads the finished rows.
func rows(list []turn, lines string, hide *redact.Redactor) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(list))
	var err error
	for i := range list {
		t := &list[i]
		switch {
		case t.made != nil:
			out[i] = t.made
		case t.Kind == transcript.KindQuiet:
			out[i] = json.RawMessage("[-1]")
		case t.call != nil && t.call.n >= list[0].n:
			out[i] = json.RawMessage("[" + strconv.Itoa(t.call.n) + "]")
		case t.call != nil:
			out[i], err = encoded(t.call, lines, t.call.n, hide)
		default:
			out[i], err = encoded(t, lines, -1, hide)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// encoded returns a row as JSON: a string or, if of is not negative, [of, string].
func encoded(t *turn, lines string, of int, hide *redact.Redactor) (json.RawMessage, error) {
	var html bytes.Buffer
	if err := views.LogRowView(t.row(lines), false).Render(context.Background(), &html); err != nil {
		return nil, fmt.Errorf("render line %d: %w", t.n+1, err)
	}
	row := html.Bytes()
	if hide != nil {
		var err error
		if row, err = hide.HTML(row); err != nil {
			return nil, err
		}
	}
	if of >= 0 {
		return json.Marshal([]any{of, string(row)})
	}
	return json.Marshal(string(row))
}
