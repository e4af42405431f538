package diffview

import (
	"github.com/aymanbagabas/go-udiff"

	"questboard/views"
)

// Texts lays out how one text differs from another; nil where it does not.
// name is what the file is called, key begins the names of its rows.
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
