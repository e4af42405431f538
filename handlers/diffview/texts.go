package diffview

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"questboard/views"
)

// Texts compares two texts line by line. It returns nil if they are equal. name is the
// title of the diff, and key is the prefix of the names of its rows.
func Texts(name, key, before, after string) *views.DiffFile {
	if before == after {
		return nil
	}
	patch := udiff.Unified("before", "after", before, after)
	file := parseOne([]byte(patch))
	if file == nil {
		return &views.DiffFile{Key: key, Path: name, Plain: views.Visible(patch)}
	}
	diff := &views.DiffFile{Key: key, Path: name, Rows: rowsOf(file, key)}
	newPainter().paint("", diff.Rows)
	for _, row := range diff.Rows {
		switch row.Kind {
		case "add":
			diff.Added++
		case "del":
			diff.Removed++
		}
	}
	return diff
}

// Limits of an edit that is compared line by line, because comparing takes time.
const (
	editText  = 64 << 10
	editLines = 400 // shown
)

// Edit shows an edit of a file as the difference between the old and the new text, both
// made safe to show.
func Edit(path, before, after string) views.LinePart {
	part := views.LinePart{Name: path}
	if len(before)+len(after) > editText {
		part.Pieces = []views.Piece{{Text: after}}
		part.Note = "The edit is too large to compare: this is its new text."
		return part
	}
	unified, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), 3)
	if err != nil {
		part.Pieces = []views.Piece{{Text: after}}
		return part
	}
	part.Diff = &views.DiffFile{Path: part.Name, Rows: editRows(unified)}
	if len(part.Diff.Rows) > editLines {
		part.Note = "… " + strconv.Itoa(len(part.Diff.Rows)-editLines) + " more lines"
		part.Diff.Rows = part.Diff.Rows[:editLines]
	}
	newPainter().paint(path, part.Diff.Rows)
	return part
}

// editRows returns rows without line numbers, because an edit does not say where its text
// is.
func editRows(unified udiff.UnifiedDiff) []views.DiffRow {
	kinds := map[udiff.OpKind]string{udiff.Insert: "add", udiff.Delete: "del", udiff.Equal: "same"}
	var rows []views.DiffRow
	for i, hunk := range unified.Hunks {
		if i > 0 {
			rows = append(rows, views.DiffRow{Kind: "hunk", Text: "…"})
		}
		for _, line := range hunk.Lines {
			rows = append(rows, views.DiffRow{Kind: kinds[line.Kind], Text: strings.TrimSuffix(line.Content, "\n")})
		}
	}
	return rows
}

// wordsMost limits a comparison word by word, which needs quadratic space.
const wordsMost = 800

// Words compares two texts word by word.
func Words(old, new string) []views.DiffWord {
	a, b := strings.Fields(old), strings.Fields(new)
	if len(a) > wordsMost || len(b) > wordsMost {
		return joinWords(removed(a), added(b))
	}
	inA, inB, _ := common(a, b, wordsMost)
	var words []views.DiffWord
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && !inA[i]:
			words = append(words, removed(a[i:i+1])...)
			i++
		case j < len(b) && !inB[j]:
			words = append(words, added(b[j:j+1])...)
			j++
		default:
			words = append(words, views.DiffWord{Text: views.Visible(a[i])})
			i, j = i+1, j+1
		}
	}
	return joinWords(words)
}

// common reports which words of two lists are in both, in the same order. It is not ok if
// more than most words are left between an equal beginning and an equal end.
func common(a, b []string, most int) (inA, inB []bool, ok bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		inA[from], inB[from] = true, true
		from++
	}
	endA, endB := len(a), len(b)
	for endA > from && endB > from && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
		inA[endA], inB[endB] = true, true
	}
	a, b = a[from:endA], b[from:endB]
	if len(a) > most || len(b) > most {
		return inA, inB, false
	}
	// same[i][j] is how many words a[i:] and b[j:] have in common, in order.
	same := make([][]int, len(a)+1)
	for i := range same {
		same[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				same[i][j] = same[i+1][j+1] + 1
			} else {
				same[i][j] = max(same[i+1][j], same[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			inA[from+i], inB[from+j] = true, true
			i, j = i+1, j+1
		case same[i+1][j] >= same[i][j+1]:
			i++
		default:
			j++
		}
	}
	return inA, inB, true
}

func removed(words []string) []views.DiffWord { return marked(words, "del") }
func added(words []string) []views.DiffWord   { return marked(words, "ins") }

func marked(words []string, op string) []views.DiffWord {
	if len(words) == 0 {
		return nil
	}
	return []views.DiffWord{{Text: views.Visible(strings.Join(words, " ")), Op: op}}
}

// joinWords joins neighbours of the same kind.
func joinWords(lists ...[]views.DiffWord) []views.DiffWord {
	var joined []views.DiffWord
	for _, w := range slices.Concat(lists...) {
		if n := len(joined); n > 0 && joined[n-1].Op == w.Op {
			joined[n-1].Text += " " + w.Text
			continue
		}
		joined = append(joined, w)
	}
	return joined
}
