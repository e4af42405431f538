package handlers

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"questboard/views"
)

// textDiff lays out how one text differs from another; nil where it does not.
// name is what the file is called, key begins the names of its rows.
func textDiff(name, key, before, after string) *views.DiffFile {
	if before == after {
		return nil
	}
	patch := udiff.Unified("before", "after", before, after)
	file := parseOne([]byte(patch))
	if file == nil {
		return &views.DiffFile{Key: key, Path: name, Plain: clean(patch)}
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

// ended ends a text with one line end, as built-in ones do.
func ended(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return text + "\n"
}
