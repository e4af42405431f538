package diffview

import (
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"questboard/views"
)

// What an edit may have to be compared line by line: comparing takes time.
const (
	editText  = 64 << 10
	editLines = 400 // shown
)

// Edit is one edit of a file: a text and what takes its place, both safe to look
// at.
func Edit(path, before, after string) views.LinePart {
	part := views.LinePart{Name: path}
	if len(before)+len(after) > editText {
		part.Pieces = []views.Piece{{Text: after}}
		part.Note = "The edit is too large to be compared: this is the text that it put there."
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

// editRows have no line numbers: a tool names the text, not where it stands.
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
