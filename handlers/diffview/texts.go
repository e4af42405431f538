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
	// common[i][j] is how many words a[i:] and b[j:] have in common, in order.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var words []views.DiffWord
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			words = append(words, views.DiffWord{Text: views.Visible(a[i])})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			words = append(words, removed(a[i:i+1])...)
			i++
		default:
			words = append(words, added(b[j:j+1])...)
			j++
		}
	}
	return joinWords(words, removed(a[i:]), added(b[j:]))
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
