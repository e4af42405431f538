package diffview

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"questboard/views"
)

// What is painted at most. More is shown without colours and marks.
const (
	paintMost = 200_000 // bytes of markup for one page
	paintLine = 500     // bytes of a line
	paintCost = 24      // bytes of markup for one piece
	// Comparing two lines takes time and space for the product of their words.
	markWords = 120
	// markAlike is the part of two lines that must be equal for the rest to be marked.
	markAlike = 0.4
)

// changedWords is the class of what differs between two lines.
const changedWords = "w"

// painter colours code, and marks the words that differ in changed lines. It counts the
// markup, because a page has to stay small.
type painter struct {
	left int // bytes of markup that may still be written
}

func newPainter() *painter { return &painter{left: paintMost} }

// paint splits the texts of rows into pieces. path is the name of the file.
func (p *painter) paint(path string, rows []views.DiffRow) {
	spans := make([][]views.CodeSpan, len(rows))
	if code := views.CodeOf(path); code != nil {
		colour(code, rows, spans)
	}
	marks := make([][]views.CodeSpan, len(rows))
	for from := 0; from < len(rows); {
		added := from
		for added < len(rows) && rows[added].Kind == "del" {
			added++
		}
		end := added
		for end < len(rows) && rows[end].Kind == "add" {
			end++
		}
		for n := range min(added-from, end-added) {
			marks[from+n], marks[added+n] = differences(rows[from+n].Text, rows[added+n].Text)
		}
		from = max(end, from+1)
	}
	for i := range rows {
		pieces := pieced(rows[i].Text, spans[i], marks[i])
		if cost := len(pieces) * paintCost; len(pieces) > 0 && cost <= p.left {
			p.left -= cost
			rows[i].Pieces = pieces
		}
	}
}

// colour scans the lines of both versions. Each hunk begins outside of comments and
// strings, as far as is known.
func colour(code *views.Code, rows []views.DiffRow, spans [][]views.CodeSpan) {
	var before, after string // what is open in each version
	for i := range rows {
		r := &rows[i]
		open := after
		switch {
		case r.Kind == "hunk" || len(r.Text) > paintLine:
			before, after = "", ""
			continue
		case r.Kind == "del":
			open = before
		}
		spans[i], open = code.Scan(r.Text, open)
		if r.Kind != "add" {
			before = open
		}
		if r.Kind != "del" {
			after = open
		}
	}
}

// differences returns what differs between a line and the one in its place, or nothing if
// they have little in common.
func differences(before, after string) (removed, added []views.CodeSpan) {
	if len(before) > paintLine || len(after) > paintLine {
		return nil, nil
	}
	a, b := wordsOf(before), wordsOf(after)
	inA, inB, ok := common(a, b, markWords)
	if !ok {
		return nil, nil
	}
	same := 0
	for i, word := range a {
		if inA[i] {
			same += len(strings.TrimSpace(word))
		}
	}
	longer := max(len(strings.Join(strings.Fields(before), "")), len(strings.Join(strings.Fields(after), "")))
	if float64(same) < markAlike*float64(longer) {
		return nil, nil
	}
	return others(a, inA), others(b, inB)
}

// wordsOf splits a line into words, blanks and single signs.
func wordsOf(line string) []string {
	var words []string
	kind := func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return 1
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return 2
		default:
			return 0
		}
	}
	for line != "" {
		r, end := utf8.DecodeRuneInString(line)
		if first := kind(r); first != 0 {
			if end = strings.IndexFunc(line, func(r rune) bool { return kind(r) != first }); end < 0 {
				end = len(line)
			}
		}
		words = append(words, line[:end])
		line = line[end:]
	}
	return words
}

// others returns the places of the words that are not common.
func others(words []string, common []bool) []views.CodeSpan {
	var spans []views.CodeSpan
	at := 0
	for i, word := range words {
		to := at + len(word)
		switch last := len(spans) - 1; {
		case common[i]:
		case last >= 0 && spans[last].To == at:
			spans[last].To = to
		default:
			spans = append(spans, views.CodeSpan{From: at, To: to, Class: changedWords})
		}
		at = to
	}
	return spans
}

// pieced splits a text at its colours and marks. A mark hides the colours below it. It
// returns nil if there is neither.
func pieced(text string, colours, marks []views.CodeSpan) []views.Piece {
	if len(colours)+len(marks) == 0 {
		return nil
	}
	var pieces []views.Piece
	add := func(from, to int, class string) {
		if from < to {
			pieces = append(pieces, views.Piece{Class: class, Text: text[from:to]})
		}
	}
	at := 0
	fill := func(to int) { // with what is coloured, up to the next mark
		for len(colours) > 0 && colours[0].From < to {
			c := colours[0]
			add(at, max(at, c.From), "")
			at = max(at, c.From)
			add(at, min(c.To, to), c.Class)
			at = max(at, min(c.To, to))
			if c.To > to {
				break
			}
			colours = colours[1:]
		}
		add(at, to, "")
		at = max(at, to)
	}
	for _, m := range marks {
		fill(m.From)
		add(m.From, m.To, m.Class)
		at = m.To
		for len(colours) > 0 && colours[0].To <= at {
			colours = colours[1:]
		}
	}
	fill(len(text))
	return pieces
}
